import { expect, it } from "vitest";
import { maxDelay, Playout, startDelay } from "./playout";

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

it("drops the oldest of what comes more than 400 ms late, and never grows beyond", () => {
  const l = new Line().frames(100);
  expect(l.queue.waiting).toBe(maxDelay * rate);
  expect(l.queue.dropped).toBe(100 * frame - maxDelay * rate);
  const { first, last } = l.hear(1000);
  expect(first).toBe(100 * frame - maxDelay * rate + 1);
  expect(last).toBe(100 * frame);
});

it("counts what is left of a frame that is dropped while it is played", () => {
  const l = new Line().frames(3);
  l.hear(1);
  l.frames(20);
  expect(l.queue.dropped + l.queue.waiting + 16).toBe(23 * frame);
});

it("takes an empty frame for nothing", () => {
  const l = new Line();
  l.queue.push(new Float32Array(0));
  l.queue.end();
  expect(l.hear(3).count).toBe(0);
});
