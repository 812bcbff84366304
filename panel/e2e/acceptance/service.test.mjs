// Checks that need the real service: two consoles and other clients on one radio, and a restart in the middle.
import assert from "node:assert/strict";
import test from "node:test";
import { io } from "socket.io-client";
import { Desk, startBrowser } from "../browser.mjs";
import { Radio } from "../radio.mjs";
import { nacId, Service } from "../service.mjs";
import { patience, until } from "../wait.mjs";
import { cut } from "./words.mjs";

const slot = (desk, name) => desk.page.locator("[data-part=emergency-slot]", { hasText: name });
const inState = (locator, state) => locator.and(locator.page().locator(`[data-state=${state}]`)).waitFor();
const card = (desk, channel) => desk.page.locator("[data-part=channel-card]", { has: desk.page.locator("[data-part=name]", { hasText: new RegExp(`^${channel}$`) }) });
const alarm = (desk, level) => desk.page.locator(`[data-part=emergency-lane][data-alarm=${level}]`).waitFor();
/** The age that a slot shows, in seconds. */
const age = async (desk, name) => {
  const [, m, s] = /(\d+):(\d\d)/.exec(await slot(desk, name).textContent());
  return 60 * Number(m) + Number(s);
};

/** A dispatch client as the old product's integrations are: it knows panics and acknowledgePanic, and nothing of records. */
class LegacyClient {
  told = [];

  static async connect(service, callsign) {
    const c = new LegacyClient();
    const login = await (await fetch(`${service.url}/radio/dispatch/auth`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ nacId, callsign }),
    })).json();
    c.socket = io(service.url, { auth: { authToken: login.authToken, sessionId: login.sessionId, serverId: -1 }, transports: ["websocket"], forceNew: true });
    c.socket.on("dispatchNotification", (n) => c.told.push(n));
    await new Promise((give, fail) => {
      c.socket.once("connect", give);
      c.socket.once("connect_error", fail);
    });
    c.socket.emit("setDispatchSession", login.sessionId);
    return c;
  }

  /** Waits for a notification of that kind about a unit. */
  is(type, serverId) {
    return until(`${type} of ${serverId} at the legacy client`, () => this.told.find((n) => n.type === type && n.serverId === serverId));
  }

  acknowledge(serverId) {
    return this.socket.timeout(patience).emitWithAck("acknowledgePanic", { serverId });
  }
}

