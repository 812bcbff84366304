// The administration in a real browser, by role and name: every change is checked at
// the running service.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { io } from "socket.io-client";
import { startBrowser } from "./browser.mjs";
import { accessible, picture } from "./eyes.mjs";
import { masterToken, nacId, Service } from "./service.mjs";
import { patience, until } from "./wait.mjs";

const password = "admin-of-the-browser-tests";
let browser, service;

before(async () => {
  service = await Service.start();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
});

/** One administrator at one page. Whatever the page complains about fails the test, unless it is listed. */
class Admin {
  complaints = [];

  static async open(options = {}, at = service) {
    const a = new Admin();
    a.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "dark", acceptDownloads: true, ...options });
    a.page = await a.context.newPage();
    a.page.setDefaultTimeout(patience);
    a.page.on("console", (m) => ["error", "warning"].includes(m.type()) && a.complaints.push(m.text()));
    a.page.on("pageerror", (e) => a.complaints.push(String(e)));
    await a.page.goto(`${at.url}/admin`);
    return a;
  }
  async login(word = password) {
    await this.page.getByLabel("Admin password").fill(word);
    await this.button("Log in").click();
  }
  button(name, within = this.page) {
    return within.getByRole("button", { name, exact: true });
  }
  field(name) {
    return this.page.getByLabel(name, { exact: true });
  }
  view(name) {
    return this.page.getByRole("navigation", { name: "Sections" }).getByRole("button", { name: new RegExp(`^${name}`) }).click();
  }
  async save() {
    await this.button("Save changes").click();
  }
  told(text) {
    return this.page.getByRole("status").filter({ hasText: text }).waitFor();
  }
  failed(text) {
    return this.page.getByRole("alert").filter({ hasText: text }).waitFor();
  }
  async accessible(what) {
    await accessible(this.page, what);
    await picture(this.page, `admin-${what.replaceAll(" ", "-")}`);
  }
  async close(...expected) {
    assert.deepEqual(this.complaints.filter((c) => !expected.some((e) => e.test(c))), []);
    await this.context.close();
  }
}

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
  const a = await Admin.open();
  await a.page.getByRole("heading", { name: "County administration" }).waitFor();
  await a.accessible("login");
  await a.login("guess");
  await a.failed("Wrong password");
  await a.login();
  await a.page.getByRole("heading", { name: "Zones and channels" }).waitFor();
  await a.accessible("zones");

  await a.field("Name of MAIN").fill("MAIN EAST");
  await a.button("Save changes").press("Enter");
  await a.told("Saved and sent to all radios.");
  assert.deepEqual(await channels(), ["MAIN EAST", "TAC", "STATE", "FIRE", "TRUNK"]);
  await refreshed; // a legacy client was told

  // A mistake is shown beside its field, which gets the focus, and nothing is
  // changed.
  await a.field("Frequency of TAC").fill("15x.815");
  await a.view("Volumes");
  await a.field("Voice volume, number").fill("80");
  await a.page.keyboard.press("Control+s");
  await a.failed("zones[1].channels[2].frequency must be a frequency");
  const wrong = a.page.getByRole("textbox", { name: "Frequency of TAC", exact: true });
  await wrong.waitFor();
  assert.ok(await wrong.evaluate((e) => e === document.activeElement && e.getAttribute("aria-invalid") === "true"));
  assert.match(await wrong.evaluate((e) => document.getElementById(e.getAttribute("aria-describedby")).textContent), /must be a frequency/);
  await a.accessible("mistake");
  assert.equal((await dispatch()).config.volumes.voiceVolume, 50);
  await wrong.fill("154.8150");
  await a.save();
  await a.told("Saved");
  const { config } = await dispatch();
  assert.deepEqual([config.volumes.voiceVolume, config.zones[0].channels[1].frequency, config.zones[0].channels[1].display], [80, "154.815", "154.8150"]);

  await a.button("Restore everything from file").click();
  await a.accessible("question");
  await a.button("Restore from file", a.page.getByRole("dialog")).click();
  await a.told("Everything is restored from the file.");
  assert.deepEqual(await channels(), ["MAIN", "TAC", "STATE", "FIRE", "TRUNK"]);
  assert.equal(await a.field("Name of MAIN").inputValue(), "MAIN");
  client.close();
  await a.close(/status of 40[01]/); // the guess and the mistake
});

