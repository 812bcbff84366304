// The incident review: what happened is found again, played, marked and exported, by
// pointer and by keyboard, in a simulation and at a service with a recorder.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { sideways } from "./admin.mjs";
import { Desk, startBrowser } from "./browser.mjs";
import { accessible, largeEnough, picture } from "./eyes.mjs";
import { looks, wear } from "./looks.mjs";
import { Radio } from "./radio.mjs";
import { nacId, Service } from "./service.mjs";
import { Stage } from "./simulated.mjs";
import { clock, shift } from "./stage.mjs";
import { until } from "./wait.mjs";

const began = Date.parse(clock);

/** A pursuit: two calls, an emergency with its hot microphone, a patch, an alert. */
const pursuit = shift({
  units: [
    { id: 7, name: "Ana Ruiz", nacId: "LSPD", unitId: "4A-12", on: "MAIN" },
    { id: 8, name: "Ben Okoye", nacId: "LSFD", unitId: "E-3", on: "FIRE" },
    { id: 9, name: "Cy", unitId: "U-9", on: "TAC" },
    { id: -2, name: "SOUTH", callsign: "SOUTH", on: "STATE" },
  ],
  steps: [
    { at: 10, unit: 7, do: "talk", for: 4, says: { en: "Traffic stop on Elm Street", de: "Verkehrskontrolle, Elm Street" } },
    { at: 20, unit: 8, do: "talk", for: 3, says: "Engine three responding" },
    { at: 30, unit: 7, do: "panic" },
    { at: 32, unit: -2, do: "acknowledge", who: 7 },
    { at: 50, unit: -2, do: "patch", channels: ["MAIN", "TAC"], label: "Pursuit" },
    { at: 60, unit: 9, do: "talk", for: 5, says: "Northbound on the bridge" },
    { at: 70, unit: -2, do: "alert", alert: "SIGNAL 100", channel: "FIRE" },
    { at: 80, unit: -2, do: "close", who: 7, reason: "resolved" },
  ],
});

