// The whole chain, nothing of the radio left out: a dispatcher's panel and the service on
// one side; on the other the page in the game's browser, the resource's Lua on the
// player's machine and on the game server, and the operator's scripts beside it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Desk, startBrowser } from "./browser.mjs";
import { picture } from "./eyes.mjs";
import { listen } from "./nui/ears.mjs";
import { host, Player, Town } from "./nui/town.mjs";
import { masterToken, nacId, Service } from "./service.mjs";
import { again } from "./voice/again.mjs";
import { ending, wantHeard } from "./voice/heard.mjs";
import { folder } from "./voice/service.mjs";
import { speech } from "./voice/speech.mjs";
import { passes, until } from "./wait.mjs";

/**
 * A QBCore city, with what a test needs changed: its secrets and ports, voices without
 * effects, and a codeplug with a hot microphone.
 */
const city = `${readFileSync(new URL("../../server/config/testdata/qbcore/config.lua", import.meta.url), "utf8")}
Config.authToken, Config.dispatchNacId = "${masterToken}", "${nacId}"
Config.webrtc = { udpPort = 0, tcpPort = 0 }
Config.radioFx = false
Config.codeplugs = { patrol = { unitId = "1A12", emergency = { hotMicMs = 60000 } } }
Config.jobCodeplugs = { police = "patrol" }
`;
const channel = "PD DISP";
const frequency = "154.755";
const ptt = "capital";
/** How well envelopes fit if it is the same words. How well they sound is for the tests of each end, which have the machine to themselves. */
const words = 0.7;

class CityDesk extends Desk {
  first = channel;
}

const record = (...tabs) => {
  const epoch = Date.now();
  return Promise.all(tabs.map((tab) => tab.evaluate((e) => window.record(e), epoch)));
};
const stop = (...tabs) => Promise.all(tabs.map((tab) => tab.evaluate(() => window.stop())));

/** Waits until a page has heard something since record, and it is over. */
const heardOut = (tab) =>
  until("it is heard out", async () => {
    const { heard } = await tab.evaluate(() => window.recorded());
    return Math.max(...heard) > 0.002 && ending(heard) < 0.002;
  });

