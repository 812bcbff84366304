/** How many parts a picture of a recording has at most. */
const parts = 96;

/** How loud samples of -1..1 are from their beginning to their end: the loudest moment of each part, 0 to 255. */
export function peaksOf(samples: Float32Array): number[] {
  const n = Math.min(parts, samples.length);
  return Array.from({ length: n }, (_, part) => {
    let peak = 0;
    const end = Math.floor(((part + 1) * samples.length) / n);
    for (let i = Math.floor((part * samples.length) / n); i < end; i++) peak = Math.max(peak, Math.abs(samples[i]!));
    return Math.min(255, Math.round(peak * 255));
  });
}
