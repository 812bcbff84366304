// The administration in a real browser, by role and name: every change is checked at
// the running service.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { io } from "socket.io-client";
import { Admin, sideways } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { masterToken, nacId, Service } from "./service.mjs";
import { until } from "./wait.mjs";

let browser, service;

before(async () => {
  service = await Service.start();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
});

/** The configuration as a dispatcher gets it. */
async function dispatch() {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ nacId, callsign: "CAD" }) };
  const who = await (await fetch(`${service.url}/radio/dispatch/auth`, post)).json();
  const headers = { Authorization: `Bearer ${who.authToken}`, "X-Session-Id": who.sessionId };
  return { who, config: await (await fetch(`${service.url}/radio/dispatch/config`, { headers })).json() };
}
const channels = async () => (await dispatch()).config.zones.flatMap((z) => z.channels.map((c) => c.name));

test("an administrator renames a channel, corrects a mistake, and restores the file", async () => {
  const client = io(service.url, { auth: { authToken: masterToken, serverId: -9 }, transports: ["websocket"], forceNew: true });
  const refreshed = new Promise((give) => client.once("configRefresh", give));
  await new Promise((give) => client.once("connect", give));
  await new Promise((give) => client.emit("setSpeakerChannel", "154.755", give));
  const a = await Admin.open(browser, service);
  await a.page.getByRole("heading", { name: "County administration" }).waitFor();
  await a.accessible("login");
  await a.login("guess");
  await a.failed("Wrong name or password");
  await a.login();
  await a.page.getByRole("heading", { name: "Zones and channels" }).waitFor();
  await a.accessible("zones");

  await a.open("MAIN");
  await a.field("Channel").fill("MAIN EAST");
  await a.accessible("sheet");
  await a.leave();
  assert.equal(await a.focused(), "MAIN EAST", "focus returns to the row");
  await a.row("MAIN EAST").filter({ hasText: "unsaved" }).waitFor();
  await a.button("Save").press("Enter");
  await a.told("Saved and sent to all radios.");
  assert.deepEqual(await channels(), ["MAIN EAST", "TAC", "STATE", "FIRE", "TRUNK"]);
  await refreshed; // a legacy client was told

  // A mistake is shown beside its field when the field is left.
  await a.open("TAC");
  await a.field("Frequency").fill("15x.815");
  assert.equal(await a.page.getByText("Must be a frequency in MHz").count(), 0, "not while it is typed");
  await a.page.keyboard.press("Tab");
  await a.page.getByText("Must be a frequency in MHz").waitFor();
  await a.leave();
  await a.row("TAC").filter({ hasText: "needs correction" }).waitFor();

  // Saving opens its sheet and focuses it, and nothing is changed.
  await a.view("Volumes");
  await a.button("Voice volume").click();
  await a.field("Voice volume, number").fill("80");
  // The key is pressed before the browser reports that this sheet has closed. The sheet that it opens must stay.
  await a.page.getByRole("dialog").evaluate(async (dialog) => {
    dialog.querySelector("button.strong").click();
    for (let turn = 0; turn < 5; turn++) await null;
    dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true }));
  });
  await a.sheet("TAC");
  const wrong = a.page.getByRole("textbox", { name: "Frequency", exact: true });
  await until("the field has the focus", () => wrong.evaluate((e) => e === document.activeElement && e.getAttribute("aria-invalid") === "true"));
  assert.match(await wrong.evaluate((e) => e.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join()), /Must be a frequency/);
  await a.accessible("mistake");
  assert.equal((await dispatch()).config.volumes.voiceVolume, 50);
  await wrong.fill("154.8150");
  await a.leave();
  await a.save();
  await a.told("Saved");
  const { config } = await dispatch();
  assert.deepEqual([config.volumes.voiceVolume, config.zones[0].channels[1].frequency, config.zones[0].channels[1].display], [80, "154.815", "154.8150"]);

  await a.view("File and restore");
  await a.button("Restore all from file…").click();
  await a.accessible("question");
  await a.button("Cancel", a.page.getByRole("dialog")).click();
  await a.restore();
  assert.deepEqual(await channels(), ["MAIN", "TAC", "STATE", "FIRE", "TRUNK"]);
  await a.view("Zones and channels");
  await a.row("MAIN").waitFor();
  client.close();
  await a.close(/status of 40[01]/); // the guess
});