test("rows are added, moved and removed by keyboard, in every section", async () => {
  const a = await Admin.open();
  await a.login();
  await a.button("Move channel TAC up").press("Enter");
  await until("focus moves with the row", () => a.page.evaluate(() => document.activeElement?.getAttribute("aria-label") === "Move channel TAC down"));
  await a.button("Remove channel STATE").press("Enter");
  await a.button("Add a channel to South").press("Enter");
  await a.field("Name of channel 3").fill("EMS");
  await a.field("Frequency of EMS").fill("463.000");
  await a.field("Type of EMS").selectOption("digital");
  await a.field("NAC ids that may talk on EMS").fill("EMS, LSFD");

  await a.view("Alerts");
  await a.button("Add an alert").press("Enter");
  const fresh = a.page.getByRole("region", { name: "Alert 4" });
  await fresh.getByLabel("Name", { exact: true }).fill("Mayday");
  await a.page.getByRole("region", { name: "Alert Mayday" }).getByLabel("Tone when raised").fill("ALERT_B");
  await a.accessible("alerts");

  await a.view("Tones");
  await a.button("Add a tone").press("Enter");
  await a.page.getByLabel(/^Name of tone/).last().fill("CHIME");
  await a.field("File of tone CHIME").fill("chime.wav");
  await a.accessible("tones");

  await a.view("Volumes");
  await a.page.getByRole("slider", { name: "Effects volume" }).fill("0");
  assert.equal(await a.field("Effects volume, number").inputValue(), "0");
  await a.accessible("volumes");

  await a.view("Announcement groups");
  await a.button("Add a group").press("Enter");
  await a.page.getByRole("region", { name: "Group 2" }).getByLabel("Name", { exact: true }).fill("Rescue");
  await a.page.getByRole("group", { name: "Channels of Rescue" }).getByLabel("EMS 463").check();
  await a.accessible("groups");

  await a.view("Codeplugs");
  await a.button("Add a codeplug").press("Enter");
  await a.page.getByRole("region", { name: "Codeplug codeplug-1" }).getByLabel("Id", { exact: true }).fill("medic");
  await a.page.getByRole("group", { name: "Zones of medic" }).getByLabel("South").check();
  await a.page.getByRole("slider", { name: "Announcement volume of medic" }).fill("40");
  await a.accessible("codeplugs");

  await a.view("Jobs");
  await a.button("Add a job").press("Enter");
  await a.field("Job 1").fill("EMS");
  await a.field("Codeplug of EMS").selectOption("medic");
  await a.accessible("jobs");
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
  await a.field("Job 1").fill("MEDIC");
  await service.stop("SIGKILL");
  await service.start();
  await a.save();
  await a.failed("Your session has ended. Log in again; your changes are still here.");
  await a.login();
  await a.save();
  await a.told("Saved");
  await a.button("Restore everything from file").click();
  await a.button("Restore from file", a.page.getByRole("dialog")).click();
  await a.told("Everything is restored from the file.");
  await a.close(/status of 401/);
});

test("two administrators do not overwrite each other, and nobody leaves unsaved changes by mistake", async () => {
  const [a, b] = [await Admin.open(), await Admin.open()];
  await a.login();
  await b.login();
  await b.field("Name of MAIN").fill("MAIN B");
  await a.view("Volumes");
  await a.field("3D audio volume, number").fill("10");
  await a.save();
  await a.told("Saved");
  await b.save();
  await b.failed("Somebody else has changed the configuration meanwhile");
  await b.button("Reload and keep my sections").click();
  await b.told("yours are not saved yet");
  await b.save();
  await b.told("Saved");
  const { config } = await dispatch();
  assert.deepEqual([config.zones[0].channels[0].name, config.volumes.default3DVolume], ["MAIN B", 10]);

  await b.field("Name of MAIN B").fill("MAIN C");
  const asked = new Promise((give) => b.page.once("dialog", (d) => d.dismiss().then(() => give(d.type()))));
  await b.page.goto(service.url).catch(() => undefined);
  assert.equal(await asked, "beforeunload");
  assert.equal(await b.field("Name of MAIN C").inputValue(), "MAIN C");
  await b.button("Log out").click();
  await b.button("Cancel", b.page.getByRole("dialog")).click();
  await b.button("Discard changes").click();
  assert.equal(await b.field("Name of MAIN B").inputValue(), "MAIN B");
  await b.button("Log out").click();
  await b.page.getByLabel("Admin password").waitFor();
  await a.close();
  await b.close(/status of 409/);
});