/** The incident review of a desk. */
class Incident {
  constructor(desk) {
    this.desk = desk;
    this.page = desk.page;
    this.root = this.page.locator("[data-part=incident]");
  }
  static async open(desk) {
    const i = new Incident(desk);
    await desk.button("Incident review").click();
    await i.root.getByRole("heading", { name: "Incident review" }).waitFor();
    return i;
  }
  button(name) {
    return this.desk.button(name, this.root);
  }
  field(name) {
    return this.root.getByLabel(name, { exact: true });
  }
  row(name) {
    return this.root.getByRole("slider", { name: `${name}: play from` });
  }
  entries() {
    return this.root.locator("[data-part=incident-entries] li");
  }
  /** The lines of the list, without the times. */
  async lines() {
    return (await this.entries().allTextContents()).map((x) => x.replace(/^\s*\d\d:\d\d:\d\d\s*/, "").replace(/\s+/g, " ").trim());
  }
  shows(count) {
    return until(`${count} entries`, async () => (await this.entries().count()) === count);
  }
  /** Where a moment is on the screen, in a row. */
  async point(row, moment) {
    const box = await this.row(row).boundingBox();
    const [from, to] = (await Promise.all(["aria-valuemin", "aria-valuemax"].map((a) => this.row(row).getAttribute(a)))).map(Number);
    return { x: box.x + ((moment - from) / (to - from)) * box.width, y: box.y + box.height / 2 };
  }
  /** Marks with the mouse. */
  async drag(row, from, to, until = row) {
    const [a, b] = [await this.point(row, from), await this.point(until, to)];
    await this.page.mouse.move(a.x, a.y);
    await this.page.mouse.down();
    await this.page.mouse.move((a.x + b.x) / 2, b.y, { steps: 4 });
    await this.page.mouse.move(b.x, b.y, { steps: 4 });
    await this.page.mouse.up();
  }
  /** Sets what is shown to a stretch of time, as somebody does who types. */
  async between(from, to) {
    const text = (ms) => this.page.evaluate((ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19), ms);
    await this.field("From").fill(await text(from));
    await this.field("To").fill(await text(to));
    await this.field("To").press("Enter");
  }
  /** What a button downloads, in a folder of its own that ends with the test. */
  async saved(t, name) {
    const waiting = this.page.waitForEvent("download");
    await this.button(name).click();
    const download = await waiting;
    const folder = mkdtempSync(join(tmpdir(), "squelch-incident-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, download.suggestedFilename());
    await download.saveAs(file);
    return { folder, file, name: download.suggestedFilename() };
  }
  /** Unpacks a zip by somebody else's program, which checks it, and returns its timeline and its files. */
  unpack({ folder, file }) {
    const script = "import sys,zipfile,json\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nz.extractall(sys.argv[2])\nprint(json.dumps(z.namelist()))";
    const names = JSON.parse(execFileSync("python3", ["-c", script, file, folder], { encoding: "utf8" }));
    return { names, read: (name) => readFileSync(join(folder, name)) };
  }
}

test("in a simulation", async (t) => {
  const stage = await Stage.build(t);

  await t.test("what happened is shown, found, played and exported", async (t) => {
    const desk = await stage.play(pursuit, { context: { acceptDownloads: true } });
    await desk.to(100);
    const i = await Incident.open(desk);
    await i.row("MAIN").waitFor();
    assert.deepEqual(await i.root.locator("[data-row]").evaluateAll((all) => all.map((r) => r.textContent.trim())), ["MAIN", "TAC", "FIRE"]);
    const lines = await i.lines();
    for (const said of [/^Ana Ruiz 4A-12 MAIN 0:04 Traffic stop on Elm Street$/, /^Ben Okoye E-3 FIRE 0:03 Engine three responding$/, /^Ana Ruiz Acknowledged by SOUTH$/, /^Pursuit on MAIN, TAC$/, /^Cy U-9 TAC ⇄ 0:05 Northbound on the bridge$/, /^SIGNAL 100 FIRE/, /^Ana Ruiz Closed by SOUTH · resolved$/])
      assert.ok(lines.some((l) => said.test(l)), `${said} in ${lines.join("\n")}`);

    await i.field("Text").fill("bridge");
    await i.shows(1);
    await i.field("Text").fill("");
    await i.field("Unit").fill("4a-12");
    await until("only Ana's", async () => (await i.lines()).length > 2 && (await i.lines()).every((l) => l.includes("Ana Ruiz")));
    await i.button("Clear filters").click();
    await i.root.getByRole("combobox", { name: "Channel" }).selectOption("FIRE");
    await until("only FIRE's", async () => (await i.root.locator("[data-row]").count()) === 1);
    await i.shows(2);
    await i.root.getByRole("combobox", { name: "Channel" }).selectOption("All channels");
    await i.row("MAIN").waitFor();

    // A press plays from there, and a mark one after the other.
    await i.between(began, began + 100_000);
    await desk.run(1);
    const at = await i.point("MAIN", began + 12_500);
    await i.page.mouse.click(at.x, at.y);
    await i.root.locator("li[aria-current=true]", { hasText: "Traffic stop" }).waitFor();
    await i.button("Stop").waitFor({ state: "detached" });
    await i.button("Mark everything shown").click();
    await i.button("Play mark").click();
    await i.root.locator("li[aria-current=true]", { hasText: "Traffic stop" }).waitFor();
    await i.root.locator("li[aria-current=true]", { hasText: "Engine three" }).waitFor();
    await i.button("Stop").click();
    await i.button("Stop").waitFor({ state: "detached" });
    await desk.hold();

    // What is marked is what is exported.
    await i.drag("MAIN", began + 45_000, began + 66_000, "TAC");
    await i.root.getByText("2 channels, 0:2", { exact: false }).waitFor();
    assert.equal(await i.button("Listening file").isDisabled(), true);
    const zip = await i.saved(t, "Export zip");
    assert.match(zip.name, /^incident-20260314-\d{6}\.zip$/);
    const { names, read } = i.unpack(zip);
    const exported = JSON.parse(read("timeline.json"));
    assert.deepEqual(exported.map((e) => [e.kind, e.name ?? e.detail]), [["patchOn", "Pursuit"], ["transmission", "Cy"]]);
    assert.deepEqual(names, ["timeline.json", "timeline.csv", exported[1].file]);
    assert.equal(read(exported[1].file).length, exported[1].recording.bytes);
    assert.equal(exported[1].transcript, "Northbound on the bridge");
    await i.root.getByRole("status").filter({ hasText: `${zip.name} has been saved.` }).waitFor();

    await i.field("Include MAIN in the mark").uncheck();
    const voice = await i.saved(t, "Listening file");
    assert.match(voice.name, /^TAC-20260314-\d{6}\.wav$/);
    assert.ok(Math.abs(readFileSync(voice.file).length - (44 + 5 * 32_000)) < 1_000);
    await i.button("Clear mark").click();
    await i.button("Export zip").waitFor({ state: "detached" });

    // Another scenario begins anew.
    await desk.page.evaluate(() => globalThis.simulation.restart());
    await desk.hold();
    await until("nothing was said yet", async () => !(await i.lines()).some((l) => l.includes("Traffic stop")));
    await i.button("Close incident review").click();
    await i.root.waitFor({ state: "detached" });
    desk.silent();
  });

  await t.test("by keyboard alone", async () => {
    const desk = await stage.play(pursuit);
    await desk.to(100);
    const { page } = desk;
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Type a command, channel or unit" }).waitFor();
    await page.keyboard.type("incident review");
    await page.keyboard.press("Enter");
    const i = new Incident(desk);
    await i.row("MAIN").waitFor();
    await until("the focus is in it", () => page.evaluate(() => document.querySelector("[data-part=incident]").contains(document.activeElement)));
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.closest("label")?.textContent ?? document.activeElement.textContent);
    for (let n = 0; n < 40 && (await focused()) !== "MAIN: play from"; n++) await page.keyboard.press("Tab");
    await page.keyboard.press("Home");
    const said = () => i.row("MAIN").getAttribute("aria-valuetext");
    await page.keyboard.press("ArrowRight");
    assert.match(await said(), /Ana Ruiz 4A-12 · MAIN · 0:04 · “Traffic stop on Elm Street”/);
    await page.keyboard.press("ArrowRight");
    assert.match(await said(), /Ana Ruiz/);
    await page.keyboard.press("ArrowLeft");
    await desk.run(1);
    await page.keyboard.press("Enter");
    await i.root.locator("li[aria-current=true]", { hasText: "Traffic stop" }).waitFor();
    await page.keyboard.press("Enter");
    await i.root.locator("li[aria-current=true]").waitFor({ state: "detached" });
    await desk.hold();
    for (let n = 0; n < 5; n++) await page.keyboard.press("Shift+ArrowRight");
    await i.field("Mark from").waitFor();
    const until_ = await i.root.getByRole("slider", { name: "End of the mark" }).getAttribute("aria-valuenow");
    await i.root.getByRole("slider", { name: "End of the mark" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.ok(Number(await i.root.getByRole("slider", { name: "End of the mark" }).getAttribute("aria-valuenow")) > Number(until_));
    assert.equal(await i.field("Include MAIN in the mark").isChecked(), true);
    assert.equal(await i.field("Include FIRE in the mark").isChecked(), false);
    await i.row("MAIN").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "TAC: play from");
    await page.keyboard.press("Escape");
    await i.root.waitFor({ state: "detached" });
    desk.silent();
  });

  await t.test("in every look, on a phone, and in German", async () => {
    const desk = await stage.play(pursuit);
    await desk.to(100);
    const i = await Incident.open(desk);
    await i.row("MAIN").waitFor();
    await i.between(began, began + 110_000);
    await i.drag("MAIN", began + 28_000, began + 66_000, "TAC");
    await i.button("Export zip").waitFor();
    await until("waveforms are drawn", async () => (await i.root.locator(".in-bars path").evaluateAll((all) => all.filter((p) => p.getAttribute("d") !== "").length)) === 3);
    for (const look of looks) {
      await wear(desk.page, look);
      await accessible(desk.page, `the incident review, ${look}`, "[data-part=incident]");
      await picture(desk.page, `incident-${look}`);
      await i.entries().last().scrollIntoViewIfNeeded();
      await picture(desk.page, `incident-${look}-entries`);
    }
    await largeEnough(desk.page, "the incident review", "[data-part=incident]");
    desk.silent();

    const german = await stage.play(pursuit, { context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, kept: { settings: { language: "de" } } });
    await german.to(100);
    await german.page.getByRole("navigation").getByRole("button", { name: "Mehr" }).click();
    await german.page.locator("[data-part=more-sheet]").getByRole("button", { name: "Einsatz nachvollziehen" }).click();
    const g = new Incident(german);
    await g.root.getByRole("slider", { name: "MAIN: abspielen ab" }).waitFor();
    await g.button("Gezeigtes markieren").click();
    assert.deepEqual(await german.page.evaluate(sideways), []);
    const [room, button] = await Promise.all([g.field("Markierung bis"), g.button("Markierung löschen")].map((x) => x.boundingBox()));
    assert.ok(room.y + room.height <= button.y, "a field of time has a line for itself");
    await accessible(german.page, "the incident review on a phone", "[data-part=incident]");
    await picture(german.page, "incident-phone-de");
    german.silent();
  });
});

test("at a service with a recorder", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "squelch-recorder-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "config.lua");
  writeFileSync(config, `${readFileSync(new URL("config.lua", import.meta.url), "utf8")}\nConfig.recording = { all = true }\n`);
  const service = await Service.start({ config });
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const desk = await Desk.open(browser, service, "D-1", { acceptDownloads: true });
  const ana = await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD" });
  const ben = await Radio.connect(service, 8, "Ben Okoye", { nacId: "LSFD" });
  t.after(() => [ana, ben].forEach((r) => r.close()));
  await ana.join("MAIN");
  await ben.join("FIRE");
  for (const radio of [ana, ben, ana]) {
    await radio.talk(true);
    await new Promise((r) => setTimeout(r, 1_200)); // voice to record
    await radio.talk(false);
  }

  const i = await Incident.open(desk);
  await until("three recordings", async () => (await i.root.getByRole("button", { name: /^Play / }).count()) === 3);
  const list = await (await fetchAs(desk, "/api/timeline?kind=transmission&limit=50")).json();
  const talks = list.entries.filter((e) => e.recording);
  assert.deepEqual(talks.map((e) => e.name).sort(), ["Ana Ruiz", "Ana Ruiz", "Ben Okoye"]);

  // The mark has the first of them only.
  const first = talks.at(-1);
  await i.between(first.at - 2_000, talks[0].endedAt + 2_000);
  await i.drag("MAIN", first.at - 500, first.at + 900);
  const zip = await i.saved(t, "Export zip");
  const { names, read } = i.unpack(zip);
  const voices = names.filter((n) => /\.(ogg|webm)$/.test(n));
  assert.equal(voices.length, 1, names.join(" "));
  const there = Buffer.from(await (await fetchAs(desk, `/api/recordings/${first.id}.${first.recording.format}`)).arrayBuffer());
  assert.deepEqual(read(voices[0]), there);
  const told = JSON.stringify(JSON.parse(read(names.find((n) => n.endsWith("timeline.json")))));
  assert.ok(told.includes(first.id) && !told.includes("Ben Okoye"), told);

  // One that takes too long is given up, and the next one is made.
  const [asked, held] = [[], "**/api/recordings/export*"];
  await i.page.route(held, (route) => void asked.push(route));
  await i.button("Export zip").click();
  await until("it was asked for", () => asked.length === 1);
  assert.equal(await i.button("Listening file").isDisabled(), true);
  await i.button("Cancel").click();
  await i.root.getByRole("status").filter({ hasText: "Cancelled." }).waitFor();
  await i.button("Cancel").waitFor({ state: "detached" });
  await i.page.unroute(held);

  const voice = await i.saved(t, "Listening file");
  assert.match(voice.name, /^MAIN-.*\.ogg$/);
  assert.equal(readFileSync(voice.file).subarray(0, 4).toString(), "OggS");

  // It is played from the service.
  await i.root.getByRole("button", { name: /^Play Ana Ruiz/ }).first().click();
  await i.root.locator("li[aria-current=true]", { hasText: "Ana Ruiz" }).waitFor();
  await until("it was audited", async () => {
    const actions = (await service.audit()).entries.map((e) => e.action);
    return ["recording.fetch", "recording.export", "recording.mix"].every((a) => actions.includes(a));
  });
  await picture(desk.page, "incident-service");
  // Chromium may call a request so whose answer is not to be stored (Cache-Control: no-store)
  // and was read as a stream, also when it was read to its end: the file was compared above.
  desk.silent(/\/api\/recordings\/(export|mix)\S* net::ERR_ABORTED/);
});

/** What the service answers a console, with its session. */
async function fetchAs(desk, path) {
  const login = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ nacId: nacId, callsign: "CAD" }) };
  const who = await (await fetch(`${desk.service.url}/radio/dispatch/auth`, login)).json();
  const answer = await fetch(desk.service.url + path, { headers: { Authorization: `Bearer ${who.authToken}`, "X-Session-Id": who.sessionId } });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer;
}

test("at a service without a recorder, it says that no voice can be played", async (t) => {
  const service = await Service.start({});
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const desk = await Desk.open(browser, service, "D-1");
  const i = await Incident.open(desk);
  await i.root.getByText("Recording is off: voice cannot be played here.").waitFor();
  desk.silent();
  await desk.close();
});
