import { expect, it } from "vitest";
import { peaksOf } from "./peaks";

it("has the loudest moment of each part, in either direction", () => {
  const samples = new Float32Array(96 * 10);
  samples[5] = 0.5;
  samples[15] = -1;
  samples[959] = 1.2;
  const peaks = peaksOf(samples);
  expect(peaks).toHaveLength(96);
  expect([peaks[0], peaks[1], peaks[2], peaks[95]]).toEqual([128, 255, 0, 255]);
});

it("of less than that it has a part for each sample", () => {
  expect(peaksOf(Float32Array.of(0, 0.2, -0.4))).toEqual([0, 51, 102]);
  expect(peaksOf(new Float32Array(0))).toEqual([]);
});
