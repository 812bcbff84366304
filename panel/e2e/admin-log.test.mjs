// The service's log in the administration, as it is written.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { Admin } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { nacId, Service } from "./service.mjs";

let browser, service;

before(async () => {
  service = await Service.start({ more: ["--log-level", "debug"] });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("the log follows the service, finds, and can be paused", async () => {
  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("Log");
  const rows = a.page.getByRole("table", { name: "Log" }).locator("tbody tr");
  const login = (callsign, nac) => fetch(`${service.url}/radio/dispatch/auth`, { method: "POST", body: JSON.stringify({ nacId: nac, callsign }) });
  await rows.filter({ hasText: "admin.login" }).first().waitFor();
  await login("WEST", nacId);
  await rows.filter({ hasText: "login surface=rest by=WEST" }).waitFor();
  await login("<b>THIEF</b>", "a-wrong-code");
  await rows.filter({ hasText: "login.refused surface=rest by=<b>THIEF</b>" }).waitFor(); // as text
  assert.match(await rows.first().innerText(), /THIEF/, "the newest line is the first");
  assert.doesNotMatch(await a.page.locator("table").innerText(), /a-wrong-code/);

  await a.field("Find").fill("rest west");
  await rows.filter({ hasText: "THIEF" }).waitFor({ state: "detached" });
  assert.equal(await rows.count(), 1);
  await a.field("Find").fill("");
  await a.field("Up to").selectOption("info");
  await rows.filter({ hasText: "THIEF" }).waitFor({ state: "detached" });
  await a.field("Up to").selectOption("verbose");

  await a.button("Pause").click();
  await login("EAST", nacId);
  await login("NORTH", nacId);
  await a.button("Follow").click();
  await rows.filter({ hasText: "by=NORTH" }).waitFor();
  assert.equal(await rows.filter({ hasText: "by=EAST" }).count(), 1, "what was written meanwhile comes too");
  await a.accessible("log");
  await a.close(/status of 401/);
});