test("one radio, several clients", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const legacy = await LegacyClient.connect(service, "CAD");
  t.after(() => legacy.socket.disconnect());
  let ana = await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  t.after(() => ana.close());
  await ana.join("TAC");
  const north = await Desk.open(browser, service, "NORTH");
  const south = await Desk.open(browser, service, "SOUTH");

  await t.test("22. what one console acknowledges is acknowledged at the other, and the alarm is off", async (t) => {
    await ana.panic(true);
    for (const desk of [north, south]) {
      await inState(slot(desk, "Ana Ruiz"), "unacknowledged");
      await desk.page.locator("[data-part=emergency-lane]:not([data-alarm=off])").waitFor();
    }
    await legacy.is("panic", 7);
    const before = Date.now();
    await south.page.keyboard.press("F8");
    await inState(slot(north, "Ana Ruiz"), "acknowledged");
    await alarm(north, "off");
    t.diagnostic(`acknowledged at the other console and silent after ${Date.now() - before} ms (asked: 500)`);
    assert.match(await slot(north, "Ana Ruiz").textContent(), /ack SOUTH \d\d:\d\d/);
    await inState(card(north, "TAC"), "ack");
    assert.ok(!legacy.told.some((n) => n.type === "panicCleared"), "the panic goes on for older clients");
  });

  await t.test("26. a restart and a reload keep who acknowledged it and when, and its age", async () => {
    const { raisedAt, ackAt } = (await service.status()).emergencies[0];
    const before = await age(north, "Ana Ruiz");
    const seenAt = Date.now();
    ana.close();
    await service.stop("SIGKILL");
    await north.ptt("NOLINK");
    await service.start();
    await north.ptt("IDLE");
    for (const desk of [north, south]) await inState(slot(desk, "Ana Ruiz"), "acknowledged");
    await north.page.reload();
    await north.ready();
    await inState(slot(north, "Ana Ruiz"), "acknowledged");
    assert.match(await slot(north, "Ana Ruiz").textContent(), /ack SOUTH \d\d:\d\d/);
    const now = await age(north, "Ana Ruiz");
    assert.ok(Math.abs(now - before - (Date.now() - seenAt) / 1000) <= 2, `${before} s before, ${now} s now, ${(Date.now() - seenAt) / 1000} s later`);
    const kept = (await service.status()).emergencies[0];
    assert.deepEqual([kept.raisedAt, kept.ackAt, kept.ackBy], [raisedAt, ackAt, "SOUTH"]);
    ana = await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
    await ana.join("TAC");
  });

  await t.test("the unit ends it, a console closes it with a reason, and the audit log has the whole story", async () => {
    await ana.panic(false);
    await slot(north, "Ana Ruiz").getByText("ENDED BY UNIT").waitFor();
    await inState(slot(north, "Ana Ruiz"), "acknowledged");
    await slot(north, "Ana Ruiz").locator("[data-part=close-emergency]").click();
    const drawer = north.page.locator("[data-part=drawer]");
    await drawer.getByText("Accidental", { exact: true }).click();
    await drawer.getByRole("button", { name: "Close emergency" }).click();
    for (const desk of [north, south]) await slot(desk, "Ana Ruiz").waitFor({ state: "detached" });
    await card(south, "TAC").getByText("Emergency closed").waitFor();
    const audit = JSON.stringify(await service.audit());
    for (const word of ["emergency", "SOUTH", "NORTH", "accidental"]) assert.ok(audit.includes(word), `the audit log has ${word}`);
  });

  await t.test("an older client ends a panic as it always did, and the consoles see who", async () => {
    await ana.panic(true);
    await inState(slot(north, "Ana Ruiz"), "unacknowledged");
    const again = await LegacyClient.connect(service, "CAD 2");
    t.after(() => again.socket.disconnect());
    await again.acknowledge(7);
    for (const desk of [north, south]) await slot(desk, "Ana Ruiz").waitFor({ state: "detached" });
    await again.is("panicCleared", 7);
  });

  await t.test("37. after a reload the log has what was said", async () => {
    for (let i = 0; i < 3; i++) {
      await ana.talk(true);
      await until("Ana talks", async () => (await service.status()).channels["154.815"].activeTalkers.includes(7));
      await ana.talk(false);
      await until("Ana has released", async () => !(await service.status()).channels["154.815"].activeTalkers.includes(7));
    }
    await north.page.reload();
    await north.ready();
    const lines = north.page.locator("[data-part=log] li", { hasText: "Ana Ruiz" });
    await until("the three transmissions", async () => (await lines.count()) >= 3);
    assert.equal(await north.page.getByText("No transmissions yet").count(), 0);
  });

  await t.test("34. without a microphone the bar says so, offers to try again, sounds low, and never says Hold to talk", async () => {
    const desk = await Desk.open(browser, service, null, {}, (page) =>
      page.addInitScript(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("none", "NotFoundError"));
      }),
    );
    await desk.page.getByLabel("Access code").fill(nacId);
    await desk.page.getByLabel("Callsign").fill("EAST");
    await desk.page.getByRole("button", { name: "Sign in" }).click();
    await desk.ptt("NOMIC");
    const bar = desk.page.locator("[data-part=ptt-bar]");
    assert.equal(await desk.page.locator("[data-part=ptt-line]").textContent(), "No microphone – listen only");
    await bar.getByRole("button", { name: "Retry microphone" }).waitFor();
    await desk.page.evaluate(() => {
      const start = AudioBufferSourceNode.prototype.start;
      globalThis.tones = 0;
      AudioBufferSourceNode.prototype.start = function (...a) {
        globalThis.tones++;
        return start.apply(this, a);
      };
    });
    await card(desk, "MAIN").locator("[data-part=target]").click();
    await desk.page.keyboard.down("F2");
    await until("the low tone sounds", () => desk.page.evaluate(() => globalThis.tones > 0));
    assert.ok(!(await bar.textContent()).includes("Hold to talk"));
    await desk.page.keyboard.up("F2");
    await desk.ptt("NOMIC");
    const talk = card(desk, "MAIN").locator("[data-part=instant-tx]");
    assert.equal((await talk.textContent()).trim(), "RX only");
    assert.ok(await talk.isDisabled());
    // In German, too, and on a phone, all words fit.
    await desk.page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem("squelch.desk"));
      localStorage.setItem("squelch.desk", JSON.stringify({ ...kept, settings: { ...kept.settings, language: "de" } }));
    });
    for (const [width, height] of [[1366, 768], [390, 844]]) {
      await desk.page.setViewportSize({ width, height });
      await desk.page.reload();
      await desk.ptt("NOMIC");
      await bar.getByRole("button", { name: "Mikrofon erneut versuchen" }).waitFor();
      assert.deepEqual(await cut(desk.page, `without a microphone at ${width}`), []);
    }
    await desk.close();
  });
});
