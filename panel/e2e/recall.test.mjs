// Instant recall on the console, by ear: what is played again is compared with what
// was said into a microphone, while others go on talking.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { startBrowser } from "./browser.mjs";
import { accessible, dress, largeEnough, looks, picture } from "./eyes.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";
import { passes, until } from "./wait.mjs";
import { again } from "./voice/again.mjs";
import { fits, open, record, recorded, say, voice } from "./listening.mjs";
import { speech } from "./voice/speech.mjs";

/** heardOut lets one desk talk until another has heard the last syllable; it returns what was said, and what the other recorded. */
async function heardOut(listener, talker, ms) {
  await record(listener);
  const said = await say(talker, ms);
  await until("the last syllable has arrived", () => listener.page.evaluate(() => window.heardOut()));
  return { said, ...(await recorded(listener)) };
}

/** hear lets one desk talk, and returns what arrives of it at another. */
async function hear(listener, talker, ms) {
  const heard = await heardOut(listener, talker, ms);
  const arrived = voice(heard.arrived);
  assert.ok(arrived.length > ms / 20, `${arrived.length * 10} ms of ${ms} arrived`);
  return { ...heard, arrived };
}

/** Mutes a channel in its controls, or opens it again. */
async function mute(desk, channel) {
  await desk.button(`${channel}: more controls`).click();
  await desk.button("Mute channel").click();
  await desk.button(`Close ${channel} controls`).click();
}

/** Chooses how much of all channels is replayed. */
async function replayAll(desk, seconds) {
  await desk.page.getByRole("tab", { name: "Replay" }).click();
  await desk.page.getByRole("combobox", { name: "Replay", exact: true }).selectOption("All channels");
  await desk.button(`Replay all channels, last ${seconds} s`).click();
}

const player = (desk) => desk.page.locator("[data-part=recall-player]");
const playing = (desk) => desk.page.locator("[data-part=recall-player][data-state=playing]").waitFor();
const over = (desk) => desk.page.locator("[data-part=recall-player][data-state=over]").waitFor();

/** newest plays on from the nth last transmission. */
async function newest(desk, n = 1) {
  await playing(desk);
  await player(desk).getByRole("listitem").nth(-n).getByRole("button").click();
}