test("a shift from the game to the dispatcher and back", async (t) => {
  const dir = folder(t);
  const [wav, config] = [join(dir, "speech.wav"), join(dir, "config.lua")];
  writeFileSync(wav, speech());
  writeFileSync(config, city);
  const service = await Service.start({ config });
  t.after(() => service.end());
  service.url = service.url.replace("127.0.0.1", host);
  const town = await Town.open(t, {
    url: service.url, token: masterToken,
    frameworks: ["qb-core", "ox_inventory"], scripts: ["job-radio-qb", "signal-100"], cfg: "add_ace player.21 command.signal100 allow",
  });
  const browser = await startBrowser([
    `--host-resolver-rules=MAP ${host} 127.0.0.1`, `--unsafely-treat-insecure-origin-as-secure=${service.url}`, `--use-file-for-fake-audio-capture=${wav}`,
  ]);
  t.after(() => browser.close());
  const [desk, player] = await Promise.all([
    CityDesk.open(browser, service, "NORTH", {}, (page) => page.addInitScript(listen)),
    Player.join(t, town, { wav, id: 21, name: "steam name" }),
  ]);
  const { page } = desk;
  const { tab } = player;
  const unit = page.locator("[data-part=units]").getByRole("button", { name: new RegExp(`^S\\. Number 21, .*${channel}`) });

  let broken = false;
  /** One step of the story: what comes after one that failed means nothing. */
  const step = (name, does) =>
    t.test(name, async (t) => {
      assert.ok(!broken, "a step before has failed");
      broken = true;
      await does(t);
      broken = false;
    });

  await step("a player without a radio in the inventory switches one on, and gets onto no channel", async () => {
    player.press("f2");
    await player.clicks("Power");
    await player.shows("channel", /^NO CHANNEL$/);
    await player.shows("band", /S. Number 21/);
    assert.equal(town.call("radio", "hasRadioAccess", 21), false);
    assert.equal(town.call("radio", "setUserChannel", 21, frequency), false);
    await until("the radio says why it does not talk", async () => { // it says so for five seconds, which a busy machine may miss
      player.press(ptt);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const said = await player.part("band");
      player.release(ptt);
      return said === "No channel is selected";
    });
  });

  await step("the operator's callback lets the player in", async () => {
    assert.equal(town.call("ox_inventory", "AddItem", 21, "radio", 1), true);
    assert.equal(town.call("radio", "refreshSubscriber", 21), true);
    await until("access", () => town.call("radio", "hasRadioAccess", 21) === true);
    assert.equal(town.call("radio", "getUserInfo", 21).nacId, "unemployed");
  });

  await step("a new job moves the unit: the dispatcher sees it on the channel, with its NAC id", async () => {
    town.call("qb-core", "SetJob", 21, "police");
    await player.shows("channel", /^PD DISP$/);
    await desk.speakOn(channel);
    await unit.click();
    await page.locator("[data-part=dialog][data-state=unit]", { hasText: "S. Number 21" }).getByText("NAC ID police").waitFor();
    await page.keyboard.press("Escape");
    await picture(page, "game-desk-unit");
  });

  await step("signal 100 by the operator's command stands at the dispatcher and on the radio", async () => {
    await record(tab, page);
    player.types("/signal100");
    const banner = desk.card(channel).locator("[data-part=alert]", { hasText: "SIGNAL 100" });
    await banner.waitFor();
    await page.locator("[data-part=emergency-lane]", { hasText: `SIGNAL 100 on ${channel}` }).waitFor();
    await player.shows("alert", /SIGNAL 100/);
    await picture(page, "game-desk-alert");
    await picture(tab, "game-radio-alert");
    await Promise.all([heardOut(tab), heardOut(page)]); // its tone
    await stop(tab, page);
    await record(tab, page);
    player.types(`/signal100 ${frequency}`);
    await banner.waitFor({ state: "detached" });
    await until("the radio shows it no longer", async () => (await player.part("alert")) === null);
    await Promise.all([heardOut(tab), heardOut(page)]);
    await stop(tab, page);
  });

  await step("the dispatcher hears the player, and sees who talks", (t) =>
    again(t, async () => {
      await record(tab, page);
      player.press(ptt);
      await player.shows("band", /^TRANSMIT/);
      await page.locator("[data-part=talker]", { hasText: "S. Number 21" }).waitFor();
      await desk.lit(channel, frequency);
      await passes(1000, "how long the key is held");
      player.release(ptt);
      await heardOut(page);
      await desk.state(channel, "idle");
      const [{ sent }, { heard }] = await stop(tab, page);
      wantHeard(t, "dispatcher", sent, heard, words);
    }));

  await step("the player hears the dispatcher, and the radio shows who talks", (t) =>
    again(t, async () => {
      await record(tab, page);
      await page.keyboard.down("F2");
      await desk.ptt("TX");
      await player.shows("band", /NORTH/);
      await passes(1500, "how long the key is held");
      await page.keyboard.up("F2");
      await desk.ptt("IDLE");
      await heardOut(tab);
      await until("the display is as before", async () => !/NORTH/.test(await player.part("band")));
      const [{ heard }, { sent }] = await stop(tab, page);
      wantHeard(t, "player", sent, heard, words);
    }));

  await step("death lets go of the key", async () => {
    await record(tab);
    player.press(ptt);
    await desk.state(channel, "rx");
    player.ped.health = 0;
    await desk.state(channel, "idle");
    await until("the microphone is shut", async () => ending((await tab.evaluate(() => window.recorded())).sent) === 0);
    await stop(tab);
    player.release(ptt);
    player.ped.health = 200;
  });

  await step("the resource is restarted with the player on: the radio comes back and works", async () => {
    await town.server.exec("ensure radio");
    await player.again();
    player.press("f2");
    await player.shows("channel", /^PD DISP$/);
    await until("scripts see the player where he was", () => town.call("radio", "getSpeakersInChannel", frequency).includes(21));
    await until("the player can talk", async () => {
      player.release(ptt);
      player.press(ptt);
      await passes(500, "how long a player waits before pressing again");
      return /^TRANSMIT/.test(await player.part("band"));
    });
    await desk.state(channel, "rx");
    await desk.lit(channel, frequency);
    player.release(ptt);
    await desk.state(channel, "idle");
    await page.keyboard.down("F2");
    await player.shows("band", /NORTH/);
    await page.keyboard.up("F2");
    await desk.ptt("IDLE");
  });

  await step("the emergency button: the dispatcher is alarmed, and hears the open microphone", async (t) => {
    await again(t, async () => {
      await record(tab, page);
      await player.clicks("Emergency button");
      const slot = page.locator("[data-part=emergency-slot]", { hasText: "S. Number 21" });
      await slot.locator("[data-part=emergency-plate]").waitFor();
      await desk.state(channel, "em");
      await player.shows("band", /^EMERGENCY MIC OPEN/);
      await desk.lit(channel, frequency);
      const card = desk.card(channel);
      await slot.getByText("talking").waitFor();
      await card.locator("header", { hasText: "talking" }).waitFor();
      assert.equal(await card.getByText("S. Number 21").count(), 1, "one name: who is in need is who talks");
      await picture(page, "game-desk-emergency");
      await picture(tab, "game-radio-emergency");
      await desk.button("Acknowledge emergency from S. Number 21", slot).click();
      await slot.locator("[data-part=emergency-open]").waitFor();
      await desk.state(channel, "ack");
      await desk.button("Close… emergency from S. Number 21", slot).click();
      await page.getByRole("radio", { name: "Resolved" }).check();
      await desk.button("Close emergency").click();
      await slot.waitFor({ state: "detached" });
      await until("the radio is quiet again", async () => !/EMERGENCY/.test(await player.part("band")));
      await until("the microphone is shut", async () => ending((await tab.evaluate(() => window.recorded())).sent) === 0);
      await stop(tab, page);
    });
  });

  await step("nobody has complained", () => {
    desk.silent();
    assert.deepEqual(player.complaints, []);
    assert.deepEqual(town.game.errors, []);
  });
});
