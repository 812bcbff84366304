import { expect, test } from "vitest";
import { Speech } from "./speech";

const rate = 48_000;

/** So many seconds of a voice. */
function say(pitch: number, seed: number, seconds: number): Float32Array {
  const speech = new Speech(pitch, seed, rate);
  const out = new Float32Array(seconds * rate);
  for (let at = 0; at < out.length; at += rate / 50) out.set(speech.frame(), at);
  return out;
}

const rms = (x: Float32Array): number => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length);

/** Energy from one frequency to another in steps of 20 Hz, over stretches of a twentieth of a second under a Hann window (Goertzel). */
function energy(x: Float32Array, from: number, to: number): number {
  const n = rate / 20;
  const hann = Float64Array.from({ length: n }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / n));
  let sum = 0;
  for (let hz = from; hz < to; hz += 20) {
    const c = 2 * Math.cos((2 * Math.PI * hz) / rate);
    for (let at = 0; at + n <= x.length; at += n) {
      let s1 = 0;
      let s2 = 0;
      for (let i = 0; i < n; i++) {
        const s0 = (x[at + i] as number) * (hann[i] as number) + c * s1 - s2;
        s2 = s1;
        s1 = s0;
      }
      sum += s1 * s1 + s2 * s2 - c * s1 * s2;
    }
  }
  return sum;
}

/** The loudness of each hundredth of a second. */
function envelope(x: Float32Array): number[] {
  const n = rate / 100;
  return Array.from({ length: x.length / n }, (_, i) => rms(x.subarray(i * n, (i + 1) * n)));
}

const voices: [string, number, number][] = [
  ["a deep voice", 90, 12],
  ["a man's", 120, 14],
  ["a woman's", 210, 31],
  ["a high one", 300, 41],
];

test.each(voices)("%s is about as loud as speech, and never clipped", (_, pitch, seed) => {
  const x = say(pitch, seed, 10);
  expect(rms(x)).toBeGreaterThan(0.05);
  expect(rms(x)).toBeLessThan(0.25);
  expect(x.reduce((most, v) => Math.max(most, Math.abs(v)), 0)).toBeLessThan(0.5);
});

test.each(voices)("%s lies in the band of a voice channel", (_, pitch, seed) => {
  const x = say(pitch, seed, 2);
  const inside = energy(x, 200, 3_400);
  expect(inside / (inside + energy(x, 20, 200) + energy(x, 3_400, 8_000))).toBeGreaterThan(0.9);
});

test.each(voices)("%s has the rhythm of syllables", (_, pitch, seed) => {
  const loudness = envelope(say(pitch, seed, 30));
  const mean = loudness.reduce((a, b) => a + b, 0) / loudness.length;
  const strength = (hz: number): number => {
    let re = 0;
    let im = 0;
    loudness.forEach((v, i) => {
      re += (v - mean) * Math.cos((2 * Math.PI * hz * i) / 100);
      im += (v - mean) * Math.sin((2 * Math.PI * hz * i) / 100);
    });
    return re * re + im * im;
  };
  // Modulation is looked at in octaves, as in Houtgast and Steeneken (1985).
  const octave = (from: number): number => {
    const steps = Array.from({ length: 100 }, (_, i) => from * 2 ** (i / 100));
    return steps.reduce((sum, hz) => sum + strength(hz) * hz, 0);
  };
  const [phrases, syllables, quick] = [octave(1), octave(2) + octave(4), octave(8)] as [number, number, number];
  expect(syllables / 2).toBeGreaterThan(phrases);
  expect(syllables / 2).toBeGreaterThan(quick);
});

test("there are pauses between phrases", () => {
  const loudness = envelope(say(120, 14, 20));
  const quiet = loudness.filter((v) => v < 0.005).length / loudness.length;
  expect(quiet).toBeGreaterThan(0.05);
  expect(quiet).toBeLessThan(0.5);
});

test("frames join without a click", () => {
  const x = say(120, 14, 10);
  const jump = (i: number): number => Math.abs((x[i] as number) - (x[i - 1] as number));
  let border = 0;
  let inside = 0;
  for (let i = 1; i < x.length; i++) {
    if (i % (rate / 50) === 0) border = Math.max(border, jump(i));
    else inside = Math.max(inside, jump(i));
  }
  expect(border).toBeGreaterThan(0);
  expect(border).toBeLessThanOrEqual(inside);
});

test("a voice is the same every time, and no two are alike", () => {
  expect(say(120, 14, 2)).toEqual(say(120, 14, 2));
  const pitchOf = (x: Float32Array): number => {
    // The first strong peak of the autocorrelation, over voiced speech.
    let best = 0;
    let at = 0;
    for (let lag = rate / 400; lag < rate / 70; lag += 2) {
      let sum = 0;
      for (let i = 0; i + lag < x.length; i += 3) sum += (x[i] as number) * (x[i + lag] as number);
      if (sum > best) [best, at] = [sum, lag];
    }
    return rate / at;
  };
  const low = pitchOf(say(100, 12, 2));
  const high = pitchOf(say(220, 14, 2));
  expect(high / low).toBeGreaterThan(1.5);
  const [a, b] = [say(120, 14, 5), say(120, 15, 5)];
  const alike = a.reduce((sum, v, i) => sum + v * (b[i] as number), 0) / a.length / (rms(a) * rms(b));
  expect(Math.abs(alike)).toBeLessThan(0.1);
});

test("at another sample rate a frame is 20 ms as well", () => {
  expect(new Speech(120, 1, 44_100).frame()).toHaveLength(882);
});
