import { expect, it } from "vitest";
import { blockLength } from "./reel";
import { type Burst, capacity, type Excerpt, longest, newBurst, Tape, tapeRate } from "./tape";

let now = 0;

/** say puts so many seconds on a tape, in blocks of 100 ms that are all of one byte. */
function say(tape: Tape, channel: string, seconds: number, byte = 1, talker = 7): Burst {
  const burst = newBurst(channel, talker, (now += 1000));
  for (let i = Math.round(seconds * 10); i > 0; i--) tape.add(burst, new Uint8Array(blockLength).fill(byte));
  return burst;
}

/** told gives excerpts as seconds of a byte. */
const told = (excerpts: Excerpt[]): [number, number][] =>
  excerpts.map((e) => [e.blocks[0]![0]!, Number((e.blocks.reduce((n, b) => n + b.length, 0) / tapeRate).toFixed(3))]);

it("gives the last seconds of traffic, not of the clock", () => {
  const tape = new Tape();
  say(tape, "main", 4, 1);
  now += 3_600_000; // an hour of silence
  say(tape, "main", 3, 2);
  say(tape, "main", 5, 3);
  expect(told(tape.last("main", 10))).toEqual([[1, 2], [2, 3], [3, 5]]);
  expect(told(tape.last("main", 60))).toEqual([[1, 4], [2, 3], [3, 5]]);
  expect(told(tape.last("main", 2.55))).toEqual([[3, 2.55]]);
});

it("says when and by whom, and how long each excerpt is", () => {
  const tape = new Tape();
  const burst = say(tape, "main", 4, 1, 12);
  expect(tape.last("main", 10)).toMatchObject([{ burst: { channel: "main", talker: 12, at: burst.at }, length: 4 * tapeRate }]);
});

it("keeps the end of a burst that is cut", () => {
  const tape = new Tape();
  const burst = newBurst("main", 7, 1);
  for (let i = 1; i <= 50; i++) tape.add(burst, new Uint8Array(blockLength).fill(i));
  const [e] = tape.last("main", 0.25);
  expect(e!.blocks.map((b) => [b[0], b.length])).toEqual([[48, 800], [49, 1600], [50, 1600]]);
});

it("gives what has been said so far while somebody still talks", () => {
  const tape = new Tape();
  const burst = say(tape, "main", 1);
  expect(told(tape.last("main", 10))).toEqual([[1, 1]]);
  tape.add(burst, new Uint8Array(blockLength));
  expect(told(tape.last("main", 10))).toEqual([[1, 1.1]]);
});

it("plays all channels in the order in which they began", () => {
  const tape = new Tape();
  say(tape, "main", 2, 1);
  say(tape, "fire", 2, 2);
  say(tape, "main", 2, 3);
  expect(told(tape.last(null, 5))).toEqual([[1, 1], [2, 2], [3, 2]]);
  expect(told(tape.last("fire", 5))).toEqual([[2, 2]]);
  expect(tape.last("nowhere", 5)).toEqual([]);
});

it("keeps a minute of a channel, the oldest goes", () => {
  const tape = new Tape();
  say(tape, "main", 20, 1);
  say(tape, "main", 50, 2);
  expect(told(tape.last("main", 100))).toEqual([[1, 10.1], [2, 50]]);
  say(tape, "main", 200, 3);
  expect(told(tape.last("main", longest))).toEqual([[3, 60]]);
});

it("holds 16 MB and no more, whatever 160 channels say; the oldest of all goes", () => {
  const tape = new Tape();
  for (let round = 1; round <= 4; round++) for (let i = 0; i < 160; i++) say(tape, `ch ${i}`, 15, round);
  expect(tape.length).toBeLessThanOrEqual(capacity);
  expect(tape.length).toBeGreaterThan(capacity - blockLength);
  expect(tape.last("ch 0", 60)).toEqual([]); // the oldest
  expect(told(tape.last("ch 159", 60))).toEqual([[4, 15]]);
  const all = ["ch 0", "ch 80", "ch 159"].flatMap((c) => tape.last(c, 60));
  const whole = Array.from({ length: 160 }, (_, i) => tape.last(`ch ${i}`, 60)).flat();
  expect(whole.reduce((n, e) => n + e.length, 0)).toBe(tape.length);
  expect(all.every((e) => e.burst.blocks.length > 0)).toBe(true);
});

it("lets a burst go on that has been dropped up to now", () => {
  const tape = new Tape(2 * blockLength);
  const first = say(tape, "main", 0.2, 1);
  say(tape, "fire", 0.2, 2);
  expect(tape.last("main", 60)).toEqual([]);
  tape.add(first, new Uint8Array(blockLength).fill(3));
  expect(tape.length).toBe(2 * blockLength);
  expect(told(tape.last("main", 60)).concat(told(tape.last("fire", 60)))).not.toEqual([]);
});

it("forgets everything at the end of a session", () => {
  const tape = new Tape();
  say(tape, "main", 5);
  tape.clear();
  expect([tape.length, tape.last(null, 60)]).toEqual([0, []]);
});