test("what only the service can see is shown at its field too", async () => {
  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("Alerts");
  await a.open("Ping");
  // The page leaves this to the service, which has the limit.
  await a.field("Text of the clear key").fill("x".repeat(20_000));
  await a.leave();
  await a.save();
  await a.sheet("Ping");
  await a.page.getByRole("dialog").getByText(/bytes/).waitFor();
  await a.field("Text of the clear key").fill("END");
  await a.leave();
  await a.save();
  await a.told("Saved");
  assert.equal((await dispatch()).config.alerts[1].deactivateLabel, "END");
  await a.restore();
  await a.close(/status of 400/);
});

test("changes are reviewed as sentences before they are saved, or discarded", async () => {
  const a = await Admin.open(browser, service);
  await a.login();
  const bar = (text) => a.page.getByRole("button", { name: text, exact: true });
  await bar("No unsaved changes").waitFor();
  await a.open("TAC");
  await a.field("Channel").fill("TAC 1");
  await a.button("Move TAC 1 up").click();
  await a.leave();
  await a.open("STATE");
  await a.button("Remove STATE").click();
  await bar("3 unsaved changes – Review").press("Enter");
  const review = a.page.getByRole("dialog", { name: "3 unsaved changes" });
  await review.waitFor();
  const lines = await review.getByRole("listitem").allInnerTexts();
  const told = lines.map((l) => l.replace(/\s+/g, " ").trim());
  assert.deepEqual(told, [
    "TAC 1 (North): Channel Old: TAC New: TAC 1",
    "Removed: channel STATE from North",
    "Order of channels in North Old: MAIN, TAC New: TAC 1, MAIN",
  ]);
  await a.accessible("review");
  await a.button("Discard", review).click();
  await a.told("Changes discarded.");
  await bar("No unsaved changes").waitFor();
  await a.row("STATE").waitFor();

  // A new row that nobody fills in is no change.
  await a.button("Add channel to North").click();
  await a.sheet("New");
  await a.leave();
  await bar("No unsaved changes").waitFor();
  await until("focus returns", async () => (await a.focused()) === "Add channel to North");

  await a.open("MAIN");
  await a.field("Channel").fill("MAIN 2");
  await a.leave();
  await bar("1 unsaved change – Review").click();
  await a.button("Save", a.page.getByRole("dialog")).click();
  await a.told("Saved and sent to all radios.");
  assert.equal((await channels())[0], "MAIN 2");
  await a.restore();
  await a.close();
});

