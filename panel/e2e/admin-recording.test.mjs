// Recordings in the administration, in a real browser with the real service: how much is
// there, and the deletion of what a unit said.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { Admin, sideways } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";
import { until } from "./wait.mjs";

let browser, folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "squelch-recorder-"));
  writeFileSync(join(folder, "config.lua"), `${readFileSync(new URL("config.lua", import.meta.url), "utf8")}\nConfig.recording = { channels = { "MAIN" }, days = 14 }\n`);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The fact of that name. */
const fact = (a, name) => a.page.locator(`dt:text-is("${name}") + dd`).textContent();

test("what is recorded is shown, and a unit's recordings are deleted after a look at how many", async (t) => {
  const service = await Service.start({ config: join(folder, "config.lua") });
  t.after(() => service.end());
  const ana = await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD" });
  const ben = await Radio.connect(service, 8, "Ben Okoye", { nacId: "LSFD" });
  t.after(() => [ana, ben].forEach((r) => r.close()));
  for (const r of [ana, ben]) await r.join("MAIN");
  for (const r of [ana, ben, ana]) {
    await r.talk(true);
    await new Promise((go) => setTimeout(go, 600)); // voice to record
    await r.talk(false);
  }
  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("Recording");
  await until("three recordings", async () => {
    await a.button("Refresh").click();
    return (await fact(a, "Recordings")) === "3";
  });
  assert.deepEqual([await fact(a, "State"), await fact(a, "Recorded channels"), await fact(a, "Kept for")], ["Recording", "MAIN 154.755", "14 days"]);
  assert.match(await fact(a, "Space used"), /^[\d.]+ (bytes|kB) of [\d.]+ GB$/);
  assert.match(await fact(a, "Free on the disk"), /GB|MB/);
  await a.accessible("recording");
  await a.field("Look").selectOption("Day");
  await a.accessible("recording day");

  await a.button("Delete…").click();
  await a.page.getByText("Enter a unit ID, a name, or both.").waitFor();
  assert.equal(await a.field("Unit ID").evaluate((f) => f === document.activeElement), true);
  await a.field("Name").fill("Nobody");
  await a.button("Delete…").click();
  await a.told("No recordings match.");
  await a.field("Name").fill("ana ruiz");
  await a.button("Delete…").click();
  const sure = a.page.getByRole("dialog").filter({ hasText: /^Delete 2 recordings of ana ruiz, [\d.]+ (bytes|kB)\? This cannot be undone\./ });
  await a.button("Cancel", sure).click();
  await a.button("Refresh").click();
  assert.equal(await fact(a, "Recordings"), "3");
  await a.button("Delete…").click();
  await a.accessible("recording delete");
  await a.button("Delete for good", sure).click();
  await a.told("2 recordings have been deleted.");
  assert.equal(await fact(a, "Recordings"), "1");
  await a.view("Audit log");
  await a.button("The administrator deleted recordings of ana ruiz: 2").waitFor();
  await a.close();

  const phone = await Admin.open(browser, service, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await phone.login();
  await phone.view("Recording");
  await phone.page.getByText("Recorded channels", { exact: true }).waitFor();
  assert.deepEqual(await phone.page.evaluate(sideways), []);
  await phone.accessible("recording phone");
  await phone.close();
});

test("a recorder that is off says how to switch it on, also in German", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("Recording");
  await a.page.getByRole("heading", { name: "The recorder is off" }).waitFor();
  assert.equal(await a.button("Delete…").count(), 0);
  await a.accessible("recording off");
  await a.page.getByLabel("Language").selectOption("de");
  await a.page.getByRole("heading", { name: "Der Rekorder ist aus" }).waitFor();
  await a.close();
});
