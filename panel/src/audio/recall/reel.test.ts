import { expect, it } from "vitest";
import { decode } from "./mulaw";
import { type Block, blockLength, longestQuiet, Reel, tail, thinning } from "./reel";

const rate = 48_000;

/** A source that plays block after block of 128 samples, as a worklet is called. */
class Voice {
  readonly blocks: Block[] = [];
  readonly reel = new Reel(rate, (b) => this.blocks.push(b));
  #at = 0;

  /** play plays a tone for so long; an amplitude of 0 is silence. */
  play(seconds: number, pitch = 1000, amplitude = 0.5): this {
    for (let left = Math.round((seconds * rate) / 128); left > 0; left--) {
      const samples = Float32Array.from({ length: 128 }, (_, i) => amplitude * Math.sin((2 * Math.PI * pitch * (this.#at + i)) / rate));
      this.#at += 128;
      this.reel.take(samples, amplitude === 0);
    }
    return this;
  }
  /** kept returns how much of a burst was kept, in s. */
  kept(burst: number): number {
    return (this.blocks.filter((b) => b.burst === burst).reduce((n, b) => n + b.voice.length, 0) * thinning) / rate;
  }
  /** loudness of all that was kept, RMS. */
  loudness(): number {
    const bytes = this.blocks.flatMap((b) => [...b.voice]);
    const out = new Float32Array(bytes.length);
    decode(Uint8Array.from(bytes), out);
    const settled = out.slice(100);
    return Math.sqrt(settled.reduce((s, v) => s + v * v, 0) / settled.length);
  }
}

it("keeps nothing before a burst begins", () => {
  expect(new Voice().play(1).blocks).toEqual([]);
});

it("keeps a burst in blocks of 100 ms, and what is left of it at its end", () => {
  const v = new Voice();
  v.reel.start(1);
  v.play(1);
  expect(v.blocks.every((b) => b.voice.length === blockLength)).toBe(true);
  v.reel.end();
  v.play(0.05).play(1, 1000, 0);
  expect(v.kept(1)).toBeGreaterThan(1.04);
  expect(v.kept(1)).toBeLessThan(1.2);
});

it("waits for the last syllable, but not for ever", () => {
  const v = new Voice();
  v.reel.start(1);
  v.play(0.5);
  v.reel.end();
  v.play(5);
  expect(v.kept(1)).toBeCloseTo(0.5 + tail, 1);
});

it("keeps a pause, and of a key that is held in silence half a second only", () => {
  const v = new Voice();
  v.reel.start(1);
  v.play(1).play(0.3, 1000, 0).play(1).play(20, 1000, 0).play(1);
  v.reel.end();
  v.play(1, 1000, 0);
  expect(v.kept(1)).toBeGreaterThan(3.3 + longestQuiet - 0.1);
  expect(v.kept(1)).toBeLessThan(3.3 + longestQuiet + 0.3);
});

it("gives each burst its own blocks, though one follows upon the other", () => {
  const v = new Voice();
  v.reel.start(1);
  v.play(0.25);
  v.reel.start(2);
  v.play(0.25);
  v.reel.end();
  v.play(1, 1000, 0);
  expect(v.kept(1)).toBeCloseTo(0.25, 2);
  expect(v.kept(2)).toBeGreaterThan(0.24);
});

it("is as loud as what it heard, and lets nothing through that 16 kHz cannot hold", () => {
  const at = (pitch: number): number => {
    const v = new Voice();
    v.reel.start(1);
    return v.play(1, pitch).loudness();
  };
  const whole = 0.5 / Math.SQRT2;
  expect(at(300) / whole).toBeCloseTo(1, 1);
  expect(at(3400) / whole).toBeCloseTo(1, 1);
  expect(at(10_000) / whole).toBeLessThan(0.02);
  expect(at(15_000) / whole).toBeLessThan(0.02);
});

it("takes a source that gives nothing for silence", () => {
  const v = new Voice();
  v.reel.start(1);
  v.play(0.2);
  for (let i = 0; i < 1000; i++) v.reel.take(undefined, true);
  v.reel.end();
  v.reel.take(undefined, true);
  expect(v.kept(1)).toBeCloseTo(0.2, 2);
});
