import { expect, it } from "vitest";
import { hurryDelay, maxDelay, Playout, startDelay } from "./playout";

const rate = 8000;
const frame = 160; // 20 ms

/** A queue of numbered samples, so that what comes out can be told apart. */
class Line {
  readonly queue = new Playout(rate);
  #next = 1;
  frames(n: number): this {
    for (; n > 0; n--) this.queue.push(Float32Array.from({ length: frame }, () => this.#next++));
    return this;
  }
  /** hear plays some blocks of 16 samples and returns the first and last sample that was not silence. */
  hear(blocks: number): { first: number; last: number; count: number } {
    const heard: number[] = [];
    for (; blocks > 0; blocks--) {
      const out = new Float32Array(16).fill(9e9);
      this.queue.pull(out);
      heard.push(...out.filter((v) => v !== 0));
    }
    return { first: heard[0] ?? 0, last: heard.at(-1) ?? 0, count: heard.length };
  }
}

it("waits for 60 ms, then plays every sample once and in order", () => {
  const l = new Line().frames(2);
  expect(l.hear(10).count).toBe(0);
  l.frames(1);
  expect(l.hear(20)).toEqual({ first: 1, last: 320, count: 320 });
  expect(l.frames(1).hear(20)).toEqual({ first: 321, last: 640, count: 320 });
  expect(startDelay * rate).toBe(3 * frame);
});

it("plays a burst shorter than that once it has ended", () => {
  const l = new Line().frames(1);
  expect(l.hear(5).count).toBe(0);
  l.queue.end();
  expect(l.hear(20)).toEqual({ first: 1, last: 160, count: 160 });
  expect(l.queue.gaps).toBe(0);
});

it("collects anew after it ran dry, and counts that", () => {
  const l = new Line().frames(3);
  expect(l.hear(31).count).toBe(480);
  expect(l.queue.gaps).toBe(1);
  expect(l.frames(1).hear(10).count).toBe(0);
  expect(l.frames(2).hear(30).first).toBe(481);
});

it("drops the oldest of what comes more than 2.5 s late, and never grows beyond", () => {
  const l = new Line().frames(200);
  expect(l.queue.waiting).toBe(maxDelay * rate);
  expect(l.queue.dropped).toBe(200 * frame - maxDelay * rate);
  const { first, last } = l.hear(2000);
  expect(first).toBe(200 * frame - maxDelay * rate + 1);
  expect(last).toBe(200 * frame);
});

it("counts what is left of a frame that is dropped while it is played", () => {
  const l = new Line().frames(3);
  l.hear(1);
  l.frames(130);
  expect(l.queue.dropped).toBeGreaterThan(0);
  expect(l.queue.dropped + l.queue.waiting + 16).toBe(133 * frame);
});

it("takes an empty frame for nothing", () => {
  const l = new Line();
  l.queue.push(new Float32Array(0));
  l.queue.end();
  expect(l.hear(3).count).toBe(0);
});

/** A voice of 125 Hz with a syllable of its own loudness every 200 ms, in frames of 20 ms. */
function* voice(seconds: number): Generator<Float32Array<ArrayBuffer>> {
  for (let n = 0; n < seconds * 50; n++) {
    yield Float32Array.from({ length: frame }, (_, i) => {
      const at = (n * frame + i) / rate;
      return (0.2 + 0.6 * Math.abs(Math.sin(Math.PI * at * 2.5))) * Math.sin(2 * Math.PI * 125 * at);
    });
  }
}

it("plays faster while much waits, without leaving out a syllable or changing the pitch", () => {
  const queue = new Playout(rate);
  for (const f of voice(1.2)) queue.push(f); // what was said while the connection was dead comes at once
  const live = voice(3);
  const heard: number[] = [];
  let caughtUp = 0;
  for (let block = 0; block < (3 * rate) / 16; block++) {
    if (block % 10 === 0) queue.push(live.next().value as Float32Array);
    const out = new Float32Array(16);
    queue.pull(out);
    heard.push(...out);
    if (caughtUp === 0 && queue.waiting <= hurryDelay * rate) caughtUp = heard.length / rate;
  }
  expect(queue.dropped).toBe(0);
  expect(queue.gaps).toBe(0);
  expect(caughtUp).toBeGreaterThan(1); // twice as fast would not be understood
  expect(caughtUp).toBeLessThan(2.5);
  // All of what was said: 3 syllables of the first part and 7.5 of what came live, less what waits.
  const loud = (at: number) => Math.sqrt(heard.slice(at, at + 160).reduce((sum, v) => sum + v * v, 0) / 160);
  let syllables = 0;
  for (let at = 160, up = false; at + 160 < heard.length; at += 16) {
    if (!up && loud(at) > 0.45) [up, syllables] = [true, syllables + 1];
    if (up && loud(at) < 0.3) up = false;
  }
  expect(syllables).toBeGreaterThanOrEqual(9);
  // The pitch, as crossings of zero in the first second, in which it hurries.
  let crossings = 0;
  const from = Math.round(0.1 * rate);
  for (let i = from; i < from + rate; i++) if (heard[i - 1]! < 0 && heard[i]! >= 0) crossings++;
  expect(crossings).toBeGreaterThan(118);
  expect(crossings).toBeLessThan(132);
  for (let i = 1; i < heard.length; i++) expect(Math.abs(heard[i]! - heard[i - 1]!)).toBeLessThan(0.2); // no click
});
