// UDP that is blocked from the start, or dies in mid-session: how long it takes until
// voice is heard again, and until it is back on WebRTC.
import { passes } from "../../e2e/wait.mjs";
import { lags, outline, rate } from "./waveform.mjs";

const ms = rate / 1000;
/** Heard is louder than -46 dBFS over 10 ms; the reader makes no pause. */
const audible = 0.005;
/** A silence is longer than what a jitter buffer conceals, ms. */
const silence = 200;
/** After that long without voice nobody waits any more, ms. */
const patience = 60_000;
/** How long voice must be there before the next act, ms. */
const sure = 3000;

const blocked = { up: { cut: true }, down: { cut: true } };

/** silences are the stretches of a recording from a moment on in which nothing is heard: [from, to), ms. */
export function silences(samples, from) {
  const loud = outline(samples, from * ms, Math.floor(samples.length / ms / 10 - from / 10), 10);
  const out = [];
  let since = null;
  for (let i = 0; i <= loud.length; i++) {
    const quiet = i < loud.length && loud[i] < audible;
    if (quiet) since ??= i;
    else if (since !== null) {
      if ((i - since) * 10 >= silence) out.push([from + since * 10, from + i * 10]);
      since = null;
    }
  }
  return out;
}

/** Waits until voice has been heard for a while without a break, or nobody waits any more; true: it was heard. */
async function heardOn(scene, ready = () => true) {
  const end = performance.now() + patience;
  let since = null;
  while (performance.now() < end) {
    const v = await scene.tab.evaluate(() => window.bench.view);
    if (v.loudness < audible || !ready(v)) since = null;
    else if (v.now - (since ??= v.now) > sure) return true;
    await passes(100, "a poll");
  }
  return false;
}

/** Whether what is heard between two moments, ms of the recording, is what was said. */
const same = (graph, from, to) => lags(graph.said, graph.heard, from, to).length * 80 > (to - from) * 0.3;

/** blockedAtStart: the UDP of one of both never works. Returns ms from the key-up to voice, and from the start to the settled plane. */
export async function blockedAtStart(stage, who, seed) {
  const scene = await stage.scene({ material: "dense.wav", before: (s) => s[who].impair(blocked) });
  try {
    await scene.read((seed * 2.1) % 5);
    await scene.record();
    await scene.start();
    const pressed = await scene.tab.evaluate(() => (window.bench.hold(), window.bench.now));
    const heard = await heardOn(scene, (v) => v[who].plane !== "connecting");
    const view = await scene.tab.evaluate(() => (window.bench.let(), window.bench.view));
    const { graph } = await scene.take();
    const from = Math.round(pressed - graph.said.from);
    const quiet = silences(graph.heard.samples, from);
    // The first silence is that before the first syllable; one shorter than 200 ms is measured all the same.
    const loud = outline(graph.heard.samples, from * ms, Math.floor(graph.heard.samples.length / ms / 5 - from / 5), 5, 5);
    const log = view[who].log;
    const at = (what) => log.find((l) => l.what === what)?.at;
    return {
      heard,
      voice: loud.findIndex((v) => v >= audible) * 5,
      breaks: quiet.slice(quiet[0]?.[0] === from ? 1 : 0).reduce((sum, [a, b]) => sum + b - a, 0),
      settled: (at("socket") ?? NaN) - at("start"),
      real: same(graph, from + 1000, from + 3000),
    };
  } finally {
    await scene.close();
  }
}

/** diesInSession: the UDP of one of both dies while somebody talks, and later comes back. */
export async function diesInSession(stage, who, seed) {
  const scene = await stage.scene({ material: "dense.wav" });
  try {
    await scene.connected();
    await scene.read((seed * 2.1) % 5);
    await scene.record();
    await scene.tab.evaluate(() => window.bench.hold());
    await heardOn(scene);
    const now = () => scene.tab.evaluate(() => window.bench.now);
    const cut = await now();
    scene[who].impair(blocked);
    await passes(silence + 300, "what has come is played, and the silence begins");
    const heard = await heardOn(scene);
    const back = await now();
    scene[who].impair();
    const returned = heard && (await heardOn(scene, (v) => v[who].plane === "webrtc"));
    const view = await scene.tab.evaluate(() => (window.bench.let(), window.bench.view));
    const { graph } = await scene.take();
    const base = graph.said.from;
    const end = Math.floor(graph.heard.samples.length / ms) - 500;
    const quiet = silences(graph.heard.samples, Math.round(cut - base)).filter(([a]) => a < end);
    const during = quiet.filter(([a]) => a < back - base);
    const after = quiet.filter(([a]) => a >= back - base);
    const webrtc = view[who].log.findLast((l) => l.what === "webrtc");
    return {
      heard, returned,
      // From the cut until voice is there again and stays.
      voice: during.length === 0 ? 0 : Math.round(during.at(-1)[1] - (cut - base)),
      deaf: during.reduce((sum, [a, b]) => sum + b - a, 0),
      webrtc: webrtc && webrtc.at > back ? Math.round(webrtc.at - back) : NaN,
      // Silence while voice moves back.
      breaks: after.reduce((sum, [a, b]) => sum + b - a, 0),
      pressed: view.talker.log.filter((l) => l.what === "REQUESTED").length,
      real: same(graph, back - base - 2500, back - base),
      log: view[who].log.map((l) => `${l.what} ${Math.round(l.at - cut)}`),
    };
  } finally {
    await scene.close();
  }
}
