// The service is restarted or crashes, the session is gone, the page is reloaded:
// the panel comes back by itself with everything it had.
import assert from "node:assert/strict";
import test from "node:test";
import { LiveWorld } from "./live.mjs";
import { resumeStory } from "./stories/resume.mjs";

/** What a cut connection may say in a browser's console; nothing else may. */
const cut = [/WebSocket connection to/, /WebSocket is already in CLOSING or CLOSED state/, /ERR_CONNECTION_REFUSED/, /socket\.io/, /heartbeat/];

test("reconnecting", async (t) => {
  const world = await LiveWorld.start(t);
  const { desk, asBefore } = await resumeStory(t, world);
  const { page } = desk;

  await t.test("a crash of the service", async () => {
    await world.lose("SIGKILL");
    await page.locator("[data-part=health][data-state=disconnected]").waitFor();
    await world.restore();
    await page.locator("[data-part=health][data-state=connected]").waitFor();
    await asBefore();
  });

  await t.test("a session that the service has forgotten is renewed silently", async () => {
    // The token is good, the session id is not: what a wiped session store looks like.
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem("squelch.session") ?? "{}");
      localStorage.setItem("squelch.session", JSON.stringify({ ...kept, sessionId: "wiped" }));
    });
    await world.reload(desk);
    await asBefore();
    assert.notEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("squelch.session") ?? "{}").sessionId), "wiped");
  });

  await t.test("no other errors in the browser", () => desk.silent(...cut, /401/));
});
