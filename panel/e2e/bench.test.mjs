// The measuring tools of the voice bench (bench/voice), on networks and recordings of
// which it is known what is wrong with them.
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import test from "node:test";
import { burst } from "../bench/voice/bursts.mjs";
import { Impairment, kindOf, losses, random } from "../bench/voice/impairment.mjs";
import { Network } from "../bench/voice/network.mjs";
import { silences } from "../bench/voice/outage.mjs";
import { lags, outline } from "../bench/voice/waveform.mjs";
import { speech } from "./voice/speech.mjs";
import { until } from "./wait.mjs";

/** A reader without pauses, 8 kHz, of whom every sixth sample of 48 kHz is taken. */
const wav = speech(0);
const reader = Float32Array.from({ length: Math.floor((wav.length - 44) / 12) }, (_, i) => wav.readInt16LE(44 + i * 12) / 32768);
const ms = 8;

/** A recording of that many ms: parts of [at, samples], ms. */
function recording(length, ...parts) {
  const out = new Float32Array(length * ms);
  for (const [at, samples] of parts) out.set(samples, at * ms);
  return out;
}
const read = (from, length) => reader.subarray(from * ms, (from + length) * ms);

test("a share of the packets is lost, in runs", () => {
  for (const [rate, run] of [[0.05, 1], [0.1, 1], [0.05, 4], [0.1, 4]]) {
    const lost = losses(rate, run, random(7));
    const fate = Array.from({ length: 2000 }, lost);
    const runs = fate.map((v) => (v ? "x" : ".")).join("").match(/x+/g).map((r) => r.length);
    assert.equal(fate.filter(Boolean).length, 2000 * rate);
    if (run > 1) assert.ok(runs.every((r) => r % run === 0), `runs of ${runs}`);
  }
  const [a, b, c] = [1, 1, 2].map((seed) => Array.from({ length: 200 }, losses(0.1, 1, random(seed))).join());
  assert.ok(a === b && a !== c, "a seed repeats itself, another one is another");
});

test("jitter keeps the order unless packets may overtake", () => {
  const leave = (o) => {
    const i = new Impairment(o, 3);
    return Array.from({ length: 200 }, (_, n) => i.leaves("rtp", n * 20));
  };
  const sorted = (v) => v.every((x, i) => i === 0 || x >= v[i - 1]);
  const queued = leave({ jitter: 60 });
  assert.ok(sorted(queued) && queued.every((at, n) => at >= n * 20 && at <= n * 20 + 60));
  assert.ok(!sorted(leave({ jitter: 60, overtake: true })));
  assert.deepEqual(leave({ delay: 50 }), Array.from({ length: 200 }, (_, n) => n * 20 + 50));
  assert.ok(leave({ cut: true }).every((at) => at === null));
});

test("packets on the media port are told apart", () => {
  const kinds = [[0, 1], [22, 254], [0x90, 0x6f], [0x90, 0xef], [0x81, 201], [255, 0]].map((b) => kindOf(Buffer.from(b)));
  assert.deepEqual(kinds, ["stun", "dtls", "rtp", "rtp", "rtcp", "other"]);
});

