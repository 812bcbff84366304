import { expect, it } from "vitest";
import { depth, Kept, Passage } from "./passage";

/** An encoder that finishes a frame every 20 ms, behind a gate. */
class Encoder {
  now = 1000;
  readonly passed: number[] = [];
  readonly gate = new Passage(() => this.now, (close) => void this.passed.push(close));

  /** Which of the next frames pass; the first is finished in ms. */
  frames(count: number, first = 20): boolean[] {
    return Array.from({ length: count }, (_, i) => {
      this.now += i === 0 ? first : 20;
      return this.gate.takes();
    });
  }
}

it("lets nothing through until it is opened", () => {
  const e = new Encoder();
  expect(e.frames(3)).toEqual([false, false, false]);
  e.gate.close(1);
  expect(e.frames(2)).toEqual([false, false]);
  expect(e.passed).toEqual([]);
});

it("lets the frame through in which the key was pressed, and the one in which it was let go", () => {
  const e = new Encoder();
  e.frames(3);
  e.gate.open();
  expect(e.frames(3, 1)).toEqual([true, true, true]);
  e.gate.close(1);
  expect(e.passed).toEqual([]);
  expect(e.frames(3, depth)).toEqual([true, false, false]);
  expect(e.passed).toEqual([1]);
});

it("lets one frame more through when the first is older than what was said last", () => {
  const e = new Encoder();
  e.gate.open();
  e.gate.close(1);
  expect(e.frames(1, depth - 1)).toEqual([true]);
  expect(e.passed).toEqual([]);
  expect(e.frames(2)).toEqual([true, false]);
  expect(e.passed).toEqual([1]);
});

it("goes on without a gap when the key is pressed again before the last frame", () => {
  const e = new Encoder();
  e.gate.open();
  e.gate.close(1);
  e.gate.open();
  expect(e.frames(3)).toEqual([true, true, true]);
  expect(e.passed).toEqual([]);
  e.gate.close(2);
  expect(e.frames(2)).toEqual([true, false]);
  expect(e.passed).toEqual([2]);
});

it("keeps the last frames of a talk, two seconds of them", () => {
  const kept = new Kept();
  const frame = (n: number) => Uint8Array.from([n]).buffer;
  expect(kept.last(3)).toEqual([]);
  for (let n = 0; n < 120; n++) kept.add(frame(n));
  expect(kept.last(2).map((f) => f[0])).toEqual([118, 119]);
  expect(kept.last(0)).toEqual([]);
  expect(kept.last(1000).map((f) => f[0])).toEqual(Array.from({ length: 100 }, (_, i) => i + 20));
  kept.clear();
  kept.add(frame(7));
  expect(kept.last(5).map((f) => f[0])).toEqual([7]);
});
