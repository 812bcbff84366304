// Voice in a real browser against the running service: what page A says into its
// microphone is compared with what others hear.
import assert from "node:assert/strict";
import test from "node:test";
import { io } from "socket.io-client";
import { again } from "./voice/again.mjs";
import { Console } from "./voice/console.mjs";
import { aligned, bursts, correlation, energy } from "./voice/envelope.mjs";
import { browser, folder, login, page, Service } from "./voice/service.mjs";
import { passes, until } from "./wait.mjs";

const patrol = "154.755";
const fire = "154.28";
const sheriff = "460.25"; // digital

/** When recordings begin to count, ms; the test that records says so. */
let epoch = 0;

/** together begins a recording on several consoles. */
function together(...consoles) {
  epoch = Date.now();
  return Promise.all(consoles.map((c) => c.record(epoch)));
}

/** legacy is a Socket.IO client of the old kind; it keeps what it hears. */
async function legacy(t, url, callsign, id) {
  const socket = io(url, { auth: await login(url, callsign, id), transports: ["websocket"], forceNew: true });
  t.after(() => socket.close());
  const heard = [];
  socket.on("voice", (v) => heard.push(v));
  await new Promise((done) => socket.once("connect", done));
  return { socket, heard, id };
}

/** How long after it was said something is heard at most, in 10 ms. */
const late = 60;

/** wantHeard compares each burst of a recording with what was heard of it; gapless: what was heard has only the speech in it. */
function wantHeard(t, who, sent, heard, count, gapless = false) {
  const said = bursts(sent);
  assert.equal(said.length, count, `${who}: ${count} bursts were said`);
  // A jitter buffer on a busy machine may conceal a frame or two of the beginning.
  const least = gapless ? 0.5 : 0.35;
  let from = 0;
  said.forEach(([begin, end], i) => {
    const stretch = sent.slice(begin, end);
    const found = gapless ? aligned(stretch, heard, from) : aligned(stretch, heard, begin - 20, begin + late);
    const fit = correlation(stretch, found.heard);
    // The first syllable: the first 200 ms by themselves, and their loudness.
    const [first, again] = [stretch.slice(0, 20), found.heard.slice(0, 20)];
    const kept = energy(again) / energy(first);
    const name = `${who}, burst ${i + 1} of ${(end - begin) * 10} ms`;
    t.diagnostic(`${name}: fit ${fit.toFixed(3)}; first 200 ms at ${(10 * Math.log10(kept)).toFixed(1)} dB`);
    assert.ok(fit > 0.9, `${name}: envelopes fit ${fit.toFixed(3)}, want above 0.9`);
    assert.ok(kept > least && kept < 2, `${name}: the first 200 ms came with ${(100 * kept).toFixed(0)} % of their energy`);
    // The same measure must tell another voice apart, or it would prove nothing.
    const other = sent.slice(...said[(i + 1) % said.length]).slice(0, stretch.length);
    if (said.length > 1) {
      const control = correlation(other, aligned(other, heard, found.lag - 20, found.lag + 20).heard);
      assert.ok(control < fit - 0.05, `${name}: another burst fits as well (${control.toFixed(3)})`);
    }
    from = found.end - 30;
  });
}

