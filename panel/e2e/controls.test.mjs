// What a dispatcher's hands touch: keys, mouse buttons and gamepads that talk,
// sliders, devices, priorities; and what the console says when something is missing.
import assert from "node:assert/strict";
import test from "node:test";
import { Desk, startBrowser } from "./browser.mjs";
import { Radio } from "./radio.mjs";
import { nacId, Service } from "./service.mjs";
import { passes, until } from "./wait.mjs";

/** In the page, before its scripts: gamepads, outputs and volumes that the test can see and control. */
function instruments() {
  // A headless browser has no gamepads: the page gets these.
  window.pads = [];
  window.looks = 0;
  navigator.getGamepads = () => (window.looks++, window.pads);

  window.sinks = [];
  for (const [kind, made] of [["context", AudioContext.prototype], ["element", HTMLMediaElement.prototype]]) {
    const set = made.setSinkId;
    made.setSinkId = function (id) {
      window.sinks.push(`${kind} ${id}`);
      return set.call(this, id);
    };
  }

  // Each strip of the mixer has a panner; they are in the order in which the channels
  // were first heard.
  const strips = [];
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...more) {
    if (to instanceof StereoPannerNode) strips.push(this);
    return connect.call(this, to, ...more);
  };
  window.levels = () => strips.map((s) => 20 * Math.log10(s.gain.value));

  // A microphone that hears one even tone, so that its level can be compared.
  window.allowed = true;
  navigator.mediaDevices.getUserMedia = async () => {
    if (!window.allowed) throw new DOMException("no", "NotAllowedError");
    const context = new AudioContext();
    const tone = new OscillatorNode(context, { frequency: 500 });
    const out = context.createMediaStreamDestination();
    tone.connect(new GainNode(context, { gain: 0.3 })).connect(out);
    tone.start();
    return out.stream;
  };
}

