// The administration in all looks, in both languages and on a phone.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { Admin, password, sideways } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { accessible } from "./eyes.mjs";
import { Service } from "./service.mjs";

let browser, service;

before(async () => {
  service = await Service.start();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("look and language are those of the console, and all is in German too", async () => {
  const a = await Admin.open(browser, service, { locale: "de-DE" });
  await a.page.getByRole("heading", { name: "Verwaltung County" }).waitFor();
  assert.equal(await a.page.evaluate(() => document.documentElement.lang), "de");
  await a.accessible("login in German");
  await a.page.getByLabel("Administratorpasswort").fill("falsch");
  await a.button("Anmelden").click();
  await a.failed("Name oder Passwort falsch");
  await a.page.getByLabel("Administratorpasswort").fill(password);
  await a.button("Anmelden").click();
  await a.button("TAC").click();
  await a.field("Frequenz").fill("x");
  await a.page.keyboard.press("Tab");
  await a.page.getByText("Muss eine Frequenz in MHz sein").waitFor();
  await a.accessible("mistake in German");
  await a.field("Frequenz").fill("154.816");
  await a.leave();
  await a.button("1 ungespeicherte Änderung – Prüfen").click();
  await a.button("Verwerfen", a.page.getByRole("dialog")).click();
  const sections = a.page.getByRole("navigation", { name: "Bereiche" });
  await sections.getByRole("button", { name: "Prüfprotokoll" }).click();
  await a.page.getByRole("rowheader").filter({ hasText: /^Der Administrator hat sich von \S+ angemeldet$/ }).first().waitFor();
  await a.accessible("audit in German");

  // The choice is the console's too, and what the console keeps stays.
  await a.page.evaluate(() => localStorage.setItem("squelch.desk", JSON.stringify({ callsign: "D-2", settings: { utc: true, language: "de" } })));
  await a.field("Farbschema").selectOption("Hoher Kontrast");
  await a.field("Sprache").selectOption("English");
  await a.page.getByRole("heading", { name: "Audit log" }).waitFor();
  const kept = await a.page.evaluate(() => JSON.parse(localStorage.getItem("squelch.desk")));
  assert.deepEqual([kept.callsign, kept.settings.utc, kept.settings.look, kept.settings.language], ["D-2", true, "contrast", "en"]);
  await a.page.reload();
  await a.page.getByRole("heading", { name: "Zones and channels" }).waitFor();
  assert.equal(await a.page.evaluate(() => document.documentElement.dataset.look), "contrast");
  await a.close(/status of 401/);
});

const everywhere = [
  "Zones and channels", "Alerts", "Tones", "Announcement groups", "Codeplugs", "Job codeplugs", "Volumes", "Layouts",
  "Dispatchers signed in", "Units on the radio", "API keys", "Accounts and roles", "Scripts", "Themes", "Recording", "Webhooks", "Log", "Audit log", "File and restore", "Game server",
];

for (const look of ["Night", "Day", "High contrast", "Retro LCD"])
  test(`axe finds nothing in any section, sheet or dialog: ${look}`, async () => {
    const a = await Admin.open(browser, service);
    await a.field("Look").selectOption(look);
    await a.accessible(`login ${look}`);
    await a.login();
    for (const name of everywhere) {
      await a.view(name);
      await a.page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
      await accessible(a.page, `${name}, ${look}`);
    }
    await a.view("Zones and channels");
    await a.open("MAIN");
    await a.field("Channel").fill("");
    await a.page.keyboard.press("Tab");
    await a.accessible(`sheet ${look}`);
    await a.leave();
    await a.accessible(`zones ${look}`);
    await a.button("1 unsaved change – Review").click();
    await a.accessible(`review ${look}`);
    await a.button("Discard", a.page.getByRole("dialog")).click();
    await a.close();
  });

test("the page fits a phone", async () => {
  const a = await Admin.open(browser, service, { viewport: { width: 390, height: 844 } });
  await a.login();
  for (const name of everywhere) {
    await a.view(name);
    await a.page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
    assert.deepEqual(await a.page.evaluate(sideways), [], name);
  }
  await a.view("Zones and channels");
  await a.accessible("phone");
  await a.open("TRUNK");
  assert.deepEqual(await a.page.evaluate(sideways), []);
  await a.accessible("phone sheet");
  await a.field("Channel").fill("TRUNK 2");
  await a.leave();
  await a.button("1 unsaved change – Review").click();
  await a.accessible("phone review");
  await a.button("Discard", a.page.getByRole("dialog")).click();
  await a.close();
});
