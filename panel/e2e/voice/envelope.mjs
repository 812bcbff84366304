// Comparing what was said with what was heard, by RMS per 10 ms.

/** correlation is Pearson's, -1..1. */
export function correlation(a, b) {
  const n = Math.min(a.length, b.length);
  const mean = (x) => x.slice(0, n).reduce((s, v) => s + v, 0) / n;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) ** 2;
    bb += (b[i] - mb) ** 2;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

/** bursts are the stretches of a recording in which the gate was open: [from, to) in 10 ms. */
export function bursts(envelope) {
  const found = [];
  let from = -1;
  let quiet = 0;
  envelope.forEach((v, i) => {
    if (v > 1e-6) {
      if (from < 0) from = i;
      quiet = 0;
    } else if (from >= 0 && ++quiet >= 20) {
      found.push([from, i - quiet + 1]);
      from = -1;
    }
  });
  if (from >= 0) found.push([from, envelope.length]);
  return found.filter(([a, b]) => b - a >= 20);
}

/** lagOf finds how far heard is behind said, in 10 ms, from one rigid stretch. */
function lagOf(said, heard, from, to) {
  let best = { lag: from, fit: -1 };
  for (let at = from; at <= to && at + said.length <= heard.length; at++) {
    const fit = correlation(said, heard.slice(at, at + said.length));
    if (fit > best.fit) best = { lag: at, fit };
  }
  return best.lag;
}

/** How far the lag may be from the coarse one, in 10 ms: a jitter buffer holds less. */
const band = 25;
/** What a change of the lag by 10 ms costs, in mean squares of a frame: rare, but jitter buffers stretch time. */
const stretchCost = 0.2;

/**
 * aligned follows said through heard, whose jitter buffer may stretch or squeeze time
 * by 10 ms per frame, and returns what was heard for each frame said. What is missing
 * stays missing: the best match is then silence. The beginning is searched for
 * between from and to.
 */
export function aligned(said, heard, from = 0, to = Infinity) {
  const third = Math.floor(said.length / 3);
  const coarse = lagOf(said.slice(third, 2 * third), heard, from + third, to + third) - third;
  const scale = Math.sqrt(energy(said) / said.length);
  const lags = 2 * band + 1;
  const at = (i, k) => heard[i + coarse + k - band] ?? 0;
  let cost = new Float64Array(lags);
  const came = said.map((v, i) => {
    const next = new Float64Array(lags);
    const step = new Int8Array(lags);
    for (let k = 0; k < lags; k++) {
      let best = cost[k];
      for (const d of [-1, 1]) {
        const c = (cost[k + d] ?? Infinity) + stretchCost;
        if (i > 0 && c < best) [best, step[k]] = [c, d];
      }
      next[k] = best + ((v - at(i, k)) / scale) ** 2;
    }
    cost = next;
    return step;
  });
  let k = cost.indexOf(Math.min(...cost));
  const out = new Array(said.length);
  for (let i = said.length - 1; i >= 0; i--) {
    out[i] = at(i, k);
    if (i > 0) k += came[i][k];
  }
  return { heard: out, lag: coarse, end: coarse + said.length };
}

export const energy = (e) => e.reduce((s, v) => s + v * v, 0);
