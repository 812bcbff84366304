// The service refuses, has given another session, or cannot write: the console goes
// on if it can, and says what to do if it cannot.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { io } from "socket.io-client";
import { Desk, startBrowser } from "./browser.mjs";
import { frequencyOf } from "./county.mjs";
import { Radio } from "./radio.mjs";
import { nacId, Service } from "./service.mjs";
import { until } from "./wait.mjs";

/** What a lost connection may say in a browser's console. */
const cut = [/WebSocket connection to/, /WebSocket is already in CLOSING or CLOSED state/, /ERR_CONNECTION_(REFUSED|RESET)/, /socket\.io/, /heartbeat/];

/**
 * In the page, before its scripts: makes the next connection use a session id that the
 * service does not know. If the service starts just after WebSocket has failed, the
 * connection is made by polling.
 */
function instruments() {
  for (const transport of [WebSocket.prototype, XMLHttpRequest.prototype]) {
    const send = transport.send;
    transport.send = function (data) {
      if (window.otherSession && typeof data === "string" && data.startsWith("40")) {
        window.otherSession = false;
        data = data.replace(/"sessionId":"[^"]*"/, '"sessionId":"another"');
      }
      return send.call(this, data);
    };
  }
}

test("trouble with the server", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const open = (callsign) => Desk.open(browser, service, callsign, {}, (page) => page.addInitScript(instruments));
  const first = await open("FIRST"); // so that the desk under test does not have the first id
  const desk = await open("NORTH");
  const { page } = desk;
  await desk.speakOn("MAIN");
  await desk.button("Monitor STATE").click();
  await desk.tab("patches");
  await desk.button("New patch…", page.locator("[data-part=rail]")).click();
  const dialog = page.getByRole("dialog", { name: "New patch" });
  await dialog.getByLabel(/^MAIN/).check();
  await dialog.getByLabel(/^TAC/).check();
  await dialog.getByRole("button", { name: "Start patch" }).click();
  await page.locator("[data-part=patch]").waitFor();
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem("squelch.session") ?? "null"));
  const me = (await kept()).me;
  assert.equal(me, -2);
  const ana = await Radio.connect(service, 7, "Ana Ruiz");
  t.after(() => ana.close());
  await ana.join("MAIN");

  /** The same user, on the same channels, and the patch is still its own: as the service sees it, and by voice. */
  const same = async () => {
    await until("the desk is where it was", async () => {
      const { channels, activePatches } = await service.status();
      const on = (c, how) => channels[frequencyOf(c)][how];
      const own = Object.values(activePatches).map((p) => p.createdBy);
      return on("MAIN", "speakers").includes(me) && on("STATE", "listeners").includes(me) && own.length === 1 && own[0] === me;
    });
    const { users } = await service.status();
    assert.deepEqual(Object.keys(users).filter((id) => users[id].name === "NORTH"), [String(me)], "nobody is there twice");
    await page.locator(`[data-part=status-bar] [title="Console ${me}"]`).waitFor();
    await page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
    await page.locator("[data-part=voice]", { hasText: "Voice: direct" }).waitFor();
    await ana.socket.connected || (await new Promise((give) => ana.socket.once("connect", give)));
    await ana.join("MAIN");
    ana.forget();
    await page.keyboard.down("F2");
    await desk.ptt("TX");
    await ana.hears(0.2);
    await page.keyboard.up("F2");
    await desk.ptt("IDLE");
  };

  await t.test("after a lost link and a renewed session: the same user, channels and patch", async () => {
    const { sessionId } = await kept();
    await page.evaluate(() => (window.otherSession = true));
    await service.stop("SIGKILL");
    await page.locator("[data-part=link-strip]", { hasText: "Reconnecting" }).waitFor();
    await service.start();
    await page.locator("[data-part=health][data-state=connected]").waitFor();
    assert.notEqual((await kept()).sessionId, sessionId, "it has another session");
    await same();
  });

  await t.test("an old session is renewed without a new connection", async () => {
    const { sessionId } = await kept();
    const lost = [];
    await page.exposeFunction("lost", (words) => lost.push(words));
    await page.evaluate(() => {
      const known = JSON.parse(localStorage.getItem("squelch.session"));
      // Sessions are renewed after 20 h; this one will be that old in a moment.
      localStorage.setItem("squelch.session", JSON.stringify({ ...known, since: Date.now() - 20 * 3600_000 + 8_000 }));
    });
    await page.reload();
    await desk.ready();
    assert.equal((await kept()).sessionId, sessionId);
    await page.evaluate(() => {
      const look = () => {
        const strip = document.querySelector("[data-part=link-strip]");
        if (strip) window.lost(strip.textContent);
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    });
    await until("another session is kept", async () => (await kept()).sessionId !== sessionId);
    await same();
    assert.deepEqual(lost, []);
    // The console comes back with the new session.
    await service.stop("SIGKILL");
    await page.locator("[data-part=link-strip]").waitFor();
    await service.start();
    await page.locator("[data-part=health][data-state=connected]").waitFor();
    await same();
  });

  await t.test("after a reload of the page: the same user", async () => {
    await page.reload();
    await desk.ready();
    await same();
  });

  await t.test("a full disk: what still works, what does not, and whom to ask", async () => {
    // No file of the service may grow any more, which the system reports with an
    // error of its own.
    const limit = (bytes) => execFileSync("prlimit", ["--pid", String(service.pid), `--fsize=${bytes}:`]);
    limit(0);
    await desk.tab("patches");
    await desk.button("New patch…", page.locator("[data-part=rail]")).click();
    await dialog.getByLabel(/^STATE/).check();
    await dialog.getByLabel(/^FIRE/).check();
    await dialog.getByRole("button", { name: "Start patch" }).click();
    await dialog.getByText(/Nothing was changed: .*Ask the administrator.*Storage unavailable/).waitFor();
    await page.keyboard.press("Escape");
    const strip = page.locator("[data-part=degraded]");
    await strip.getByText(/Talking, emergencies and alerts still work\. Patches, callsigns and new sign-ins are refused: ask the administrator/).waitFor();
    await same();
    const stranger = await open(null);
    await stranger.page.getByLabel("Access code (NAC ID)").fill(nacId);
    await stranger.page.getByLabel("Callsign").fill("LATE");
    await stranger.button("Sign in").click();
    await stranger.page.getByRole("alert").filter({ hasText: /nobody can sign in right now\. Ask the administrator/ }).waitFor();
    await stranger.close();
    limit("unlimited");
    await page.reload();
    await desk.ready();
    await until("the service is well again", async () => (await (await fetch(`${service.url}/api/health`)).json()).status !== "degraded");
    await page.reload();
    await desk.ready();
    assert.equal(await strip.count(), 0);
    await same();
  });

  await t.test("too many failed logins: the login page counts down, and a logged-in console stays", async () => {
    const stranger = await open(null);
    const alert = stranger.page.getByRole("alert");
    await stranger.page.getByLabel("Callsign").fill("X");
    for (let n = 0; ; n++) {
      assert.ok(n < 20, "nobody is locked out");
      await stranger.page.getByLabel("Access code (NAC ID)").fill(`guess ${n}`);
      const answer = stranger.page.waitForResponse(/dispatch\/auth/);
      await stranger.button("Sign in").click();
      if ((await answer).status() === 429) break;
      await alert.filter({ hasText: "Invalid access code" }).waitFor();
    }
    await alert.filter({ hasText: /Try again in \d+ s/ }).waitFor();
    const seconds = async () => Number(/in (\d+) s/.exec(await alert.textContent())?.[1]);
    const before = await seconds();
    assert.ok(before > 10 && before <= 300, `${before} s`);
    await until("it counts down", async () => (await seconds()) < before);
    assert.equal(await stranger.button("Sign in").isDisabled(), true);
    // Guesses at tokens have a count of their own. A page that has stored something
    // other than a token is told so at the console.
    for (let n = 0; ; n++) {
      assert.ok(n < 20, "nobody is locked out");
      const guess = io(service.url, { auth: { authToken: `guess ${n}`, sessionId: "s", serverId: -9 }, transports: ["websocket"], forceNew: true, reconnection: false });
      const { data } = await new Promise((give) => guess.on("connect_error", give));
      guess.close();
      if (data.code === "locked_out") break;
    }
    await stranger.page.evaluate(() => localStorage.setItem("squelch.session", JSON.stringify({ sessionId: "s", authToken: "guess", callsign: "X", since: Date.now() })));
    await stranger.page.reload();
    await stranger.page.locator("[data-part=barred][data-state=locked_out]", { hasText: /Too many failed sign-ins from this address\. Trying again in \d+ s/ }).waitFor();
    await stranger.button("Sign in again").click();
    await stranger.page.getByLabel("Access code (NAC ID)").waitFor();
    await stranger.close();
    await page.reload();
    await desk.ready();
    await same();
  });

  await t.test("a logout ends the login at the service, and no other console's", async () => {
    const { sessionId, authToken } = await kept();
    const known = () => fetch(`${service.url}/radio/dispatch/status`, { headers: { Authorization: `Bearer ${authToken}`, "X-Session-Id": sessionId } });
    assert.equal((await known()).status, 200);
    await desk.account("Sign out");
    await page.getByLabel("Access code (NAC ID)").waitFor();
    await until("the service has forgotten the login", async () => (await known()).status === 401);
    await until("nobody of it is on the radio", async () => !Object.values((await service.status()).users).some((u) => u.name === "NORTH"));
    assert.equal(await kept(), null);
    await first.page.locator("[data-part=health][data-state=connected]").waitFor();
  });

  await t.test("a login ended elsewhere asks for a new one", async () => {
    const token = await first.page.evaluate(() => JSON.parse(localStorage.getItem("squelch.session")));
    const ended = await fetch(`${service.url}/radio/dispatch/logout`, { method: "POST", headers: { Authorization: `Bearer ${token.authToken}`, "X-Session-Id": token.sessionId } });
    assert.equal(ended.status, 200);
    await first.page.getByRole("alert").filter({ hasText: "Your session ended. Sign in again." }).waitFor();
  });

  await t.test("no other errors in the browser", () => {
    desk.silent(...cut, /40[01]/, /503/);
    first.silent(...cut, /40[01]/);
  });
});
