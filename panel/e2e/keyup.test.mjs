// What the key lets out of a console's connection, in Chromium: all that was said from the
// key to its release, and nothing else.
import assert from "node:assert/strict";
import test from "node:test";
import { io } from "socket.io-client";
import { again } from "./voice/again.mjs";
import { Console } from "./voice/console.mjs";
import { energy } from "./voice/envelope.mjs";
import { browser, folder, login, page, Service } from "./voice/service.mjs";
import { passes, until } from "./wait.mjs";

const patrol = "154.755";
const count = 20;
/** How long the key is held, ms: three frames. */
const held = 60;
/**
 * Behind a gate the encoder runs already: a burst keeps this much of its tone's energy at
 * least, all but a quarter of a frame at each end; a lost frame is a third of it. Without a
 * gate it starts with the key, and where the machine is busy a frame may be lost. spare:
 * packets that may leave after the floor was given back, with silence in them.
 */
const ways = [
  { name: "behind a gate", gates: true, spare: 0, least: 0.83, id: -11 },
  { name: "without a gate, as in the game", gates: false, spare: 1, least: 0.6, id: -12 },
];

/** Keys a steady tone, so that energy counts milliseconds, and collects the page's connections. */
function prepare(gates) {
  if (!gates) delete globalThis.RTCRtpScriptTransform;
  window.connections = [];
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...of) {
      super(...of);
      window.connections.push(this);
    }
  };
}

/** RTP packets that a console has sent. */
function sent(desk) {
  return desk.tab.evaluate(async () => {
    let packets = 0;
    for (const c of window.connections) for (const s of (await c.getStats()).values()) if (s.type === "outbound-rtp") packets += s.packetsSent;
    return packets;
  });
}

/** One burst: what passed the microphone's gate, and what arrived. */
async function burst(desk, radio) {
  radio.heard.length = 0;
  const before = await sent(desk);
  await desk.record(Date.now());
  await desk.tab.evaluate(async ([frequency, ms]) => {
    window.station.press(frequency);
    await new Promise((done) => setTimeout(done, ms));
    window.station.release();
  }, [patrol, held]);
  await desk.reaches("IDLE");
  let packets = 0;
  await until("the last packet of the burst has left", async () => {
    const now = (await sent(desk)) - before;
    const same = now === packets && now > 0;
    packets = now;
    return same;
  });
  for (let i = 0; i < 20 && radio.heard.length < packets; i++) await passes(20, "the last packets are on their way");
  const { sent: said } = await desk.stop();
  const heard = await desk.tab.evaluate((p) => window.station.decode(p), radio.heard.map((v) => v.data));
  return { packets, arrived: radio.heard.length, kept: energy(heard) / energy(said) };
}

test("key-up", async (t) => {
  const dir = folder(t);
  const [service, site, chrome] = await Promise.all([Service.start(t, dir), page(t, dir), browser(t, dir)]);
  const { url } = service;
  const socket = io(url, { auth: await login(url, "Legacy", -13), transports: ["websocket"], forceNew: true });
  t.after(() => socket.close());
  const radio = { socket, heard: [] };
  socket.on("voice", (v) => radio.heard.push(v));
  await new Promise((done) => socket.once("connect", done));
  await socket.emitWithAck("setSpeakerChannel", patrol);

  for (const { name, gates, spare, least, id } of ways) {
    await t.test(name, async (t) => {
      const context = await chrome.newContext();
      await context.addInitScript(prepare, gates);
      const desk = await Console.open(context, { url, site, callsign: `Desk${id}`, id, releaseDelay: 0 });
      await desk.on("webrtc");
      await desk.emit("setSpeakerChannel", patrol);
      await desk.tab.evaluate(() => {
        const { context, microphone } = window.station.engine;
        microphone.setGain(0); // instead of the reader, a tone that begins and ends with the key
        const tone = new OscillatorNode(context, { frequency: 440 });
        tone.connect(new GainNode(context, { gain: 0.5 })).connect(microphone.behind);
        tone.start();
      });
      await passes(1000, "an encoder that sends by itself would have sent fifty packets");
      assert.equal(await sent(desk), 0, "packets before the first key-up");

      await again(t, async () => {
        const all = [];
        for (let i = 0; i < count; i++) all.push(await burst(desk, radio));
        const kept = all.map((b) => b.kept).sort((a, b) => a - b);
        t.diagnostic(`${count} bursts of ${held} ms: ${all.map((b) => b.packets).join(" ")} packets; kept ${kept.map((k) => k.toFixed(2)).join(" ")}`);
        for (const [i, b] of all.entries()) assert.ok(b.arrived >= b.packets - spare && b.arrived <= b.packets, `burst ${i + 1}: ${b.arrived} of ${b.packets} frames arrived`);
        assert.ok(kept[count / 2] > 0.95, `half of the bursts came with ${(100 * kept[count / 2]).toFixed(0)} % of their energy`);
        assert.ok(kept[0] > least, `a burst came with ${(100 * kept[0]).toFixed(0)} % of its energy`);
      });

      const before = await sent(desk);
      await passes(1000, "nobody keys");
      assert.equal(await sent(desk), before, "packets while the key is released");

      await again(t, async () => {
        radio.heard.length = 0;
        const off = await desk.tab.evaluate(async (frequency) => {
          const { socket } = window.station;
          const said = [];
          const hear = (event, p) => event === "setTalking" && said.push(p.state);
          socket.onAnyOutgoing(hear);
          for (let i = 0; i < 10; i++) {
            window.station.press(frequency);
            await new Promise((done) => setTimeout(done, 5));
            window.station.release();
          }
          window.station.press(frequency);
          while (window.station.ptt.ptt.state !== "TX") await new Promise((done) => setTimeout(done, 5));
          window.station.release();
          while (said.at(-1)) await new Promise((done) => setTimeout(done, 5));
          socket.offAnyOutgoing(hear);
          return said;
        }, patrol);
        assert.deepEqual(off, Array.from({ length: 22 }, (_, i) => i % 2 === 0), "each key-up is told, then its release");
      });
      await until("the floor is free", async () => (await radio.socket.emitWithAck("setTalking", { state: true, frequency: patrol })).success);
      await radio.socket.emitWithAck("setTalking", { state: false, frequency: patrol });
      assert.deepEqual(desk.errors, []);
      await context.close();
    });
  }
});
