// How far one recording is behind another, and how much of it is there. Samples are
// of 8 kHz.

export const rate = 8000;
const ms = rate / 1000;

/** decode reads what a page has recorded. */
export function decode({ from, samples }) {
  const b = Buffer.from(samples, "base64");
  return { from, samples: new Float32Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.length)) };
}

/**
 * outline is the RMS of samples from a place on: one value each step, over a window
 * around it, both ms. A window of 10 ms is about a period of a deep voice, so that it
 * does not matter where in the period a step begins.
 */
export function outline(samples, from, count, step = 5, window = 10) {
  const half = (window * ms) / 2;
  return Array.from({ length: count }, (_, i) => {
    const middle = Math.round(from + (i + 0.5) * step * ms);
    let sum = 0;
    for (let k = middle - half; k < middle + half; k++) sum += (samples[k] ?? 0) ** 2;
    return Math.sqrt(sum / (2 * half));
  });
}

/**
 * fits compares samples [at, at+n) of what was said with every place of what was heard
 * between from and to: how the waveforms correlate there. Silence correlates with
 * nothing.
 */
export function fits(said, at, n, heard, from, to) {
  let energy = 0;
  for (let i = 0; i < n; i++) energy += said[at + i] ** 2;
  from = Math.max(0, Math.round(from));
  to = Math.min(heard.length - n, Math.round(to));
  const out = new Float32Array(Math.max(0, to - from + 1));
  if (energy / n < 1e-6) return { from, fits: out };
  let there = 0;
  for (let i = 0; i < n; i++) there += (heard[from + i] ?? 0) ** 2;
  for (let p = from; p <= to; p++) {
    if (there > energy * 1e-3) {
      let both = 0;
      for (let i = 0; i < n; i++) both += said[at + i] * heard[p + i];
      out[p - from] = both / Math.sqrt(energy * there);
    }
    there += heard[p + n] ** 2 - heard[p] ** 2;
  }
  return { from, fits: out };
}

/** found is the place where they fit best. */
export function found(...given) {
  const { from, fits: all } = fits(...given);
  let best = { place: -1, fit: -1 };
  for (let i = 0; i < all.length; i++) if (all[i] > best.fit) best = { place: from + i, fit: all[i] };
  return best;
}

/** A stretch in which the lag is looked for, how often, and the least fit that counts, ms. */
const stretch = 160;
const hop = 80;
const likeness = 0.7;
/** No voice is later than that, ms. */
const latest = 1000;

/**
 * lags follows the lag through a recording: for each stretch that was found, when it
 * was said, ms of the recording, and the lag, ms. said and heard are { from, samples }.
 */
export function lags(said, heard, begin = 0, end = Infinity) {
  const out = [];
  const shift = (said.from - heard.from) * ms; // heard's index of what was heard when said's first sample was said
  const n = stretch * ms;
  let last = null;
  for (let at = Math.max(0, Math.round(begin * ms)); at + n <= Math.min(said.samples.length, end * ms); at += hop * ms) {
    // Near the last lag if possible: looking everywhere takes long.
    let best = { place: -1, fit: -1 };
    if (last !== null) best = found(said.samples, at, n, heard.samples, at + shift + last - 30 * ms, at + shift + last + 30 * ms);
    if (best.fit < likeness) {
      const wide = found(said.samples, at, n, heard.samples, at + shift - 5 * ms, at + shift + latest * ms);
      if (wide.fit > best.fit) best = wide;
    }
    if (best.fit < likeness) continue;
    last = best.place - at - shift;
    out.push({ at: at / ms, lag: last / ms, fit: best.fit });
  }
  return out;
}

export function percentile(values, p) {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];
}

export function median(values) {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