test("rows are added, moved and removed by keyboard, in every section", async () => {
  const a = await Admin.open(browser, service);
  await a.login();
  await a.button("TAC").press("Enter");
  await a.sheet("TAC");
  assert.equal(await a.page.evaluate(() => document.activeElement.id), "zones[1].channels[2].name", "the first field has the focus");
  await a.button("Move TAC up").press("Enter");
  await until("focus stays with the keys", async () => (await a.focused()) === "Move TAC down");
  // The keyboard stays in the sheet.
  for (let i = 0; i < 30; i++) {
    await a.page.keyboard.press("Tab");
    assert.ok(await a.page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog") !== null), "the focus left the sheet");
  }
  await a.leave();
  await a.button("STATE").press("Enter");
  await a.button("Remove STATE").press("Enter");
  await a.button("Add channel to South").press("Enter");
  await a.field("Channel").fill("EMS");
  await a.field("Frequency").fill("463.000");
  await a.field("Type").selectOption("digital");
  await a.field("May talk").fill("EMS, LSFD");
  await a.leave();

  await a.view("Alerts");
  await a.button("Add alert").press("Enter");
  await a.field("Name").fill("Mayday");
  await a.field("Tone when raised").fill("ALERT_B");
  await a.accessible("alert");
  await a.leave();
  await a.accessible("alerts");

  await a.view("Tones");
  await a.button("Add tone").press("Enter");
  await a.field("Name").fill("CHIME");
  await a.field("File").fill("chime.wav");
  await a.leave();
  await a.accessible("tones");

  await a.view("Volumes");
  await a.button("Effects volume").press("Enter");
  await a.page.getByRole("slider", { name: "Effects volume" }).fill("0");
  assert.equal(await a.field("Effects volume, number").inputValue(), "0");
  await a.accessible("volumes");
  await a.leave();

  await a.view("Announcement groups");
  await a.button("Add group").press("Enter");
  await a.field("Name").fill("Rescue");
  await a.page.getByRole("group", { name: "Channels" }).getByLabel("EMS 463").check();
  await a.accessible("groups");
  await a.leave();

  await a.view("Codeplugs");
  await a.button("Add codeplug").press("Enter");
  await a.field("ID").fill("medic");
  await a.page.getByRole("group", { name: "Zones (none: all)" }).getByLabel("South").check();
  await a.page.getByRole("slider", { name: "Announcement volume" }).fill("40");
  await a.accessible("codeplugs");
  await a.leave();

  await a.view("Job codeplugs");
  await a.button("Add job").press("Enter");
  await a.field("Job").fill("EMS");
  await a.field("Codeplug").selectOption("medic");
  await a.accessible("jobs");
  await a.leave();
  await a.save();
  await a.told("Saved");

  const { config } = await dispatch();
  assert.deepEqual(config.zones.map((z) => z.channels.map((c) => c.name)), [["TAC", "MAIN"], ["FIRE", "TRUNK", "EMS"]]);
  assert.deepEqual([config.zones[1].channels[2].frequency, config.zones[1].channels[2].allowedNacs], ["463", ["EMS", "LSFD"]]);
  assert.deepEqual(config.alerts.at(-1).tones, { activate: "ALERT_B" });
  assert.deepEqual(config.tones.at(-1), { name: "CHIME", file: "chime.wav" });
  assert.equal(config.volumes.sfxVolume, 0);
  assert.deepEqual(config.announcementGroups.at(-1).frequencies, ["463"]);

  // What was saved is there after a crash, and the page still knows what it shows.
  await a.button("EMS").click();
  await a.field("Job").fill("MEDIC");
  await a.leave();
  await service.stop("SIGKILL");
  await service.start();
  await a.save();
  await a.failed("Your session ended. Sign in again; your changes are still here.");
  await a.login();
  await a.save();
  await a.told("Saved");
  await a.restore();
  await a.close(/status of 401/);
});

test("two administrators do not overwrite each other, and nobody leaves unsaved changes by mistake", async () => {
  const [a, b] = [await Admin.open(browser, service), await Admin.open(browser, service)];
  await a.login();
  await b.login();
  const rename = async (who, from, to) => {
    await who.open(from);
    await who.field("Channel").fill(to);
    await who.leave();
  };
  await rename(b, "MAIN", "MAIN B");
  await a.view("Volumes");
  await a.button("3D audio volume").click();
  await a.field("3D audio volume, number").fill("10");
  await a.leave();
  await a.save();
  await a.told("Saved");
  await b.save();
  await b.failed("Someone else has changed the configuration in the meantime.");
  await b.button("Reload and keep my sections").click();
  await b.told("Your changes are kept, and not saved yet.");
  await b.save();
  await b.told("Saved");
  const { config } = await dispatch();
  assert.deepEqual([config.zones[0].channels[0].name, config.volumes.default3DVolume], ["MAIN B", 10]);

  await rename(b, "MAIN B", "MAIN C");
  const asked = new Promise((give) => b.page.once("dialog", (d) => d.dismiss().then(() => give(d.type()))));
  await b.page.goto(service.url).catch(() => undefined);
  assert.equal(await asked, "beforeunload");
  await b.row("MAIN C").waitFor();
  await b.button("Sign out").click();
  await b.button("Cancel", b.page.getByRole("dialog")).click();
  await b.button("1 unsaved change – Review").click();
  await b.button("Discard", b.page.getByRole("dialog")).click();
  await b.row("MAIN B").waitFor();
  await b.restore();
  await b.button("Sign out").click();
  await b.page.getByLabel("Administrator password").waitFor();
  await a.close();
  await b.close(/status of 409/);
});

test("a session is ended, and the audit log has it all", async () => {
  const { who } = await dispatch();
  const console_ = io(service.url, { auth: { authToken: who.authToken, sessionId: who.sessionId, serverId: -3 }, transports: ["websocket"], forceNew: true });
  await new Promise((give) => console_.once("connect", give));
  await new Promise((give) => console_.emit("setSpeakerChannel", "154.755", give));
  const gone = new Promise((give) => console_.once("disconnect", give));
  const a = await Admin.open(browser, service, { colorScheme: "light" });
  await a.login();
  await a.view("Units on the radio");
  await a.page.getByRole("table", { name: "Units on the radio" }).getByRole("row").filter({ hasText: "MAIN" }).filter({ hasText: "-3" }).waitFor();
  await a.accessible("units");
  await a.view("Dispatchers signed in");
  const row = a.page.getByRole("table", { name: "Dispatchers signed in" }).getByRole("row").filter({ hasText: "-3" });
  await row.waitFor();
  await a.accessible("dispatchers");
  await a.button("CAD", row).click();
  await a.accessible("dispatcher");
  await a.button("End session of CAD").click();
  await a.button("End session", a.page.getByRole("dialog").filter({ hasText: "signed out everywhere" })).click();
  await a.told("The session of CAD has ended.");
  assert.equal(await gone, "io server disconnect");
  await row.waitFor({ state: "detached" });

  await a.view("Audit log");
  await a.button("The administrator ended the session of CAD").first().waitFor();
  await a.accessible("audit");
  await a.button("Verify audit chain").click();
  await a.told(/Entries 1 to \d+ are intact/);
  const [file] = await Promise.all([a.page.waitForEvent("download"), a.page.getByRole("link", { name: "Download as CSV" }).click()]);
  assert.equal(file.suggestedFilename(), "squelch-audit.csv");
  const rows = readFileSync(await file.path(), "utf8").split("\r\n");
  assert.equal(rows[0], "seq,time,actor_id,actor_name,surface,action,frequency,target,detail");
  assert.ok(rows.some((r) => r.includes(",admin,admin.session.revoke,,CAD,")), rows.slice(-5).join("\n"));
  console_.close();
  await a.close();
});

test("an API key is made, shown once, used, and revoked", async () => {
  const a = await Admin.open(browser, service, { permissions: ["clipboard-read", "clipboard-write"] });
  await a.login();
  await a.view("API keys");
  const table = a.page.getByRole("table", { name: "API keys" });
  await table.getByRole("cell", { name: "No API keys" }).waitFor();
  await a.button("Add API key").click();
  await a.field("Name").fill("CAD bridge");
  await a.page.getByRole("checkbox", { name: /^dispatch/ }).check();
  await a.accessible("new key");
  await a.button("Create key").press("Enter");
  await a.told("The key CAD bridge was created. Copy it now.");
  const shown = a.page.locator('[data-part="new-key"]');
  const key = await shown.innerText();
  assert.match(key, /^sqk_[\w-]{43}$/);
  await a.button("Copy key").click();
  await a.page.getByRole("status").filter({ hasText: "Copied." }).waitFor();
  assert.equal(await a.page.evaluate(() => navigator.clipboard.readText()), key);
  await a.accessible("keys");

  // The name is taken: it says so at the field, and is no conflict about the configuration.
  await a.button("Add API key").click();
  await a.field("Name").fill("cad bridge");
  await a.button("Create key").click();
  await a.page.getByRole("dialog").getByText("Another API key has this name").waitFor();
  assert.equal(await a.field("Name").getAttribute("aria-invalid"), "true");
  await a.leave();
  assert.equal(await a.button("Reload and keep my sections").count(), 0);

  const bearer = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const call = (path, body) => fetch(service.url + path, { headers: bearer, ...(body && { method: "POST", body: JSON.stringify(body) }) });
  assert.equal((await call("/api/status")).status, 200);
  assert.equal((await call("/radio/dispatch/broadcast", { message: "Shift change" })).status, 200);
  const bot = io(service.url, { auth: { authToken: key, serverId: -6 }, transports: ["websocket"], forceNew: true });
  await new Promise((give) => bot.once("connect", give));
  await new Promise((give) => bot.emit("setSpeakerChannel", "154.755", give));
  const refused = await new Promise((give) => bot.emit("setTalking", true, give));
  assert.deepEqual(refused, { success: false, error: 'This API key lacks the scope "talk"' });

  // In another view, or after a reload, nobody can show it again.
  await a.page.reload();
  await a.view("API keys");
  const row = table.getByRole("row").filter({ hasText: "CAD bridge" });
  await row.filter({ hasText: "read, dispatch" }).filter({ hasText: "-6" }).waitFor();
  assert.equal(await row.filter({ hasText: "never" }).count(), 0);
  assert.equal(await shown.count(), 0);
  assert.ok(!(await a.page.content()).includes(key.slice(4)));

  const gone = new Promise((give) => bot.once("disconnect", give));
  await a.button("CAD bridge", row).click();
  await a.button("Revoke key CAD bridge").click();
  await a.button("Revoke key", a.page.getByRole("dialog").filter({ hasText: "Revoke the key CAD bridge?" })).click();
  await a.told("The key CAD bridge has been revoked.");
  assert.equal(await gone, "io server disconnect");
  assert.equal((await call("/api/status")).status, 401);
  await a.view("Audit log");
  const what = (text) => a.page.getByRole("row").filter({ hasText: text }).first().waitFor();
  await what("The administrator revoked the API key CAD bridge");
  await what("CAD bridge sent a message to all units: Shift change");
  await what("The administrator created the API key CAD bridge");
  bot.close();
  await a.close(/status of 409/);
});

test("a script that fails is shown with its error, mended on disk and restarted", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "squelch-scripts-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write("config.lua", `${readFileSync(service.config, "utf8")}\nConfig.scripts = { "roster.lua", "greeter.lua" }\n`);
  write("roster.lua", "local units = {}\nunits.first.name = 'Ann'\n");
  write("greeter.lua", "AddEventHandler('radio:userConnected', function() end)\nexports('greetings', function() return 0 end)\n");
  const scripted = await Service.start({ config: join(folder, "config.lua") });
  t.after(() => scripted.end());

  const a = await Admin.open(browser, scripted);
  await a.login();
  const row = (name) => a.page.getByRole("table", { name: "Scripts" }).getByRole("row").filter({ has: a.page.getByRole("rowheader", { name, exact: true }) });
  const why = a.page.getByRole("cell", { name: /It does not run:/ });
  await until("both scripts have been started", async () => {
    await a.view("Volumes"); // and back: the list is that of the moment
    await a.view("Scripts");
    await row("greeter").waitFor();
    return (await row("greeter").getByRole("cell", { name: "running", exact: true }).count()) === 1 && (await why.count()) === 1;
  });
  await a.open("greeter");
  await a.page.getByRole("dialog").getByText("greetings").waitFor();
  await a.page.getByRole("dialog").getByText("radio:userConnected").waitFor();
  await a.accessible("script");
  await a.leave();
  await row("roster").filter({ hasText: "stopped" }).waitFor();
  await why.filter({ hasText: "roster.lua:2:" }).waitFor();
  await a.told("2 scripts, 1 not running");
  await a.accessible("scripts");

  // Still wrong, in another line: that is no conflict about the configuration.
  write("roster.lua", "local units = {}\n\nunits.first.name = 'Ann'\n");
  await a.open("roster");
  await a.button("Restart roster").press("Enter");
  await why.filter({ hasText: "roster.lua:3:" }).waitFor();
  await a.page.getByRole("dialog").getByText("roster.lua:3:").first().waitFor();
  assert.equal(await why.filter({ hasText: "roster.lua:2:" }).count(), 0);
  assert.equal(await a.button("Reload and keep my sections").count(), 0);

  write("roster.lua", "exports('units', function() return {} end)\n");
  await a.button("Restart roster").press("Enter");
  await a.page.getByRole("dialog").getByRole("status").filter({ hasText: "roster has been restarted." }).waitFor();
  await a.page.getByRole("dialog").getByText("units").waitFor();
  await a.leave();
  await row("roster").getByRole("cell", { name: "running", exact: true }).waitFor();
  assert.equal(await why.count(), 0);
  await row("greeter").getByRole("cell", { name: "running", exact: true }).waitFor();
  await a.page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await a.page.evaluate(sideways), []);
  await a.close(/status of 409/);

  // Where there are none, the page says how to add some.
  const none = await Admin.open(browser, service);
  await none.login();
  await none.view("Scripts");
  await none.page.getByRole("region", { name: "No scripts" }).getByText("Config.scripts = {").waitFor();
  await none.page.getByText("handbook/scripts.md").waitFor();
  await none.accessible("no scripts");
  await none.close();
});