test("instant recall", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "squelch-recall-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const wav = join(folder, "speech.wav");
  writeFileSync(wav, speech());
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser([`--use-file-for-fake-audio-capture=${wav}`]);
  t.after(() => browser.close());
  const [north, south, east] = await Promise.all(["NORTH", "SOUTH", "EAST"].map((callsign) => open(browser, service, callsign)));
  const { page } = north;
  await north.speakOn("MAIN");
  await north.button("Monitor FIRE").click();
  await north.button("Monitor TRUNK").click();
  await south.speakOn("MAIN");
  await east.speakOn("TRUNK"); // no effects in the way of what is measured

  await t.test("before the first transmission there is nothing to recall", async () => {
    await north.button("Replay last transmission on MAIN").click();
    await player(north).getByText("Nothing recorded").waitFor();
    await player(north).getByRole("button", { name: "Close replay" }).click();
    await player(north).waitFor({ state: "detached" });
  });

  await t.test("one click replays what was said, and names the talker", async (t) => {
    await again(t, async () => {
      const { said } = await heardOut(north, south, 2500);
      await north.state("MAIN", "idle");
      await record(north);
      await north.button("Replay last transmission on MAIN").click();
      await playing(north);
      await north.button("Stop replay of MAIN", north.card("MAIN")).and(page.locator("[aria-pressed=true]")).waitFor();
      await player(north).locator("li[aria-current=true]", { hasText: "SOUTH" }).waitFor();
      await over(north);
      fits(t, "recall", said, (await recorded(north)).selected);
    });
  });

  await t.test("live voice goes on beside it, a little quieter", async (t) => {
    const before = await again(t, async () => {
      const alone = await hear(north, east, 2000);
      return fits(t, "live, alone", alone.arrived, alone.unselected).power;
    });
    const quieter = await again(t, async () => {
      const { arrived } = await hear(north, south, 5000);
      await record(north);
      await north.button("Replay last transmission on MAIN").click();
      await newest(north);
      await say(east, 2000);
      assert.equal(await player(north).getAttribute("data-state"), "playing", "the recall went on");
      await over(north);
      const heard = await recorded(north);
      fits(t, "recall beside live voice", arrived, heard.selected);
      return fits(t, "live beside a recall", voice(heard.arrived), heard.unselected).power / before;
    });
    const db = 10 * Math.log10(quieter);
    t.diagnostic(`live voice is ${db.toFixed(1)} dB louder beside a recall`);
    assert.ok(db < -3 && db > -12, `live voice changed by ${db.toFixed(1)} dB, want about -6`);
  });

  await t.test("a channel that is muted can be recalled", async (t) => {
    await mute(north, "MAIN");
    await again(t, async () => {
      const live = await hear(north, south, 2000);
      assert.ok(Math.max(...live.selected.slice(20)) < 1e-4, "it was not heard live");
      await record(north);
      await north.button("Replay last transmission on MAIN").click();
      await newest(north);
      await over(north);
      fits(t, "recall of a muted channel", live.arrived, (await recorded(north)).selected);
    });
    await mute(north, "MAIN");
  });

  let live = [];
  await t.test("all channels are recalled in their order", async (t) => {
    await again(t, async () => {
      live = [await hear(north, south, 1500), await hear(north, east, 1500)];
      await record(north);
      await replayAll(north, 10);
      await newest(north, 2);
      await over(north);
      const heard = (await recorded(north)).selected;
      const { lag } = fits(t, "first", live[0].arrived, heard);
      fits(t, "second", live[1].arrived, heard, lag + 100);
    });
    const names = await player(north).getByRole("listitem").allInnerTexts();
    assert.match(names.at(-2), /SOUTH\s+MAIN/);
    assert.match(names.at(-1), /EAST\s+TRUNK/);
  });

  await t.test("a talkgroup's card recalls the traffic of its groups", async (t) => {
    await again(t, async () => {
      await record(north);
      await north.button("Replay last transmission on TRUNK").click();
      await newest(north);
      await over(north);
      fits(t, "recall of a talkgroup", live[1].arrived, (await recorded(north)).selected);
    });
  });

  await t.test("a second click starts over, a transmission can be picked, Stop stops", async () => {
    await north.button("Replay MAIN, last 60 s", player(north)).waitFor({ state: "detached" });
    await replayAll(north, 60);
    const rows = player(north).getByRole("listitem");
    await playing(north);
    await rows.nth(3).getByRole("button").click();
    await page.locator("[data-part=recall-player] li:nth-child(4)[aria-current=true]").waitFor();
    await replayAll(north, 60);
    await page.locator("[data-part=recall-player] li:nth-child(1)[aria-current=true]").waitFor();
    await north.button("Stop replay", player(north)).click();
    await player(north).waitFor({ state: "detached" });
    await record(north);
    await until("half a second is recorded", () => page.evaluate(() => window.length_() >= 500));
    assert.ok(Math.max(...(await recorded(north)).selected.slice(20)) < 1e-4, "nothing plays any more");
    await north.button("Replay last transmission on MAIN").click();
    await playing(north);
    await north.button("Stop replay of MAIN").click();
    await player(north).waitFor({ state: "detached" });
  });

  await t.test("by keyboard: on a channel, by the menu, from the commands; Escape ends it", async () => {
    await page.getByRole("button", { name: "Talk here: MAIN," }).focus();
    await page.keyboard.press("r");
    await playing(north);
    await north.button("Replay MAIN, last 10 s", player(north)).and(page.locator("[aria-pressed=true]")).waitFor();
    await page.keyboard.press("Shift+R");
    await north.button("Replay MAIN, last 30 s", player(north)).and(page.locator("[aria-pressed=true]")).waitFor();
    await page.keyboard.press("Escape");
    await player(north).waitFor({ state: "detached" });

    await north.button("Replay last transmission on MAIN").focus();
    await page.keyboard.press("ArrowDown");
    const menu = page.getByRole("menu", { name: "Replay MAIN" });
    await menu.getByRole("menuitem", { name: "Replay last 10 s" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await north.button("Replay last transmission on MAIN").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ArrowDown");
    await menu.getByRole("menuitem").first().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ArrowUp"); // from the first to the last
    await page.keyboard.press("Enter");
    await north.button("Replay MAIN, last 60 s", player(north)).and(page.locator("[aria-pressed=true]")).waitFor();
    await page.keyboard.press("Escape");
    await player(north).waitFor({ state: "detached" });
    await north.button("Replay last transmission on FIRE").click({ button: "right" });
    await page.getByRole("menu", { name: "Replay FIRE" }).getByRole("menuitem", { name: "Replay last 30 s" }).click();
    await north.button("Replay FIRE, last 30 s", player(north)).and(page.locator("[aria-pressed=true]")).waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Type a command, channel or unit" }).waitFor();
    await page.keyboard.type("replay main last 10");
    await page.keyboard.press("Enter");
    await north.button("Replay MAIN, last 10 s", player(north)).and(page.locator("[aria-pressed=true]")).waitFor();
    await north.button("Stop replay", player(north)).click();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.getByText("Replay last transmission").waitFor();
    await keys.getByText("Replay last 30 s").waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
  });

  await t.test("axe finds nothing in any look, and nothing is cut off or too small", async () => {
    for (const look of looks) {
      await dress(north, look, "Dense");
      await north.card("MAIN").hover(); // a dense card shows its keys then
      await north.button("Replay last transmission on MAIN").click();
      await playing(north);
      const stop = north.card("MAIN").locator("[data-part=replay]"); // its name is another once the replay is over
      const [inner, outer] = [await stop.boundingBox(), await north.card("MAIN").boundingBox()];
      assert.ok(inner.x + inner.width < outer.x + outer.width, `cut off in ${look}`);
      await largeEnough(page, `recall, ${look}`);
      await accessible(page, `recall, ${look}`);
      await picture(page, `recall-${look}`.toLowerCase().replaceAll(" ", "-"));
      await stop.press("ArrowDown");
      await page.getByRole("menu").waitFor();
      await accessible(page, `the menu, ${look}`, "[data-part=menu]");
      await page.keyboard.press("Escape");
    }
    await dress(north, "Night", "Comfortable");
  });

  await t.test("voice over Socket.IO is recalled too", async (t) => {
    // Frames of voice that have come to the page, and when the latest did.
    let frames = 0;
    let latest = 0;
    const west = await open(browser, service, "WEST", "Voice: fallback", (page) =>
      page.on("websocket", (s) =>
        s.on("framereceived", ({ payload }) => {
          if (!String(payload).includes('"voice",')) return;
          frames++;
          latest = Date.now();
        }),
      ),
    );
    await west.button("Monitor MAIN").click();
    await again(t, async () => {
      frames = 0;
      await record(west);
      await say(south, 2000);
      await until("the last syllable has arrived", () => frames > 0 && Date.now() - latest > 400);
      await west.state("MAIN", "idle");
      const live = voice((await recorded(west)).unselected); // what was heard is what is recalled
      assert.ok(live.length > 100, `${live.length * 10} of 2000 ms were heard`);
      await record(west);
      await west.button("Replay last transmission on MAIN").click();
      await newest(west);
      await over(west);
      fits(t, "recall over Socket.IO", live, (await recorded(west)).selected);
    });
    west.silent();
    await west.close();
  });

  await t.test("an emergency ends a recall, and none starts during one", async (t) => {
    const ana = await Radio.connect(service, 7, "Ana Ruiz");
    t.after(() => ana.close());
    await ana.join("FIRE");
    await replayAll(north, 60);
    await playing(north);
    await ana.send("panic", { enabled: true });
    await north.state("FIRE", "em");
    await playing(north); // nobody has spoken there yet
    await ana.talk(true);
    await over(north);
    await player(north).getByText("Replay stopped: emergency").waitFor();
    await north.button("Replay last transmission on MAIN").click();
    await player(north).getByText("Replay stopped: emergency").waitFor();
    await over(north);
    await ana.talk(false);
    await until("it plays again once the emergency is silent", async () => {
      await north.button("Replay last transmission on MAIN").click();
      return (await player(north).getAttribute("data-state")) === "playing";
    });
    await ana.send("panic", { enabled: false });
  });

  await t.test("loopback is not kept, and a logout forgets everything", async () => {
    await north.button("NORTH: account").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await north.login("NORTH");
    await north.button("Settings").click();
    await north.button("Test microphone").click();
    await page.locator("[data-part=self-test]", { hasText: /packets, \d+ ms round trip/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await replayAll(north, 60);
    await player(north).getByText("Nothing recorded").waitFor();
  });

  await t.test("no errors in the browser", () => {
    for (const d of [north, south, east]) d.silent();
  });
});
