// Two radios of one host in one browser, told apart by their path.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { Admin, password } from "./admin.mjs";
import { Desk, startBrowser, used } from "./browser.mjs";
import { nacId, Service } from "./service.mjs";

const folder = mkdtempSync(join(tmpdir(), "squelch-radios-"));
let browser, service;

before(async () => {
  const from = new URL("config.lua", import.meta.url);
  copyFileSync(from, join(folder, "county.lua"));
  copyFileSync(from, join(folder, "config.lua"));
  writeFileSync(join(folder, "config.lua"), '\nConfig.radios = { county = "county.lua" }\n', { flag: "a" });
  writeFileSync(join(folder, "county.lua"), '\nConfig.serverName = "The County"\nConfig.adminPassword = "admin-of-the-county"\n', { flag: "a" });
  service = await Service.start({ config: join(folder, "config.lua") });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** One tab: its radio is told by the path. */
async function open(context, path, callsign) {
  const d = new Desk();
  d.service = service;
  d.context = context;
  d.page = await context.newPage();
  d.watch();
  await d.page.goto(service.url + path);
  if (callsign) await d.login(callsign);
  return d;
}

test("consoles of two radios in one browser share nothing", async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, permissions: ["microphone"] });
  await context.addInitScript(used);
  await context.addInitScript(() => localStorage.setItem("/r/county/squelch.desk", localStorage.getItem("/r/county/squelch.desk") ?? '{"first":"done","zoom":1}'));
  const county = await open(context, "/r/county", "COUNTY");
  assert.equal(new URL(county.page.url()).pathname, "/r/county/", "with the slash, beside which its files are");
  const main = await open(context, "/");
  await main.page.getByLabel("Access code (NAC ID)").waitFor(); // the login of the county is not this radio's
  await main.login("MAIN");
  const users = async (path) => {
    const login = await (await fetch(`${service.url + path}/radio/dispatch/auth`, { method: "POST", body: JSON.stringify({ nacId, callsign: "CAD" }) })).json();
    const answer = await fetch(`${service.url + path}/radio/dispatch/status`, { headers: { Authorization: `Bearer ${login.authToken}`, "X-Session-Id": login.sessionId } });
    return JSON.stringify((await answer.json()).users);
  };
  const [here, there] = [await users("/r/county"), await users("")];
  assert.match(here, /COUNTY/);
  assert.doesNotMatch(here, /MAIN/);
  assert.match(there, /MAIN/);
  assert.doesNotMatch(there, /COUNTY/);
  for (const d of [county, main]) {
    await d.page.reload();
    await d.ready(); // each with its own session
    d.silent();
  }
  await context.close();
});

test("the host's administration lists its radios, another radio's does not", async () => {
  const a = await Admin.open(browser, service);
  await a.login(password);
  await a.view("Radios");
  await a.row("county").filter({ hasText: "The County" }).filter({ hasText: "On the air" }).waitFor();
  await a.open("county");
  await a.page.getByText("/r/county/", { exact: true }).waitFor();
  await a.close();

  const county = await Admin.open(browser, { url: `${service.url}/r/county` });
  await county.login("admin-of-the-county");
  await county.view("Radios");
  await county.page.getByText("lists its radios").waitFor();
  await county.view("Zones");
  await county.close();
});