test("voice in the browser", async (t) => {
  const dir = folder(t);
  const [service, site, chrome] = await Promise.all([Service.start(t, dir), page(t, dir), browser(t, dir)]);
  const { url } = service;
  const context = await chrome.newContext();
  const open = (callsign, id, more = {}) => Console.open(context, { url, site, callsign, id, ...more });
  const a = await open("Adam", -11);
  const b = await open("Boy", -12);
  await Promise.all([a.on("webrtc"), b.on("webrtc")]);
  const old = await legacy(t, url, "Legacy", -13);

  await t.test("a console and a legacy client hear three bursts from the first syllable on", async (t) => {
    await a.emit("setSpeakerChannel", patrol);
    await b.emit("setSpeakerChannel", patrol);
    await old.socket.emitWithAck("setSpeakerChannel", patrol);
    let tones = 0;
    await again(t, async () => {
      tones = (await a.get("tones")).length;
      old.heard.length = 0;
      await together(a, b);
      for (let i = 0; i < 3; i++) {
        await a.talk(patrol, 1200);
        await passes(400, "the gap that tells two bursts apart");
      }
      await b.hearsOut();
      const { sent } = await a.stop();
      const heard = await b.stop();
      const presses = await a.get("presses");
      bursts(sent).forEach(([begin], i) => {
        // On the clock of the samples; the reader himself pauses for up to 60 ms.
        assert.ok(begin - presses[i] <= 10, `burst ${i + 1}: the gate opened ${(begin - presses[i]) * 10} ms after the key`);
      });
      t.diagnostic(`presses ${presses}, gate ${bursts(sent).map(([x]) => x)}`);
      t.diagnostic(`concealed: ${JSON.stringify(await b.tab.evaluate(() => window.station.link.counters()))}`);
      const slot = await b.slotOf(a.id);
      assert.ok(slot !== undefined, "a slot was announced");
      wantHeard(t, "console", sent, heard[slot], 3);
      assert.ok(old.heard.every((v) => v.serverId === a.id && v.frequency === patrol && v.receiveType === "speaker"));
      wantHeard(t, "legacy client", sent, await b.tab.evaluate((p) => window.station.decode(p), old.heard.map((v) => v.data)), 3, true);
    });
    assert.deepEqual([await a.get("offers"), await b.get("offers")], [1, 1], "nothing was negotiated again");
    assert.deepEqual((await a.get("tones")).slice(tones), ["permit", "permit", "permit"]);
  });

  await t.test("a denied talker is not heard at all", async (t) => {
    old.heard.length = 0;
    const before = (await b.get("slots")).length;
    const holder = await legacy(t, url, "Holder", -14);
    await holder.socket.emitWithAck("setSpeakerChannel", patrol);
    await together(a, b);
    // At once: the holder of the floor says nothing, and a floor without voice is a
    // lease that runs out.
    await holder.socket.emitWithAck("setTalking", { state: true, frequency: patrol });
    await a.press(patrol);
    await a.reaches("DENIED");
    const denied = await a.state();
    assert.deepEqual(denied.denials, [{ frequency: patrol, reason: "busy", holder: holder.id }]);
    await passes(1000, "the key is still held, and the reader still speaks: nobody hears it");
    await a.release();
    await a.reaches("IDLE"); // it has no floor to give back
    await holder.socket.emitWithAck("setTalking", { state: false, frequency: patrol });
    await passes(600, "what had got through would have arrived by now, and the gate is shut for half a second");
    const { sent } = await a.stop();
    const { sent: _, ...slots } = await b.stop();
    assert.ok(energy(sent.slice(-50)) === 0, "the gate is shut");
    assert.equal(old.heard.length, 0, "the legacy client heard nothing");
    assert.ok(!(await b.get("slots")).slice(before).some((x) => x.slots.some((y) => y.serverId === a.id)), "no slot was given");
    for (const [slot, e] of Object.entries(slots)) assert.ok(Math.max(...e) < 0.002, `slot ${slot} is silent: ${Math.max(...e)}`);
    assert.equal((await a.get("tones")).at(-1), "busy");
  });

  await t.test("a listener with two scanned channels hears both at once, in different slots", async (t) => {
    const c = await open("Charles", -15);
    const d = await open("David", -16);
    await Promise.all([c.on("webrtc"), d.on("webrtc")]);
    await c.emit("setSpeakerChannel", fire);
    await d.emit("addListeningChannel", patrol);
    await d.emit("addListeningChannel", fire);
    await again(t, async () => {
      await together(a, c, d);
      await Promise.all([a.talk(patrol, 1600), passes(400, "the second talker begins while the first is talking").then(() => c.talk(fire, 1600))]);
      await d.hearsOut();
      const [said, other, heard] = await Promise.all([a, c, d].map((x) => x.stop()));
      const [one, two] = [await d.slotOf(a.id), await d.slotOf(c.id)];
      assert.ok(one !== undefined && two !== undefined && one !== two, `slots ${one} and ${two}`);
      const at = (await d.get("slots")).find((x) => x.slots.length === 2).slots;
      assert.deepEqual(at.map((x) => [x.serverId, x.frequency, x.receiveType]).sort(), [[a.id, patrol, "listener"], [c.id, fire, "listener"]].sort());
      wantHeard(t, "first channel", said.sent, heard[one], 1);
      wantHeard(t, "second channel", other.sent, heard[two], 1);
    });
    await Promise.all([c, d].map((x) => x.tab.close()));
  });

  await t.test("on a digital channel a browser hears a legacy client's 11-byte frames", async (t) => {
    const p25 = await legacy(t, url, "Portable", -20);
    await p25.socket.emitWithAck("setVoiceEncoding", "imbe");
    for (const who of [a, b]) await who.emit("setSpeakerChannel", sheriff);
    await p25.socket.emitWithAck("setSpeakerChannel", sheriff);
    await again(t, async () => {
      p25.heard.length = 0;
      await together(a, b);
      await a.talk(sheriff, 1600);
      await b.hearsOut();
      const { sent } = await a.stop();
      const heard = (await b.stop())[await b.slotOf(a.id)];
      assert.ok(p25.heard.length > 60, `${p25.heard.length} frames`);
      for (const v of p25.heard) {
        assert.equal(v.encoding, "imbe");
        assert.equal(Buffer.from(v.data, "base64").length, 11);
      }
      const frames = service.decodeIMBE(Buffer.concat(p25.heard.map((v) => Buffer.from(v.data, "base64"))));
      const loud = frames.slice(10, 150); // the coder's delay, and the end that a shut gate leaves
      const same = correlation(loud, aligned(loud, heard, 0, heard.length).heard);
      const [[begin, end]] = bursts(sent);
      const said = sent.slice(begin, end - 15);
      const fit = correlation(said, aligned(said, heard, begin - 20, begin + late).heard);
      t.diagnostic(`frames against browser: ${same.toFixed(3)}; speech against browser: ${fit.toFixed(3)}`);
      assert.ok(same > 0.9, `the frames hold something else than the browser hears: ${same.toFixed(3)}`);
      assert.ok(fit > 0.85, `the browser does not hear what was said: ${fit.toFixed(3)}`);
    });
    for (const who of [a, b]) await who.emit("setSpeakerChannel", patrol);
    p25.socket.close();
  });

  await t.test("without WebRTC, Socket.IO carries voice both ways", async (t) => {
    const e = await open("Edward", -17, { webrtc: "none" });
    assert.deepEqual(await e.get("link.state.reason"), "no-webrtc");
    await e.on("socket");
    await e.emit("setSpeakerChannel", patrol);
    await again(t, async () => {
      await until("the last burst is over", () => e.tab.evaluate(() => window.station.engine.sources.length === 0));
      await together(e, b);
      await e.talk(patrol, 1500);
      await b.hearsOut();
      const { sent } = await e.stop();
      const heard = await b.stop();
      wantHeard(t, "socket to WebRTC", sent, heard[await b.slotOf(e.id)], 1);
      await together(a);
      await a.press(patrol);
      await until("voice arrives", () => e.tab.evaluate(() => window.station.engine.sources.length > 0));
      await together(e);
      await e.records("0", 1500);
      const meter = await e.tab.evaluate(async (f) => {
        let most = 0;
        for (let i = 0; i < 30; i++, await new Promise(requestAnimationFrame)) most = Math.max(most, window.station.engine.meter(f));
        return most;
      }, patrol);
      const back = (await e.stop())["0"];
      await a.release();
      await a.givesBack();
      const said = (await a.stop()).sent;
      assert.ok(meter > 0.02, `the channel's meter shows ${meter}`);
      // The recording began in the middle of the burst, so what it has is looked for
      // in what was said.
      const part = back.slice(20, 140);
      const fit = correlation(part, aligned(part, said, 0, said.length).heard);
      t.diagnostic(`WebRTC to socket: fit ${fit.toFixed(3)}`);
      assert.ok(fit > 0.9, `WebRTC to socket: fit ${fit.toFixed(3)}`);
    });
    await e.tab.close();
  });

  await t.test("the self-test hears itself and measures the round trip", async (t) => {
    await again(t, async () => {
      const test = await a.tab.evaluate(() => window.station.link.selfTest());
      t.diagnostic(`self-test: ${JSON.stringify(test)}`);
      assert.ok(test.sent === 5 && test.heard >= 4 && test.roundTrip > 0, JSON.stringify(test));
    });
  });

  await t.test("a talker without audio is reported as a fault", async () => {
    const silent = await legacy(t, url, "Silent", -18);
    await silent.socket.emitWithAck("setSpeakerChannel", patrol);
    await silent.socket.emitWithAck("setTalking", { state: true, frequency: patrol });
    const fault = await until("the fault is shown", async () => (await b.get("link.faults"))[0]);
    assert.deepEqual([fault.serverId, fault.frequency], [silent.id, patrol]);
    await silent.socket.emitWithAck("setTalking", { state: false, frequency: patrol });
    await until("the fault is over", async () => (await b.get("link.faults")).length === 0);
    silent.socket.close();
  });

  await t.test("without a microphone a console listens, is told why, and cannot key", async (t) => {
    const f = await open("Frank", -19, { deaf: true });
    await f.on("webrtc");
    assert.equal(await f.get("link.state.noMicrophone"), "denied");
    await f.emit("setSpeakerChannel", patrol);
    await f.press(patrol);
    assert.equal((await f.state()).state, "IDLE");
    await again(t, async () => {
      await together(a, f);
      await a.talk(patrol, 1000);
      await f.hearsOut();
      const { sent } = await a.stop();
      const heard = await f.stop();
      wantHeard(t, "listener", sent, heard[await f.slotOf(a.id)], 1);
    });
    await f.tab.close();
  });

  await t.test("a weak unit is heard in noise on both planes, a near one is not", async (t) => {
    const g = await open("George", -19, { webrtc: "none" });
    await g.on("socket");
    for (const c of [b, g]) {
      await c.emit("setSpeakerChannel", patrol);
      await c.tab.evaluate(() => window.station.engine.setSignal({ noise: 1, dropouts: 0 }));
    }
    const { playerToken } = await service.player("connect", { serverId: 77, name: "Far away" });
    const unit = io(url, { auth: { authToken: playerToken, serverId: 77 }, transports: ["websocket"], forceNew: true });
    t.after(() => unit.close());
    await unit.emitWithAck("setSpeakerChannel", patrol);
    const place = (y) => service.player("positions", { positions: [{ serverId: 77, x: 0, y, z: 0 }] });
    /** The last half second of what both consoles hear while the unit says nothing, RMS. */
    const hears = async (y) => {
      await place(y);
      await unit.emitWithAck("setTalking", { frequency: patrol, state: true });
      const quiet = setInterval(() => unit.emit("voice", { data: "+P/+", encoding: "opus", frequency: patrol }), 20);
      try {
        await until("both hear the unit", async () =>
          (await Promise.all([b, g].map((c) => c.get("link.heard")))).every((all) => all.some((h) => h.serverId === 77)));
        const slot = String((await b.get("slots")).at(-1).slots.find((s) => s.serverId === 77).slot);
        await together(b, g);
        await Promise.all([b.records(slot, 1000), g.records("0", 1000)]);
        const recordings = [(await b.stop())[slot], (await g.stop())["0"]];
        return recordings.map((r) => Math.sqrt(r.slice(-50).reduce((sum, v) => sum + v * v, 0) / 50));
      } finally {
        clearInterval(quiet);
        await unit.emitWithAck("setTalking", { frequency: patrol, state: false });
        await until("nobody hears the unit", async () =>
          (await Promise.all([b, g].map((c) => c.get("link.heard")))).every((all) => all.length === 0));
        await until("the last burst is over", () => g.tab.evaluate(() => window.station.engine.sources.length === 0));
      }
    };
    const [far, near, edge] = [await hears(900), await hears(0), await hears(2000)];
    t.diagnostic(`noise at 900 m: ${far.map((v) => v.toFixed(3))}, at the site ${near.map((v) => v.toFixed(3))}, out of range ${edge.map((v) => v.toFixed(3))}`);
    const said = (await b.get("slots")).flatMap((s) => s.slots).filter((s) => s.serverId === 77);
    assert.deepEqual([...new Set(said.map((s) => s.signal))], [20, undefined, 0], "what webrtc:slots said of the signal");
    for (const plane of [0, 1]) {
      assert.ok(far[plane] > 0.05, `plane ${plane}: noise ${far[plane]} of a weak unit`);
      assert.ok(near[plane] < 0.003, `plane ${plane}: noise ${near[plane]} of a near unit`);
      assert.ok(edge[plane] > far[plane] * 1.1, `plane ${plane}: noise ${edge[plane]} out of range, ${far[plane]} at its edge`);
    }
    await g.tab.close();
  });

  await t.test("a server crash in mid-sentence leaves no key stuck, and voice comes back by itself", async (t) => {
    await a.press(patrol);
    await a.reaches("TX");
    await service.stop("SIGKILL");
    await a.reaches("IDLE");
    assert.equal((await a.state()).forced, "socket");
    assert.equal(await a.get("engine.microphone.open"), false);
    await until("the loss is shown", async () => (await a.get("link.state.reason")) === "offline");
    await service.start();
    await Promise.all([a.on("webrtc"), b.on("webrtc")]);
    // Channels are the session's business, not voice's.
    await a.emit("setSpeakerChannel", patrol);
    await b.emit("setSpeakerChannel", patrol);
    await again(t, async () => {
      const before = (await b.get("slots")).length;
      await together(a, b);
      await a.talk(patrol, 1000);
      await b.hearsOut();
      const { sent } = await a.stop();
      const heard = await b.stop();
      const me = await a.get("id");
      const slot = (await b.get("slots")).slice(before).flatMap((s) => s.slots).find((s) => s.serverId === me).slot;
      wantHeard(t, "after the restart", sent, heard[slot], 1);
    });
  });

  await t.test("selected, ducked, muted and panned channels are as loud as they should be", async (t) => {
    const level = (of, then) => b.tab.evaluate(([o, c]) => window.station.mixed(o, c), [of, then]);
    const digital = { kind: "digital" }; // no effects in the way
    const both = await level({ [patrol]: { ...digital, selected: true }, [fire]: { ...digital, selected: false } });
    const decibels = (x, y) => 20 * Math.log10(x / y);
    const near = (got, want, what) => assert.ok(Math.abs(got - want) < 0.5, `${what}: ${got.toFixed(2)} dB, want ${want}`);
    near(decibels(both.unselected, both.selected), -9, "unselected under selected");
    const emergency = await level({ [patrol]: { emergency: true } });
    near(decibels(emergency.unselected, emergency.selected), -24, "anything under an emergency");
    assert.ok((await level({ [fire]: { muted: true } })).unselected < 1e-4);
    const right = await level({ [patrol]: { emergency: false }, [fire]: { muted: false, pan: 1 } });
    assert.ok(right.unselected < 1e-4, "nothing is left of it on the left");
    t.diagnostic(JSON.stringify({ both, emergency }));
  });

  await t.test("every tone that the panel makes can be played", async () => {
    await b.tab.evaluate(() => window.station.engine.setMaster({ sfxVolume: 0.1 }));
    await b.tab.evaluate(() => Promise.all(["PERMIT", "GRANT", "BUSY", "LINK_LOST", "LINK_RESTORED", "no such tone"].map((n) => window.station.engine.playTone(n))));
    const devices = await b.tab.evaluate(() => window.station.engine.devices());
    assert.ok(devices.microphones.length > 0 && devices.microphones.every((d) => d.id !== ""));
  });

  await t.test("no errors in the pages", () => {
    // The browser may complain about the socket that the service's death has cut.
    const unexpected = [...a.errors, ...b.errors].filter((e) => !/WebSocket connection to|ERR_CONNECTION/.test(e));
    assert.deepEqual(unexpected, []);
  });
});
