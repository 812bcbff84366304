// The panel is fetched in parts. While a part is missing the panel says why, and a
// part that does not come can be asked for again.
import assert from "node:assert/strict";
import test from "node:test";
import { accessible, picture } from "./eyes.mjs";
import { LiveWorld } from "./live.mjs";

/** What a browser says of a request that was cut off on its way. */
const cut = [/request failed.*ERR_FAILED/, /ERR_FAILED/, /Failed to fetch dynamically imported module/];

/** Blocks what matches, until the function that it returns is called. */
async function block(page, files) {
  await page.route(files, (route) => route.abort("failed"));
  return () => page.unroute(files);
}

/** Holds back what matches, as a slow connection does, until the function that it returns is called. */
async function hold(page, files) {
  let release;
  const released = new Promise((give) => (release = give));
  await page.route(files, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test("loading", async (t) => {
  const world = await LiveWorld.start(t);
  const { service } = world;

  await t.test("the login page speaks the browser's language", async () => {
    const desk = await world.desk(null, { locale: "de-AT" });
    await desk.page.getByLabel("Zugangscode (NAC-ID)").waitFor();
    await desk.button("Anmelden").waitFor();
    assert.equal(await desk.page.title(), "Squelch Leitstelle");
    assert.equal(await desk.page.evaluate(() => document.documentElement.lang), "de");
    await accessible(desk.page, "German login");
    await picture(desk.page, "login-german");
    desk.silent();
    await desk.close();
  });

  await t.test("on a slow connection the login page comes first, and stays until the console can be drawn", async () => {
    const desk = await world.desk(null);
    const { page } = desk;
    const release = await hold(page, "**/assets/{onair,Console}-*");
    await page.reload();
    await page.getByLabel("Access code (NAC ID)").fill("desk-of-the-browser-tests");
    await page.getByLabel("Callsign").fill("SLOW");
    await desk.button("Sign in").click();
    await page.locator("button:disabled", { hasText: "Sign in" }).waitFor();
    await page.waitForFunction(() => localStorage.getItem("squelch.session") !== null);
    await picture(page, "login-slow");
    assert.equal(await page.locator("[data-part=login]").count(), 1);
    assert.equal(await page.locator("[data-part=console]").count(), 0);
    release();
    await desk.ready();
    await picture(page, "console-after-slow-login");
    desk.silent();
    await desk.close();
  });

  await t.test("a session that ends before the console is drawn leads back to the login page, which can be used", async () => {
    const desk = await world.desk(null);
    const { page } = desk;
    const auth = "**/radio/dispatch/auth";
    await page.route(auth, (route) => route.fulfill({ json: { sessionId: "gone", authToken: "gone" } }));
    await desk.signIn("GONE");
    await page.getByRole("alert").filter({ hasText: "Your session ended. Sign in again." }).waitFor();
    assert.equal(await page.locator("[data-part=console]").count(), 0);
    await page.unroute(auth);
    await desk.login("BACK");
    desk.silent(/401/);
    await desk.close();
  });

  await t.test("a session that is kept waits for the console without a login form", async () => {
    const desk = await world.desk("KEPT");
    const { page } = desk;
    const release = await hold(page, "**/assets/{onair,Console}-*");
    await page.reload({ waitUntil: "commit" }); // the page does not count as loaded while it fetches
    await page.getByText("Connecting…").waitFor();
    assert.equal(await page.getByLabel("Access code (NAC ID)").count(), 0);
    release();
    await desk.ready();
    desk.silent(/request failed.*socket\.io/);
    await desk.close();
  });

  await t.test("a console that does not load says so, and is fetched again", async () => {
    const desk = await world.desk(null);
    const { page } = desk;
    const unblock = await block(page, "**/assets/onair-*");
    await page.reload();
    await page.getByLabel("Access code (NAC ID)").fill("desk-of-the-browser-tests");
    await page.getByLabel("Callsign").fill("AGAIN");
    await desk.button("Sign in").click();
    await page.getByRole("alert").filter({ hasText: "The console did not load." }).waitFor();
    await accessible(page, "console not loaded");
    await picture(page, "console-not-loaded");
    await unblock();
    await desk.button("Try again").click();
    await desk.ready();
    desk.silent(...cut);
    await desk.close();
  });

  await t.test("a dialog that does not load says so, and is fetched again", async () => {
    const desk = await world.desk("DIALOG");
    const { page } = desk;
    const unblock = await block(page, "**/assets/Settings-*");
    await desk.button("Settings").click();
    await page.getByRole("dialog", { name: "Not loaded" }).waitFor();
    await accessible(page, "dialog not loaded");
    await unblock();
    await desk.button("Try again").click();
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    desk.silent(...cut);
    await desk.close();
  });

  await t.test("a console whose sound does not load says so, and turns it on when it does", async () => {
    const desk = await world.desk(null);
    const { page } = desk;
    const unblock = await block(page, "**/assets/soundboard-*");
    await page.getByLabel("Access code (NAC ID)").fill("desk-of-the-browser-tests");
    await page.getByLabel("Callsign").fill("SILENT");
    await desk.button("Sign in").click();
    await page.getByRole("alert").filter({ hasText: "Sound and voice did not load." }).waitFor();
    await page.locator("[data-part=voice-status]", { hasText: "MUTED" }).waitFor();
    await desk.speakOn("MAIN");
    await desk.page.locator("[data-part=ptt]").click();
    await page.locator("[data-part=ptt-line]", { hasText: "Not on the air: sound is off." }).waitFor();
    await unblock();
    await desk.button("Try again").click();
    await desk.ready();
    await page.locator("[data-part=sound-off]").waitFor({ state: "detached" });
    await page.keyboard.down("F2");
    await desk.ptt("TX");
    await page.keyboard.up("F2");
    await desk.ptt("IDLE");
    desk.silent(...cut);
    await desk.close();
  });

  await t.test("a simulation that does not load says so, and leads back", async () => {
    const desk = await world.desk(null);
    const { page } = desk;
    const unblock = await block(page, "**/assets/core-*.wasm");
    await page.goto(`${service.url}/?simulate`);
    await page.getByRole("alert").filter({ hasText: "The simulation did not load:" }).waitFor();
    await accessible(page, "simulation not loaded");
    await unblock();
    await desk.button("Try again").click();
    await page.locator("[data-part=simulation-badge]").waitFor();
    await page.locator("[data-part=health][data-state=connected]").waitFor();
    desk.silent(...cut, /Failed to fetch/);
    await desk.close();
  });
});