test("the controls", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const open = (callsign, before = () => undefined) =>
    Desk.open(browser, service, callsign, {}, async (page) => {
      await page.addInitScript(instruments);
      await before(page);
    });
  const north = await open("NORTH");
  const { page } = north;
  const radio = async (id, name, channel) => {
    const r = await Radio.connect(service, id, name);
    t.after(() => r.close());
    await r.join(channel);
    return r;
  };
  const ana = await radio(7, "Ana Ruiz", "MAIN");
  const ben = await radio(8, "Ben Okoye", "TAC");
  const cy = await radio(9, "Cy Young", "FIRE");
  await north.speakOn("MAIN");

  const devtools = await page.context().newCDPSession(page);
  /** A mouse button as it is counted on mice; the browser's driver knows only three. */
  const mouse = (n, down) => {
    const [button, buttons] = n === 4 ? ["back", 8] : ["forward", 16];
    return devtools.send("Input.dispatchMouseEvent", {
      type: down ? "mousePressed" : "mouseReleased", x: 500, y: 600, button, buttons: down ? buttons : 0, clickCount: 1,
    });
  };
  /** A gamepad on which these buttons are down; null: none is plugged in. */
  const pad = (down) => page.evaluate((b) => void (window.pads = [b && { buttons: Array.from({ length: 12 }, (_, i) => ({ pressed: b.includes(i) })) }]), down);
  /** The console has looked at the gamepad as it is now: it looks twice, as one look may have been under way. */
  const seen = async () => {
    const before = await page.evaluate(() => window.looks);
    await page.waitForFunction((n) => window.looks >= n, before + 2);
  };
  /** How often the dispatcher keyed up on a radio's channel since forget. */
  const keyed = (r) => r.told.filter((e) => e.event === "talkingState" && e.payload.state && e.payload.serverId < 0).length;

  const settings = async () => {
    await north.button("Settings").click();
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
  };
  const done = async () => {
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  /** In the controls of a channel, which are then closed. */
  const drawer = async (channel, does) => {
    await north.button(`${channel}: more controls`).click();
    const of = page.locator("[data-part=drawer]");
    await of.getByRole("heading", { name: channel }).waitFor();
    await does(of);
    await north.button(`Close ${channel} controls`).click();
    await of.waitFor({ state: "detached" });
  };
  /** bind binds the named key by doing what deed does; that must not talk. */
  const bind = async (name, deed, result) => {
    await page.getByRole("button", { name: new RegExp(`^${name}: `) }).click();
    await page.getByText("Press a key, mouse button").waitFor();
    await deed();
    await page.getByText("Press a key, mouse button").waitFor({ state: "detached" });
    await north.button(`${name}: ${result}`).waitFor();
  };
  /** talks presses, sees the card of a channel transmit, and releases. */
  const talks = async (channel, press, release) => {
    await press();
    await north.state(channel, "tx");
    await release();
    await north.state(channel, "idle");
    await north.ptt("IDLE");
  };

  for (const n of [4, 5]) {
    await t.test(`mouse button ${n} is bound by pressing it, and keys while it is held`, async () => {
      ana.forget();
      await settings();
      // Twice: the second time the button has that meaning already.
      for (const _ of "12") await bind("PTT key", async () => (await mouse(n, true), await mouse(n, false)), `Mouse button ${n}`);
      await done();
      await talks("MAIN", () => mouse(n, true), () => mouse(n, false));
      assert.equal(keyed(ana), 1, "binding it did not talk");
      await page.locator("[data-part=ptt]", { hasText: `Mouse button ${n} or press here` }).waitFor();
    });
  }

  await t.test("a gamepad button keys while it is held, and is released when the gamepad is unplugged", async () => {
    ana.forget();
    await settings();
    await pad([]);
    await bind("PTT key", () => pad([5]), "Gamepad button 5");
    await pad([]);
    await bind("PTT key", () => pad([5]), "Gamepad button 5"); // it has that meaning already
    await done();
    await seen(); // it is still held, which only told the console which button it is
    await north.ptt("IDLE");
    await pad([]);
    await seen();
    await talks("MAIN", () => pad([5]), () => pad([]));
    await talks("MAIN", () => pad([5]), () => pad(null));
    assert.equal(keyed(ana), 2, "binding it did not talk");
    await pad([4]);
    await seen();
    await north.ptt("IDLE"); // another button
    await pad([]);
  });

  await t.test("a channel and a group have PTT keys of their own, and the global key still works", async () => {
    await settings();
    await bind("PTT key", () => page.keyboard.press("F2"), "F2");
    await bind("PTT key for Everybody", () => page.keyboard.press("F7"), "F7");
    await done();
    await drawer("TAC", async (of) => {
      await of.getByRole("button", { name: /^PTT key: / }).click();
      await page.keyboard.press("F8"); // a key of the console
      await of.getByText("F8 is a shortcut of the console.").waitFor();
      await page.keyboard.press("F4");
      await north.button("PTT key: F4", of).waitFor();
    });
    await talks("TAC", () => page.keyboard.down("F4"), () => page.keyboard.up("F4"));
    await page.keyboard.down("F7");
    await north.state("MAIN", "tx");
    await north.state("FIRE", "tx");
    await page.keyboard.up("F7");
    await north.state("FIRE", "idle");
    await north.ptt("IDLE");
    await talks("MAIN", () => page.keyboard.down("F2"), () => page.keyboard.up("F2"));
    await settings();
    await north.button("Clear: PTT key for TAC").click();
    await page.getByRole("button", { name: "PTT key for TAC: F4" }).waitFor({ state: "detached" });
    await done();
  });

  await t.test("latched PTT talks until the next press and says so; losing the window's focus ends it", async () => {
    await settings();
    await page.getByLabel("Latch PTT: press to talk").check();
    await done();
    await page.keyboard.press("F2");
    await north.ptt("LATCHED");
    await page.locator("[data-part=ptt]", { hasText: "LATCHED" }).waitFor();
    await north.state("MAIN", "tx");
    await passes(600, "longer than the tail of a release: a latched key keeps talking");
    await north.ptt("LATCHED");
    await page.keyboard.press("F2");
    await north.ptt("IDLE");
    await north.state("MAIN", "idle");
    await page.keyboard.press("F2");
    await north.ptt("LATCHED");
    await page.evaluate(() => window.dispatchEvent(new Event("blur")));
    await north.ptt("IDLE");
    await page.locator("[data-part=ptt-line]", { hasText: "another window took the keyboard" }).waitFor();
    await settings();
    await page.getByLabel("Latch PTT: press to talk").uncheck();
    await done();
    await talks("MAIN", () => page.keyboard.down("F2"), () => page.keyboard.up("F2"));
  });

  await t.test("the microphone's level follows its slider, and its meter shows it", async () => {
    await settings();
    const slider = page.getByLabel("Microphone level");
    const shown = () =>
      page.locator("[data-part=microphone-meter] .bar").evaluate((bar) => Number.parseFloat(bar.style.transform.slice(7)));
    for (const [level, peak] of [["100", 0.3], ["200", 0.6], ["50", 0.15], ["0", 0], ["150", 0.45]]) {
      await slider.fill(level);
      await until(`at ${level} % the meter shows ${peak}`, async () => Math.abs((await shown()) - peak) < 0.03);
    }
    await done();
  });

  await t.test("selected and other channels have an output each", async () => {
    await settings();
    const outputs = await page.getByLabel(/^Select speaker/).locator("option").evaluateAll((all) => all.map((o) => o.value));
    const own = outputs.filter((id) => id !== "" && id !== "default");
    assert.ok(own.length >= 2, `outputs: ${outputs}`);
    await page.getByLabel(/^Select speaker/).selectOption(own[0]);
    await page.getByLabel(/^Unselect speaker/).selectOption(own[1]);
    await until("both are used", () => page.evaluate(([a, b]) => window.sinks.includes(`context ${a}`) && window.sinks.at(-1) === `element ${b}`, own));
    await page.getByLabel(/^Unselect speaker/).selectOption("");
    await page.getByLabel(/^Select speaker/).selectOption("");
    await until("the system's output again", () => page.evaluate(() => window.sinks.at(-1) === "context "));
    await done();
  });

  await t.test("priority 1 pre-empts priority 2, and priority 2 the other monitored channels", async () => {
    const monitored = (name) => north.button(name).and(page.locator("[aria-pressed=true]")).waitFor();
    const off = (channel, name = `Monitor ${channel}`) => north.button(name).click();
    await north.button("Add MAIN to PTT targets").click(); // no target, because nothing else may cut it
    await page.locator("[data-part=ptt-target]").waitFor({ state: "detached" });
    await drawer("MAIN", (of) => north.button("Priority 1", of).click());
    await monitored("Monitor MAIN, priority 1");
    await north.button("Monitor TAC").click();
    await monitored("Monitor TAC");
    await page.getByRole("button", { name: "Talk here: TAC," }).focus();
    await page.keyboard.press("p");
    await monitored("Monitor TAC, priority 2");
    await north.button("Monitor FIRE").click();
    await monitored("Monitor FIRE");
    const all = [ana, ben, cy];
    const first = await page.evaluate(() => window.levels().length);
    // Each is heard alone first, so that it is known which strip is whose.
    for (const [r, channel] of [[ana, "MAIN"], [ben, "TAC"], [cy, "FIRE"]]) {
      const before = await page.evaluate(() => window.levels().length);
      await r.talk(true);
      await north.state(channel, "rx");
      await until(`${channel} has a strip`, async () => (await page.evaluate(() => window.levels().length)) === before + 1);
      await r.talk(false);
      await north.state(channel, "idle");
    }
    const levels = async (...want) => {
      let got = [];
      await until(
        () => `levels ${want} dB, got ${got}`,
        async () => {
          got = (await page.evaluate(() => window.levels())).slice(first).map((v) => Math.round(v * 10) / 10);
          return got.length === 3 && got.every((v, i) => Math.abs(v - want[i]) < 0.2);
        },
      );
    };
    await levels(0, 0, 0);
    await cy.talk(true);
    await north.state("FIRE", "rx");
    await levels(0, 0, 0);
    await ben.talk(true);
    await levels(0, 0, -12);
    await ana.talk(true);
    await levels(0, -12, -12);
    await ana.talk(false);
    await levels(0, 0, -12);
    await ben.talk(false);
    await levels(0, 0, 0);
    for (const r of all) await r.talk(false);
    await north.state("FIRE", "idle");
    await off("MAIN", "Monitor MAIN, priority 1");
    await off("TAC", "Monitor TAC, priority 2");
    await off("FIRE");
    await north.speakOn("MAIN");
  });

  await t.test("a talker without audio is shown on the card and in a notice", async () => {
    await ana.send("setTalking", true);
    await page.locator("[data-part=voice-fault]", { hasText: "No audio from Ana Ruiz on MAIN." }).waitFor();
    await north.state("MAIN", "noaudio");
    await north.card("MAIN").locator("[data-part=state]", { hasText: "NO AUDIO" }).waitFor();
    await north.card("MAIN").locator("[data-part=talker]", { hasText: "Ana Ruiz" }).waitFor();
    await ana.talk(false);
    await page.locator("[data-part=voice-fault]").waitFor({ state: "detached" });
  });

  await t.test("a unit is dragged from the list of units onto a channel", async () => {
    const unit = (where) => page.locator("[data-part=units]").getByRole("button", { name: new RegExp(`^Cy Young, .*${where}`) });
    await unit("FIRE").dragTo(north.card("STATE"));
    await unit("STATE").waitFor();
    await drawer("STATE", (of) => of.getByRole("button", { name: "Cy Young: open" }).waitFor());
    await cy.toldMove("STATE");
  });

  await t.test("without a microphone the console listens only, says why, and can retry", async () => {
    const south = await open(null, (p) => p.addInitScript(() => (window.allowed = false)));
    await south.page.getByLabel("Access code (NAC ID)").fill(nacId);
    await south.page.getByLabel("Callsign").fill("SOUTH");
    await south.button("Sign in").click();
    await south.page.getByText("Listen only: microphone access denied.").waitFor();
    await south.page.locator("[data-part=voice]", { hasText: "Listen only" }).waitFor();
    await south.speakOn("MAIN");
    await north.speakOn("FIRE");
    ana.forget();
    await south.page.keyboard.press("F2");
    await ana.talk(true); // it can still hear
    await south.state("MAIN", "rx");
    await ana.talk(false);
    assert.equal(keyed(ana), 0, "no key-up without a microphone");
    await south.page.evaluate(() => (window.allowed = true));
    await south.button("Retry microphone").click();
    await south.page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
    await south.page.keyboard.down("F2");
    await south.ptt("TX");
    await south.page.keyboard.up("F2");
    await south.ptt("IDLE");
    south.silent();
    await south.close();
  });

  await t.test("an external login arrives in the address and is removed from it", async () => {
    const reply = await fetch(`${service.url}/radio/dispatch/auth`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ nacId, callsign: "EAST" }),
    });
    const { sessionId, authToken } = await reply.json();
    const url = `${service.url}/#${new URLSearchParams({ login: "mark", sessionId, authToken, callsign: "EAST" })}`;
    // Made by somebody else: it logs nobody in, and is removed from the address.
    const stranger = await Desk.open(browser, { url }, null);
    await stranger.page.getByLabel("NAC ID").waitFor();
    assert.equal(stranger.page.url(), `${service.url}/`);
    await stranger.close();
    const mark = (p) => p.addInitScript(() => (document.cookie = "dispatch_login_done=mark"));
    const why = "This account may not dispatch here";
    const refused = await Desk.open(browser, { url: `${service.url}/#${new URLSearchParams({ login: "mark", error: why })}&` }, null, {}, mark);
    await refused.page.getByRole("alert").getByText(why).waitFor();
    await refused.close();
    // With the service's mark.
    const east = await Desk.open(browser, { url }, null, {}, async (p) => {
      await p.addInitScript(instruments);
      await mark(p);
    });
    await east.ready();
    await east.page.locator("[data-part=status-bar]", { hasText: "EAST" }).waitFor();
    assert.equal(east.page.url(), `${service.url}/`);
    await east.page.reload();
    await east.ready();
    east.silent();
    await east.close();
  });

  await t.test("settings survive a reload", async () => {
    const kept = {
      "Voice volume": "35", "Alert and tone volume": "20", "Microphone level": "125", Look: "Day", Density: "Compact",
    };
    await settings();
    for (const [label, value] of Object.entries(kept)) {
      const field = page.getByLabel(label);
      if (Number.isNaN(Number(value))) await field.selectOption(value);
      else await field.fill(value);
    }
    await page.getByLabel("Show time in UTC").check();
    await page.getByLabel("Announce talkers to screen readers").check();
    await page.getByLabel("Latch PTT: press to talk").check();
    await page.getByLabel("Callsign").fill("NORTH 2");
    await done();
    await page.reload();
    await north.ready();
    await settings();
    for (const [label, value] of Object.entries(kept)) {
      const field = page.getByLabel(label);
      const shown = await field.evaluate((f) => (f instanceof HTMLSelectElement ? f.selectedOptions[0].textContent : f.value));
      assert.equal(shown, value, label);
    }
    for (const label of ["Show time in UTC", "Announce talkers to screen readers", "Latch PTT: press to talk"]) assert.ok(await page.getByLabel(label).isChecked(), label);
    assert.equal(await page.getByLabel("Callsign").inputValue(), "NORTH 2");
    await north.button("PTT key for Everybody: F7").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.look), "day");
    await page.getByLabel("Latch PTT: press to talk").uncheck();
    await done();
    await page.locator(".clock", { hasText: "UTC" }).waitFor();
    await page.locator("[data-part=units]").getByRole("button", { name: "NORTH 2, " }).waitFor(); // the service knows it too
  });

  await t.test("a floor held when the link broke is released when the link returns", async () => {
    const talkers = async () => Object.values((await service.status()).channels).flatMap((c) => c.activeTalkers);
    const west = await open("WEST", (p) =>
      p.addInitScript(() => {
        const { WebSocket } = window;
        window.WebSocket = class extends WebSocket {
          constructor(...at) {
            super(...at);
            window.link = this;
          }
        };
      }),
    );
    await west.speakOn("FIRE");
    // The first time it asks for -1 and comes back as -2, a new link; the second
    // time the link itself is recovered, and its talk with it.
    for (const kind of ["new", "recovered"]) {
      await west.page.keyboard.down("F2");
      await west.ptt("TX");
      assert.equal((await talkers()).length, 1);
      await west.page.evaluate(() => (window.cut = window.link).close());
      await west.ptt("IDLE");
      await west.page.waitForFunction(() => window.link !== window.cut && window.link.readyState === WebSocket.OPEN);
      await west.ready("FIRE");
      await west.page.keyboard.up("F2");
      await until(`nobody talks any more over the ${kind} link`, async () => (await talkers()).length === 0);
    }
    // What the page sends between its close() and the end of the socket, Chromium complains of.
    west.silent(/already in CLOSING or CLOSED/);
    await west.close();
  });

  await t.test("a server that does not answer is shown as stale, then disconnected, then connected again", async () => {
    // Right after a ping: only then the link is stale before it is given up.
    const pinged = new Promise((give) => devtools.on("Network.webSocketFrameReceived", (f) => f.response.payloadData === "2" && give()));
    await devtools.send("Network.enable");
    await pinged;
    await devtools.send("Network.disable");
    service.freeze();
    try {
      await page.locator("[data-part=health][data-state=stale]").waitFor();
      await page.locator("[data-part=link-strip]", { hasText: "This display may be out of date." }).waitFor();
      await page.locator("[data-part=health][data-state=disconnected]").waitFor();
    } finally {
      service.thaw();
    }
    await page.locator("[data-part=health][data-state=connected]").waitFor();
    await page.locator("[data-part=link-strip]").waitFor({ state: "detached" });
    await north.ready();
  });

  await t.test("no errors in the browser", () => north.silent());
});