test("the network gives each socket of a browser an address of its own, and loses what it should", async (t) => {
  const service = createSocket("udp4").bind(0, "127.0.0.1");
  await once(service, "listening");
  service.on("message", (m, from) => service.send(Buffer.concat([m, Buffer.from([from.port >> 8, from.port & 255])]), from.port));
  const network = await Network.open(service.address().port);
  const browsers = [createSocket("udp4"), createSocket("udp4")];
  t.after(() => [service, network, ...browsers].forEach((x) => x.close()));
  const ask = async (browser, sequence) => {
    browser.send(Buffer.from([0x80, 111, sequence]), network.port, "127.0.0.1");
    return (await once(browser, "message"))[0];
  };
  const [one, two, again] = [await ask(browsers[0], 1), await ask(browsers[1], 2), await ask(browsers[0], 3)];
  assert.deepEqual([...one.subarray(0, 3)], [0x80, 111, 1]);
  assert.notDeepEqual(one.subarray(3), two.subarray(3));
  assert.deepEqual(one.subarray(3), again.subarray(3));
  // Nothing is lost on this machine, so what does not come back was dropped on purpose.
  network.reset();
  network.impair({ down: { loss: 0.5 } });
  let back = 0;
  browsers[0].on("message", () => back++);
  for (let i = 0; i < 100; i++) browsers[0].send(Buffer.from([0x80, 111, i]), network.port, "127.0.0.1");
  await until("all have been answered", () => network.counts.down.rtp === 100);
  await until("the others have come back", () => back === 50);
  assert.deepEqual(network.counts, { up: { rtp: 100, lost: 0 }, down: { rtp: 100, lost: 50 }, late: [] });
});

test("a burst that is all there, one without its ends, and none", () => {
  for (const length of [60, 100, 200, 2000]) {
    for (let at = 0; at < 6000; at += 700) {
      const what = `${length} ms from ${at}`;
      const said = recording(3000, [100, read(at, length)]);
      const hear = (from, to) => burst(said, recording(3000, [187 + from, read(at + from, to - from)]), 0, said.length);
      const whole = hear(0, length);
      assert.ok(whole.first > 0.98 && whole.last > 0.98, `${what}: ${whole.first} and ${whole.last} of all of it`);
      assert.ok(Math.abs(whole.lag - 87) < 1, `${what}: a lag of ${whole.lag}`);
      // At least half of what is gone is missed; the rest hides in the steps of the envelope and in its 2 dB.
      const cut = 0.4 * Math.min(length, 100);
      const sum = (from, to) => outline(read(at + from, to - from), 0, (to - from) / 2, 2, 2).reduce((a, b) => a + b, 0);
      const [first, last] = [Math.min(length, 200), Math.min(length, 100)];
      const [late, early] = [hear(cut, length), hear(0, length - cut)];
      const missed = [1 - late.first, 1 - early.last];
      const gone = [sum(0, cut) / sum(0, first), sum(length - cut, length) / sum(length - last, length)];
      for (const i of [0, 1]) assert.ok(missed[i] > gone[i] * 0.5 - 0.02, `${what}: ${missed[i].toFixed(3)} is missed of the ${gone[i].toFixed(3)} that is gone (${["first", "last"][i]})`);
      if (length === 2000) assert.ok(late.last > 0.98 && early.first > 0.98, "the other end is whole");
      assert.equal(whole.missing, false);
      const none = burst(said, recording(3000), 0, said.length);
      assert.deepEqual([none.missing, none.first, none.last], [true, 0, 0]);
    }
  }
});

test("a lag that changes is followed", () => {
  const said = { from: 5000, samples: recording(4500, [0, read(0, 4000)]) };
  const heard = { from: 4900, samples: recording(5000, [180, read(0, 2000)], [2250, read(2000, 2000)]) };
  const all = lags(said, heard);
  assert.ok(all.length > 30, `${all.length} places`);
  assert.ok(all.filter((l) => l.at < 1800).every((l) => Math.abs(l.lag - 80) < 1));
  assert.ok(all.filter((l) => l.at > 2000).every((l) => Math.abs(l.lag - 150) < 1));
});

test("silences are found, breaths are not", () => {
  const heard = recording(6000, [0, read(0, 1000)], [1100, read(0, 1900)], [4000, read(0, 1000)]);
  const found = silences(heard, 500);
  assert.equal(found.length, 2);
  for (const [i, want] of [[3000, 4000], [5000, 6000]].entries())
    assert.ok(Math.abs(found[i][0] - want[0]) <= 30 && Math.abs(found[i][1] - want[1]) <= 30, `${found[i]}, want ${want}`);
});
