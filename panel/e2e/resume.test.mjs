// The service is restarted, the link is cut, the page is reloaded: the panel comes
// back by itself with everything it had.
import assert from "node:assert/strict";
import test from "node:test";
import { Desk, startBrowser, until } from "./browser.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";

/** What a cut connection may say in a browser's console; nothing else may. */
const cut = [/WebSocket connection to/, /ERR_CONNECTION_REFUSED/, /socket\.io/, /heartbeat/];

test("the way back", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const desk = await Desk.open(browser, service, "NORTH");
  const { page } = desk;

  await desk.speakOn("MAIN");
  await desk.button("Scan STATE").click();
  await desk.button("Scan STATE").click(); // priority 2
  await desk.button("Add FIRE to the global PTT").click();
  await desk.button("Mute TAC").click();
  await desk.page.getByLabel("Volume of MAIN").fill("60");
  await desk.button("Arm Everybody").click();
  await desk.button("New patch").click();
  const dialog = page.getByRole("dialog", { name: "New patch" });
  await dialog.getByLabel(/^TAC/).check();
  await dialog.getByLabel(/^STATE/).check();
  await dialog.getByRole("button", { name: "Patch", exact: true }).click();
  await page.locator("[data-part=patch]").waitFor();

  const asBefore = async () => {
    await page.locator("[data-part=channel-card][data-joined=true]", { hasText: "MAIN" }).waitFor();
    await page.locator("[aria-pressed=true][data-part=add]").waitFor();
    assert.equal(await desk.button("Scan P2 STATE").getAttribute("aria-pressed"), "true");
    assert.equal(await desk.button("Mute TAC").getAttribute("aria-pressed"), "true");
    assert.equal(await desk.button("Arm Everybody").getAttribute("aria-pressed"), "true");
    assert.equal(await page.getByLabel("Volume of MAIN").inputValue(), "60");
    // The service knows it too, not only the page.
    await until("the service has the desk where it was", async () => {
      const { channels } = await service.status();
      return channels["154.755"].speakers.length === 1 && channels["460.25"].listeners.length === 1 && channels["154.28"].listeners.length === 1;
    }, 15_000);
  };

  const talks = async (name) => {
    const radio = await Radio.connect(service, 9, "Cy");
    await radio.join("154.755");
    await until(`the desk is heard ${name}`, async () => {
      await page.keyboard.down("F2");
      await desk.state("MAIN", "tx");
      await new Promise((give) => setTimeout(give, 600));
      await page.keyboard.up("F2");
      await desk.ptt("IDLE");
      return radio.voices > 5;
    }, 20_000);
    radio.close();
  };

  await asBefore();

  await t.test("a restart of the service in the middle of a transmission", async () => {
    await page.keyboard.down("F2");
    await desk.state("MAIN", "tx");
    await service.stop();
    await desk.ptt("IDLE"); // losing the socket lets go
    await page.locator("[data-part=health][data-state=disconnected]").waitFor();
    await page.locator("[data-part=link-strip]", { hasText: "Reconnecting" }).waitFor();
    await service.start();
    await page.locator("[data-part=health][data-state=connected]").waitFor({ timeout: 15_000 });
    await page.keyboard.up("F2");
    await asBefore();
    await page.locator("[data-part=patch]").waitFor();
    await page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
    assert.deepEqual((await service.status()).channels["154.755"].activeTalkers, []);
    await talks("after the restart");
  });

  await t.test("a crash of the service", async () => {
    await service.stop("SIGKILL");
    await page.locator("[data-part=health][data-state=disconnected]").waitFor();
    await service.start();
    await page.locator("[data-part=health][data-state=connected]").waitFor({ timeout: 15_000 });
    await asBefore();
  });

  await t.test("a reload of the page", async () => {
    await page.reload();
    await desk.ready();
    await asBefore();
    await talks("after the reload");
  });

  await t.test("a session that the service no longer knows is renewed without a word", async () => {
    // The token is good, the session id is not: what a wiped session store looks like.
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem("squelch.session") ?? "{}");
      localStorage.setItem("squelch.session", JSON.stringify({ ...kept, sessionId: "wiped" }));
    });
    await page.reload();
    await desk.ready();
    await asBefore();
    assert.notEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("squelch.session") ?? "{}").sessionId), "wiped");
  });

  await t.test("nothing else complained", () => desk.silent(...cut, /401/));
});
