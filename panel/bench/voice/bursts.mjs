// Short transmissions: whether the first and the last syllable are there.
import { energy } from "../../e2e/voice/envelope.mjs";
import { random } from "./impairment.mjs";
import { fits, median, outline, rate } from "./waveform.mjs";

/** How long the key is held, ms. */
export const lengths = [60, 100, 200, 2000];
/** The parts that must be there, ms. */
const first = 200;
const last = 100;

/** Steps of an envelope, ms. */
const step = 5;
const ms = rate / 1000;
/** A step that is heard at least this loud is there: codecs are off by up to 2 dB. */
const loud = 0.8;
/** The gate is open: a sample above -48 dBFS; without a pause speech is far above. */
const open = 0.004;
/** How much of a burst is looked at to find its beginning or its end, ms. */
const around = 300;
/** No voice comes later, ms. Bursts are further apart, so that none is taken for another. */
const latest = 500;

/**
 * How the key is used: in running speech, all of which is cut off where the key is
 * released; or by somebody who speaks while it is down, at a console as it is
 * configured by default (Config.pttReleaseDelay).
 */
export const manners = {
  cut: { title: "key in running speech, cut off at its release", releaseDelay: 0, pointed: false },
  usual: { title: "speech with the key, the microphone open for 350 ms more", releaseDelay: 350, pointed: true },
};

/** Transmits so many bursts of a length in a fresh page; returns each one's shares. */
export async function transmit(stage, { held, count, manner, seed }) {
  const { releaseDelay, pointed } = manners[manner];
  const scene = await stage.scene({ material: "dense.wav", releaseDelay });
  try {
    await scene.connected();
    await scene.read((seed * 1.7) % 5);
    await scene.record();
    const next = random(seed);
    const pauses = Array.from({ length: count }, () => Math.round(700 + releaseDelay + 200 * next()));
    const pressed = await scene.tab.evaluate(([h, p, q]) => window.bench.bursts(h, p, q), [held, pauses, pointed]);
    const { said, heard } = (await scene.take()).graph;
    const at = [...pressed.map((p) => Math.round((p - said.from) * ms)), said.samples.length];
    return pressed.map((_, i) => burst(said.samples, heard.samples, at[i], at[i + 1])).filter((b) => b.length >= held / 2); // a page that was held up may have said nothing
  } finally {
    await scene.close();
  }
}

/** One burst, said somewhere in samples [from, to). first and last are the shares of its ends that were heard. */
export function burst(said, heard, from, to) {
  let begin = from;
  while (begin < to && Math.abs(said[begin]) < open) begin++;
  let end = to;
  while (end > begin && Math.abs(said[end - 1]) < open) end--;
  const length = (end - begin) / ms;
  const steps = Math.floor(length / step);
  const loudness = (samples, count) => energy(outline(samples, begin, count, step));
  if (loudness(heard, steps + latest / step) < 0.05 * loudness(said, steps)) return { length, lag: NaN, missing: true, first: 0, last: 0 };
  // The beginning and the end by themselves: in between, a jitter buffer fills.
  const n = Math.min(steps, around / step);
  const early = part(said, heard, begin, n);
  const late = part(said, heard, begin + (steps - n) * step * ms, n);
  return { length, lag: late.lag, missing: false, first: early.share(0, Math.min(n, first / step)), last: late.share(n - Math.min(n, last / step), n) };
}

/** part follows a part of what was said, so many steps from a sample on. share is how much of steps [a, b) is there. */
function part(said, heard, begin, steps) {
  const spoken = outline(said, begin, steps, step);
  const came = anchors(said, heard, begin, steps * step * ms).map((place) => ({
    lag: (place - begin) / ms,
    ...followed(spoken, outline(heard, place - room * step * ms, steps + 2 * room, step), room),
  }));
  const best = came.reduce((a, b) => (b.cost < a.cost ? b : a));
  const share = (a, b) => {
    let [got, want] = [0, 0];
    for (let i = a; i < b; i++) {
      got += Math.min(spoken[i], best.heard[i] / loud);
      want += spoken[i];
    }
    return got / want;
  };
  return { lag: best.lag, share };
}

/** anchors are the places where the waveforms fit almost as well as at the best one: a vowel is much like itself a moment later. */
function anchors(said, heard, begin, n) {
  const { from, fits: all } = fits(said, begin, n, heard, begin - 5 * ms, begin + latest * ms);
  const best = all.reduce((a, b) => Math.max(a, b), 0);
  const out = [];
  for (let i = 1; i + 1 < all.length; i++)
    if (all[i] >= 0.9 * best && all[i] > all[i - 1] && all[i] >= all[i + 1]) out.push(from + i);
  return out.length > 0 ? out : [begin];
}

/**
 * What it costs when heard is stretched or squeezed by a step; a missing step costs its
 * loudness, at most 1, so that a quiet end counts too. At the beginning of a burst a
 * jitter buffer fills and stretches what it plays. It seldom squeezes, and in a squeeze,
 * where heard is found twice, a missing syllable could hide: so it costs more than the
 * syllable.
 */
const stretchCost = 0.05;
const squeezeCost = 1.5;
/** How far the lag may be from where the waveforms fit, in steps. */
const band = 20;
/** What is looked at before the place and after the end of what was heard, in steps. */
const room = band + 10;

/** followed returns what was heard for each step of what was said, and how badly it fits; heard is late by about lag steps. */
function followed(said, heard, lag) {
  const scale = Math.max(...said);
  const width = 2 * band + 1;
  /** What a lag costs that changes to another one, in steps. */
  const change = (from, to) => (to > from ? (to - from) * stretchCost : (from - to) * squeezeCost);
  const at = (i, k) => heard[i + lag + k - band] ?? 0;
  let cost = Float64Array.from({ length: width }, (_, k) => change(k, band));
  const came = said.map((v, i) => {
    const next = new Float64Array(width);
    const step = new Int8Array(width);
    for (let k = 0; k < width; k++) {
      let best = cost[k];
      for (const d of [-1, 1]) {
        const c = (cost[k + d] ?? Infinity) + change(k + d, k);
        if (i > 0 && c < best) [best, step[k]] = [c, d];
      }
      next[k] = best + Math.abs(v - at(i, k)) / scale;
    }
    cost = next;
    return step;
  });
  const whole = cost.map((c, j) => c + change(band, j));
  const least = Math.min(...whole);
  let k = whole.indexOf(least);
  const out = new Array(said.length);
  for (let i = said.length - 1; i >= 0; i--) {
    out[i] = at(i, k);
    if (i > 0) k += came[i][k];
  }
  return { heard: out, cost: least };
}

/** The figures of bursts of one length. */
export function summary(bursts) {
  const of = (key) => {
    const v = bursts.map((b) => b[key]);
    return { median: median(v), least: Math.min(...v), each: v };
  };
  return { count: bursts.length, missing: bursts.filter((b) => b.missing).length, first: of("first"), last: of("last"), lag: median(bursts.map((b) => b.lag)) };
}
