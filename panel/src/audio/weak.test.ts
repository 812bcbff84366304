import { describe, expect, it } from "vitest";
import { effectOf, lossAt, noiseAt, seedOf, WeakSignal, type Weak } from "./weak";

const rate = 48_000;
const frame = rate / 50;

const how = (change: Partial<Weak>): Weak => ({ signal: 40, noise: 1, dropouts: 1, digital: false, seed: 7, ...change });

/** heard plays a sound in blocks, as a worklet does. */
function heard(sound: Float32Array, weak: Weak | null, block = 128, hz = rate): Float32Array {
  const effect = new WeakSignal(hz);
  effect.set(weak);
  const out = sound.slice();
  for (let at = 0; at < out.length; at += block) effect.apply(out.subarray(at, at + block));
  return out;
}

const silence = (seconds: number) => new Float32Array(seconds * rate);
const steady = (seconds: number, hz = rate) => new Float32Array(seconds * hz).fill(0.5);
const tone = (seconds: number) => Float32Array.from({ length: seconds * rate }, (_, i) => 0.5 * Math.sin((2 * Math.PI * 441 * i) / rate));
const power = (s: Float32Array) => Math.sqrt(s.reduce((sum, v) => sum + v * v, 0) / s.length);
const same = (a: Float32Array, b: Float32Array) => a.length === b.length && a.every((v, i) => v === b[i]);
/** missing is the share of a steady sound that is lost on the way, at a rate that is quick to compute. */
function missing(weak: Weak): number {
  const out = heard(steady(300, 4000), weak, 128, 4000);
  return out.filter((v) => Math.abs(v) < 0.01).length / out.length;
}

describe("a weak signal", () => {
  it("leaves a good one alone", () => {
    expect(same(heard(tone(1), null), tone(1))).toBe(true);
    expect(same(heard(tone(1), how({ noise: 0, dropouts: 0 })), tone(1))).toBe(true);
  });

  it("sounds the same for the same talk, and different for another", () => {
    expect(same(heard(tone(2), how({})), heard(tone(2), how({})))).toBe(true);
    expect(same(heard(tone(2), how({})), heard(tone(2), how({ seed: 8 })))).toBe(false);
  });

  it("does not depend on the size of the blocks", () => {
    expect(same(heard(tone(2), how({}), 480), heard(tone(2), how({}), 128))).toBe(true);
    expect(same(heard(tone(2), how({ digital: true }), 960), heard(tone(2), how({ digital: true }), 100))).toBe(true);
  });

  it("has more noise the weaker it is, and none at level 0", () => {
    const levels = [80, 60, 40, 20, 0].map((signal) => power(heard(silence(2), how({ signal, dropouts: 0 }))));
    expect(levels[0]).toBeGreaterThan(0.005);
    for (let i = 1; i < levels.length; i++) expect(levels[i]).toBeGreaterThan(levels[i - 1]! * 1.2);
    expect(levels[4]).toBeLessThan(0.15);
    expect(power(heard(silence(2), how({ signal: 0, noise: 0 })))).toBe(0);
  });

  it("loses as much of the voice as its strength and the level say", () => {
    for (const signal of [80, 60, 40, 20, 0]) {
      expect(missing(how({ signal, noise: 0 }))).toBeCloseTo(lossAt(signal), 1);
      expect(missing(how({ signal, noise: 0, dropouts: 0.5 }))).toBeCloseTo(lossAt(signal) / 2, 1);
    }
    expect(missing(how({ signal: 20, noise: 0, dropouts: 0 }))).toBe(0);
  });

  it("has noise in the gaps of an analogue voice", () => {
    const out = heard(silence(20), how({ signal: 60 }));
    const frames = Array.from({ length: out.length / frame }, (_, i) => power(out.subarray(i * frame, (i + 1) * frame)));
    expect(Math.max(...frames)).toBeGreaterThan(3 * Math.min(...frames));
  });

  it("has no noise in a digital voice: the last frame is repeated, then there is silence", () => {
    expect(power(heard(silence(5), how({ signal: 0, digital: true })))).toBe(0);
    const out = heard(tone(60), how({ signal: 20, digital: true }));
    const levels = Array.from({ length: out.length / frame }, (_, i) => power(out.subarray(i * frame, (i + 1) * frame)));
    const good = power(tone(1));
    const long = levels.findIndex((v, i) => v > 0.95 * good && levels.slice(i + 1, i + 6).every((n) => n < 0.9 * good));
    expect(long).toBeGreaterThan(0);
    const [first, second, third, fourth, fifth] = levels.slice(long + 1);
    expect(first).toBeGreaterThan(second!);
    expect(second).toBeGreaterThan(third!);
    expect(third).toBeGreaterThan(0.1 * good);
    expect(fourth).toBeLessThan(0.1 * good); // it fades
    expect(fifth).toBe(0);
  });

  it("does not click", () => {
    for (const digital of [false, true]) {
      const out = heard(steady(20), how({ signal: 20, noise: 0, digital }));
      let most = 0;
      for (let i = 1; i < out.length; i++) most = Math.max(most, Math.abs(out[i]! - out[i - 1]!));
      expect(most).toBeLessThan(0.01);
    }
  });

  it("goes on when the signal changes in the middle of a talk, and begins anew with another", () => {
    const effect = new WeakSignal(rate);
    const part = (weak: Weak) => {
      const s = steady(4);
      effect.set(weak);
      effect.apply(s);
      return s;
    };
    const first = part(how({ signal: 20, noise: 0 }));
    const second = part(how({ signal: 20, noise: 0 }));
    expect(same(second, first)).toBe(false);
    part(how({ signal: 80, noise: 0, seed: 9 }));
    expect(same(part(how({ signal: 20, noise: 0 })), first)).toBe(true);
  });
});

it("is hardly heard at 80, and hardly understood at 0", () => {
  expect(lossAt(100)).toBe(0);
  expect(noiseAt(100)).toBe(0);
  expect(lossAt(80)).toBeLessThan(0.05);
  expect(lossAt(0)).toBeGreaterThan(0.7);
});

it("takes its levels from the configuration", () => {
  expect(effectOf({ noise: 50, dropouts: 100 })).toEqual({ noise: 0.5, dropouts: 1 });
  expect(effectOf(null)).toBeNull();
  expect(effectOf(undefined)).toBeNull(); // an older service
});

it("gives every talk a seed of its own", () => {
  const seeds = new Set<number>();
  for (const talker of [-2, 1, 2, 12]) for (const f of ["154.755", "460.25"]) for (let n = 0; n < 50; n++) seeds.add(seedOf(talker, f, n));
  expect(seeds.size).toBe(400);
});
