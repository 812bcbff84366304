// The log's past at a running service with a recorder: what a console that has just
// opened knows, finds and plays, which it was not there to hear.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { Desk, startBrowser } from "./browser.mjs";
import { accessible, dress, looks, picture } from "./eyes.mjs";
import { fits, open, record, recorded, say } from "./listening.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";
import { again } from "./voice/again.mjs";
import { speech } from "./voice/speech.mjs";
import { until } from "./wait.mjs";

const lines = (desk) => desk.page.locator("[data-part=transmissions] li");
/** What the lines say that are drawn. */
const texts = (desk) => lines(desk).evaluateAll((all) => all.map((li) => `${li.querySelector("b").textContent} ${li.querySelector(".where").textContent}`));
/** How many lines the log has. */
const count = (desk) =>
  desk.page.evaluate(() => {
    const log = document.querySelector("[data-part=transmissions]");
    return log ? log.children.length + Math.round(parseFloat(getComputedStyle(log).paddingBottom) / log.firstElementChild.offsetHeight) : 0;
  });
const line = (desk, ...words) => words.reduce((found, w) => found.filter({ hasText: w }), lines(desk));
const search = (desk, words) => desk.page.getByLabel("Filter log").fill(words);

/** A radio says so many things on the channel that it is on: silence, each for a moment. */
async function talks(radio, n) {
  for (let i = 0; i < n; i++) {
    await radio.talk(true);
    await radio.talk(false);
  }
}

/** How far the clock of a short-sighted console is behind, ms. */
const behind = 30 * 60_000 - 1_000;

/** A console that takes its half hour from the wrong clock: it looks back a second only, so that what is older is on the server only. */
const shortSighted = (page) =>
  page.route("**/radio/dispatch/status", async (r) => {
    const response = await r.fetch();
    const status = await response.json();
    const timestamp = new Date(Date.parse(status.timestamp) + behind).toISOString();
    return r.fulfill({ response, json: { ...status, timestamp } });
  });