test("a session is ended, and the audit log has it all", async () => {
  const { who } = await dispatch();
  const console_ = io(service.url, { auth: { authToken: who.authToken, sessionId: who.sessionId, serverId: -3 }, transports: ["websocket"], forceNew: true });
  await new Promise((give) => console_.once("connect", give));
  await new Promise((give) => console_.emit("setSpeakerChannel", "154.755", give));
  const gone = new Promise((give) => console_.once("disconnect", give));
  const a = await Admin.open({ colorScheme: "light" });
  await a.login();
  await a.view("Sessions and users");
  const row = a.page.getByRole("table", { name: "Dispatcher sessions" }).getByRole("row").filter({ hasText: "-3" });
  await row.waitFor();
  await a.accessible("people");
  await a.button("End the session of CAD", row).click();
  await a.button("End session", a.page.getByRole("dialog")).click();
  await a.told("The session of CAD has ended.");
  assert.equal(await gone, "io server disconnect");
  await row.waitFor({ state: "detached" });

  await a.view("Audit log");
  await a.page.getByRole("cell", { name: "admin.session.revoke" }).first().waitFor();
  await a.accessible("audit");
  await a.button("Verify the audit chain").click();
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
  const a = await Admin.open({ permissions: ["clipboard-read", "clipboard-write"] });
  await a.login();
  await a.view("API keys");
  const table = a.page.getByRole("table", { name: "API keys" });
  await table.getByRole("cell", { name: "No API keys." }).waitFor();
  await a.field("Name of the new key").fill("CAD bridge");
  await a.page.getByRole("checkbox", { name: /^dispatch/ }).check();
  await a.button("Create key").press("Enter");
  await a.told("The key CAD bridge was created. Copy it now.");
  const shown = a.page.locator('[data-part="new-key"]');
  const key = await shown.innerText();
  assert.match(key, /^sqk_[\w-]{43}$/);
  await a.button("Copy the key").click();
  await a.page.getByRole("status").filter({ hasText: "Copied." }).waitFor();
  assert.equal(await a.page.evaluate(() => navigator.clipboard.readText()), key);
  await a.accessible("keys");

  // The name is taken; that is no conflict about the configuration.
  await a.field("Name of the new key").fill("cad bridge");
  await a.button("Create key").click();
  await a.failed("Another API key has this name");
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
  await a.button("Revoke the key CAD bridge", row).click();
  await a.button("Revoke key", a.page.getByRole("dialog")).click();
  await a.told("The key CAD bridge has been revoked.");
  assert.equal(await gone, "io server disconnect");
  assert.equal((await call("/api/status")).status, 401);
  await a.view("Audit log");
  const what = (text) => a.page.getByRole("row").filter({ hasText: text }).first().waitFor();
  await what(/admin.*admin\.key\.revoke.*CAD bridge/);
  await what(/CAD bridge.*rest.*broadcast/);
  await what(/admin.*admin\.key\.create.*CAD bridge/);
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

  const a = await Admin.open({}, scripted);
  await a.login();
  const cell = (row, text) => row.getByRole("cell", { name: text, exact: true }).waitFor();
  const row = (name) => a.page.getByRole("table", { name: "Scripts" }).getByRole("row").filter({ has: a.page.getByRole("rowheader", { name, exact: true }) });
  const why = a.page.getByRole("cell", { name: /^It does not run:/ });
  await until("both scripts have been started", async () => {
    await a.view("Volumes"); // and back: the list is that of the moment
    await a.view("Scripts");
    await row("greeter").waitFor();
    return (await row("greeter").getByRole("cell", { name: "running", exact: true }).count()) === 1 && (await why.count()) === 1;
  });
  await cell(row("greeter"), "greetings");
  await cell(row("greeter"), "radio:userConnected");
  await cell(row("roster"), "stopped");
  await why.filter({ hasText: "roster.lua:2:" }).waitFor();
  await a.told("2 scripts, 1 not running");
  await a.accessible("scripts");

  // Still wrong, in another line: that is no conflict about the configuration.
  write("roster.lua", "local units = {}\n\nunits.first.name = 'Ann'\n");
  await a.button("Restart roster").press("Enter");
  await a.failed("roster.lua:3:");
  await why.filter({ hasText: "roster.lua:3:" }).waitFor();
  assert.equal(await why.filter({ hasText: "roster.lua:2:" }).count(), 0);
  assert.equal(await a.button("Reload and keep my sections").count(), 0);

  write("roster.lua", "exports('units', function() return {} end)\n");
  await a.button("Restart roster").press("Enter");
  await a.told("roster has been read again and started.");
  await cell(row("roster"), "running");
  await cell(row("roster"), "units");
  assert.equal(await why.count(), 0);
  await cell(row("greeter"), "running");
  await a.page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await a.page.evaluate(sideways), []);
  await a.close(/status of 409/);

  // Where there are none, the page says how to add some.
  const none = await Admin.open();
  await none.login();
  await none.view("Scripts");
  await none.page.getByRole("region", { name: "No scripts" }).getByText("Config.scripts = {").waitFor();
  await none.page.getByText("handbook/scripts.md").waitFor();
  await none.accessible("no scripts");
  await none.close();
});

/** What extends beyond the window without scrolling by itself. */
function sideways() {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  const out = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth);
  return out.map((e) => `${e.tagName} ${e.className} ${e.id}`).concat("the page scrolls sideways");
}

test("the page fits a phone", async () => {
  const a = await Admin.open({ viewport: { width: 390, height: 844 } });
  await a.login();
  await a.page.getByRole("heading", { name: "Zones and channels" }).waitFor();
  assert.deepEqual(await a.page.evaluate(sideways), []);
  await a.accessible("phone");
  await a.close();
});
