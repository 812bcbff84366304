import { expect, it } from "vitest";
import { fromBase64, toBase64 } from "./codec";
import { median, paired } from "./selftest";

it("pairs each tone sent with the first heard behind it", () => {
  const trips = paired([1, 1.6, 2.2], [1.1, 1.15, 2.31], 0.6);
  expect(trips.map((t) => Math.round(t * 1000))).toEqual([100, 110]);
});

it("takes no tone for the echo of a later one, nor of one too long ago", () => {
  expect(paired([1], [0.9, 1.7], 0.6)).toEqual([]);
});

it("judges by the median, because machines hiccup", () => {
  expect(median([])).toBeNull();
  expect(median([90, 80, 900])).toBe(90);
});

it("carries bytes as base64, and takes no rubbish", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  expect(fromBase64("%%%")).toBeNull();
});