test("the timeline at a console", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "squelch-timeline-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const wav = join(folder, "speech.wav");
  writeFileSync(wav, speech());
  const config = join(folder, "config.lua");
  const county = readFileSync(new URL("config.lua", import.meta.url), "utf8");
  writeFileSync(config, `${county}\nConfig.recording = { channels = { "154.755", "154.280" } }\n`);
  const service = await Service.start({ config });
  t.after(() => service.end());
  const browser = await startBrowser([`--use-file-for-fake-audio-capture=${wav}`]);
  t.after(() => browser.close());

  const zoe = await Radio.connect(service, 5, "Zoe Quill", { unitId: "Z-77" });
  const ana = await Radio.connect(service, 7, "Ana Ruiz", { unitId: "4A-12" });
  t.after(() => [zoe, ana].forEach((r) => r.close()));
  await Promise.all([zoe.join("FIRE"), ana.join("MAIN")]);
  await talks(zoe, 1);
  const sent = await service.dispatch("/api/trigger-broadcast", { message: "Hydrant at Elm is frozen" });
  assert.ok(sent.success, JSON.stringify(sent));
  const then = new Date();
  await talks(ana, 130);

  await t.test("37. a console that opens has the last half hour, more than a status has, and so it stays after a reload", async () => {
    const desk = await Desk.open(browser, service, "D-1");
    await until("all lines are there", async () => (await count(desk)) === 132);
    const before = await texts(desk);
    await talks(ana, 2);
    await until("what happens now is there once", async () => (await count(desk)) === 134);
    await desk.page.reload();
    await desk.ready();
    await until("all lines are there again", async () => (await count(desk)) === 134);
    assert.equal(await desk.page.getByText("No transmissions yet").count(), 0);
    assert.deepEqual((await texts(desk)).slice(2, 40), before.slice(0, 38));
    desk.silent();
    await desk.close();
  });

  await t.test("recorded channels are marked on the card and in the controls, but no line of which there is no recording", async () => {
    const desk = await Desk.open(browser, service, "D-1");
    const mark = (name) => desk.card(name).locator("[data-part=recorded]");
    await mark("MAIN").waitFor();
    assert.equal(await mark("MAIN").textContent(), "REC");
    assert.equal(await mark("MAIN").getAttribute("title"), "Recorded on the server");
    assert.equal(await mark("TAC").count(), 0);
    // Nothing was heard of Ana: a radio without voice.
    await line(desk, "Ana Ruiz").first().waitFor();
    assert.equal(await lines(desk).locator('.where use[href="#i-rec"]').count(), 0);
    await line(desk, "Ana Ruiz").first().getByRole("button").click();
    await line(desk, "Ana Ruiz").first().getByText("Not recorded").waitFor();
    await (await desk.controls("MAIN")).getByText("Recorded on the server").waitFor();
    await (await desk.controls("TAC")).getByText("Not recorded on the server").waitFor();
    desk.silent();
    await desk.close();
  });

  await t.test("a search finds on the server what the log does not have: by unit, channel, text and time", async () => {
    const desk = await Desk.open(browser, service, "D-2", {}, shortSighted);
    await until("the log has its last lines", async () => (await count(desk)) >= 50);
    assert.ok((await count(desk)) < 100, `the log has ${await count(desk)} lines only`);
    const bar = desk.page.locator(".further");
    for (const [words, found] of [["z-77", "Zoe Quill"], ["fire", "Zoe Quill"], ["zoe fire", "Zoe Quill"], ["hydrant elm", "Hydrant at Elm is frozen"]]) {
      await search(desk, words);
      await line(desk, found).first().waitFor();
      await bar.getByText("Nothing further back").waitFor();
      await until(() => `"${words}" finds one line`, async () => (await count(desk)) === 1);
    }
    await search(desk, `hydrant ${new Date(then - behind).toTimeString().slice(0, 3)}`);
    await line(desk, "Hydrant at Elm").waitFor();
    await search(desk, "nobody at all");
    await desk.page.getByText("No matching entries").waitFor();
    await bar.getByText("Nothing further back").waitFor();
    await picture(desk.page, "timeline-search");
    await search(desk, "");

    // To the end of the log, and no further.
    const list = desk.page.locator("[data-part=transmissions]");
    await until("the whole log is there", async () => {
      await list.evaluate((l) => l.scrollTo(0, l.scrollHeight));
      return (await count(desk)) === 134;
    });
    await line(desk, "Zoe Quill").waitFor();
    await bar.getByText("Nothing further back").waitFor();
    desk.silent();
    await desk.close();
  });

  await t.test("a line is replayed from the server by a console that was not there, with its waveform, and can be sought in", async (t) => {
    const talker = await open(browser, service, "NORTH");
    await talker.speakOn("MAIN");
    // Long enough to be looked at while it is replayed, however busy the machine is.
    await say(talker, 15_000);
    const desk = await again(t, async () => {
      const said = await say(talker, 5_000);
      const desk = await open(browser, service, "SOUTH");
      const newest = line(desk, "NORTH").first();
      const key = newest.getByRole("button", { name: /^Replay NORTH on MAIN/ });
      await until("it can be replayed", () => key.isEnabled());
      await newest.locator('.where use[href="#i-rec"]').waitFor({ state: "attached" });
      await record(desk);
      await newest.focus();
      await desk.page.keyboard.press("Enter");
      const wave = newest.getByRole("slider", { name: /NORTH on MAIN/ });
      const { bars, min, max } = await wave.evaluate((w) => ({
        bars: w.querySelector("path").getAttribute("d").split("M").length - 1,
        min: w.getAttribute("aria-valuemin"),
        max: Number(w.getAttribute("aria-valuemax")),
      }));
      assert.ok(bars > 20 && bars <= 96, `the waveform has ${bars} bars`);
      assert.equal(min, "0");
      assert.ok(max >= 4, `${max} s`);
      await wave.waitFor({ state: "detached" }); // it is over
      fits(t, "replay from the server", said, (await recorded(desk)).selected);
      return desk;
    });
    const long = line(desk, "NORTH").last();
    const key = long.getByRole("button", { name: /^Replay NORTH on MAIN/ });
    const wave = long.getByRole("slider");
    for (const look of looks) {
      await dress(desk, look, "Comfortable");
      await key.click();
      await wave.waitFor();
      await accessible(desk.page, `a waveform in ${look}`, "[data-part=log]");
      await picture(desk.page, `timeline-replay-${look}`);
      if (await wave.count()) await key.click();
      await wave.waitFor({ state: "detached" });
    }
    await key.click();
    const { x, y, width, height } = await wave.boundingBox();
    await desk.page.mouse.click(x + 0.9 * width, y + height / 2);
    await until("it plays near its end, or has ended", () => wave.evaluateAll((all) => all.every((w) => Number(w.getAttribute("aria-valuenow")) >= 12)));
    await wave.waitFor({ state: "detached" });
    for (const d of [desk, talker]) {
      d.silent();
      await d.close();
    }
  });

  await t.test("a recording that is deleted meanwhile is said to be gone", async () => {
    const desk = await Desk.open(browser, service, "D-1");
    const newest = line(desk, "NORTH").first();
    await newest.waitFor();
    await service.post("/api/recordings/delete", { name: "NORTH" });
    await newest.getByRole("button").click();
    await newest.getByText("Recording deleted").waitFor();
    await desk.page.reload();
    await desk.ready();
    await newest.waitFor();
    assert.equal(await newest.locator('.where use[href="#i-rec"]').count(), 0, "what is deleted has no mark");
    desk.silent(/^404 for GET .*\/api\/recordings\//, /^console error: Failed to load resource/);
    await desk.close();
  });

  await t.test("a restart of the service loses nothing of the log", async () => {
    const desk = await Desk.open(browser, service, "D-1");
    await until("the log is there", async () => (await count(desk)) > 134);
    const [before, all] = [await texts(desk), await count(desk)];
    await service.stop();
    await desk.page.locator(":root[data-link=disconnected]").waitFor();
    await service.start();
    await desk.page.locator(":root[data-link=connected]").waitFor();
    await desk.page.reload();
    await desk.ready();
    await until("the log is there again", async () => (await count(desk)) >= all);
    const said = (all) => all.filter((x) => /Ana Ruiz|NORTH|Zoe/.test(x)).slice(0, 40);
    assert.deepEqual(said(await texts(desk)), said(before));
    const { transmissions } = await service.status();
    assert.equal(transmissions.length, 50);
    await desk.close();
  });
});