/** A person with a radio; it raises and ends what a story needs. */
async function unit(serverId, name, frequency) {
  const { playerToken } = await service.post("/api/player/connect", { serverId, name });
  const radio = io(service.url, { auth: { authToken: playerToken, serverId }, transports: ["websocket"], forceNew: true });
  await new Promise((give) => radio.once("connect", give));
  await new Promise((give) => radio.emit("setSpeakerChannel", frequency, give));
  return radio;
}

test("the audit log tells in sentences what happened, is searched, and shows what a change changed", async () => {
  const radio = await unit(7, "Ana Ruiz", "154.28");
  await new Promise((give) => radio.emit("panic", { frequency: "154.28", enabled: true }, give));
  const { who } = await dispatch();
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${who.authToken}`, "X-Session-Id": who.sessionId };
  const desk = async (path, body) => {
    const r = await fetch(`${service.url}/radio/dispatch/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(r.status, 200, `${path}: ${await r.clone().text()}`);
  };
  const [{ id }] = (await service.status()).emergencies;
  await desk("emergency/acknowledge", { id });
  await desk("emergency/close", { id, reason: "accidental", note: "dropped it" });
  await desk("broadcast", { message: "Shift change" });

  const a = await Admin.open(browser, service);
  await a.login();
  await a.open("FIRE");
  await a.field("Channel").fill("FIRE DISP");
  await a.leave();
  await a.save();
  await a.told("Saved");
  await a.view("Audit log");
  const sentence = (text) => a.page.getByRole("rowheader").filter({ hasText: text });
  await sentence(/^Ana Ruiz raised an emergency on FIRE DISP$/).first().waitFor();
  await sentence(/^CAD acknowledged the emergency of Ana Ruiz on FIRE DISP after 0:\d\d$/).waitFor();
  await sentence(/^CAD closed the emergency of Ana Ruiz on FIRE DISP after 0:\d\d: accidental, dropped it$/).waitFor();

  // Old and new, value by value.
  await sentence("The administrator changed the configuration: Zones and channels").first().getByRole("button").click();
  const sheet = a.page.getByRole("dialog", { name: /^Entry \d+$/ });
  const change = sheet.getByRole("listitem").filter({ hasText: "FIRE DISP (South): Channel" });
  assert.deepEqual([await change.locator("del").innerText(), await change.locator("ins").innerText()], ["FIRE", "FIRE DISP"]);
  await a.accessible("audit entry");
  await a.leave();

  await a.field("Search").fill("ana emergency");
  await a.field("Search").press("Enter");
  await sentence("Shift change").first().waitFor({ state: "detached" });
  await sentence(/^CAD closed the emergency of Ana Ruiz/).waitFor();
  await a.button("Show all").click();
  await sentence("Shift change").first().waitFor();
  await a.field("Kind").selectOption("Messages");
  await sentence("emergency").first().waitFor({ state: "detached" });
  await sentence("Shift change").first().waitFor();
  await a.button("Show all").click();
  await sentence(/^CAD closed/).waitFor();
  await a.field("To").fill("2020-01-01");
  await a.page.getByRole("cell", { name: "No audit entries" }).waitFor();
  await a.button("Show all").click();
  const today = await a.page.evaluate(() => new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10));
  await a.field("From").fill(today);
  await sentence(/^CAD closed/).waitFor();

  // A long log comes page by page.
  await a.button("Show all").click();
  for (let i = 0; i < 60; i++) await desk("broadcast", { message: `Message ${i}` });
  await a.button("Refresh").click();
  await sentence("Message 59").waitFor();
  assert.equal(await a.page.getByRole("rowheader").count(), 50);
  assert.equal(await sentence("Message 5$").count(), 0);
  await a.button("Show older").click();
  await until("the older ones are there", async () => (await a.page.getByRole("rowheader").count()) > 60);
  await sentence(/Message 5$/).waitFor();
  radio.close();
  await a.restore();
  await a.close();
});

test("a layout of this browser's console is published and withdrawn", async () => {
  const a = await Admin.open(browser, service);
  await a.page.evaluate(() => {
    const layout = { name: "Night shift", order: ["154.755"], scans: { 154.755: 1 }, targets: ["154.755"], filter: "mine", zoom: "fit", density: "comfortable", rail: { width: 360, split: 0.5 } };
    localStorage.setItem("squelch.desk", JSON.stringify({ callsign: "CAD", layouts: [layout] }));
  });
  await a.page.reload();
  await a.login();
  await a.view("Layouts");
  await a.accessible("layouts");
  await a.button("Publish Night shift").click();
  await a.save();
  await a.told("Saved");
  assert.deepEqual((await dispatch()).config.layouts.map((l) => [l.name, l.targets]), [["Night shift", ["154.755"]]]);
  await a.open("Night shift");
  await a.accessible("layout");
  await a.leave();
  await a.button("Withdraw Night shift").click();
  await a.save();
  await a.told("Saved");
  assert.deepEqual((await dispatch()).config.layouts, []);
  await a.restore();
  await a.close();
});
