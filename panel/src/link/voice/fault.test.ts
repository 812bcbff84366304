import { expect, it } from "vitest";
import { backoff } from "./backoff";
import { FaultWatch, faultFrames, type Watched } from "./fault";

const adam = (mark: number | null): Watched => ({ serverId: -1, frequency: "154.755", mark });
const boy = (mark: number | null): Watched => ({ serverId: -2, frequency: "154.28", mark });
const limit = faultFrames * 20;

it("shows a fault when a talker has a slot and 50 frames pass without a packet", () => {
  const w = new FaultWatch();
  expect(w.update([adam(null)], 0)).toBe(false);
  expect(w.update([adam(null)], limit - 1)).toBe(false);
  expect(w.update([adam(null)], limit)).toBe(true);
  expect(w.faults).toEqual([{ serverId: -1, frequency: "154.755", since: 0 }]);
  expect(w.update([adam(null)], limit + 200)).toBe(false); // a fault is reported once
});

it("takes it back with the first packet", () => {
  const w = new FaultWatch();
  w.update([adam(7)], 0);
  w.update([adam(7)], limit);
  expect(w.faults).toHaveLength(1);
  expect(w.update([adam(960)], limit + 200)).toBe(true);
  expect(w.faults).toEqual([]);
});

it("takes it back when the talker lets go, and begins anew with the next burst", () => {
  const w = new FaultWatch();
  w.update([adam(7)], 0);
  w.update([adam(7)], limit);
  expect(w.update([], limit + 200)).toBe(true);
  w.update([adam(7)], limit + 400);
  expect(w.update([adam(7)], 2 * limit + 399)).toBe(false);
  expect(w.update([adam(7)], 2 * limit + 400)).toBe(true);
});

it("tells one talker's fault from another's voice, whichever slots they are in", () => {
  const w = new FaultWatch();
  for (let t = 0; t <= limit; t += 200) w.update(t % 400 ? [adam(7), boy(t)] : [boy(t), adam(7)], t);
  expect(w.faults.map((f) => f.serverId)).toEqual([-1]);
  expect(w.update([boy(1), boy(2)], limit + 200)).toBe(true);
});

it("tries again soon, then seldom, and not all at once", () => {
  const waits = [0, 1, 2, 3, 4, 5, 99].map((n) => backoff(n, 0.5));
  expect(waits).toEqual([1000, 2000, 5000, 10_000, 30_000, 60_000, 60_000]);
  expect(backoff(0, 0)).toBe(800);
  expect(backoff(0, 1)).toBe(1200);
});
