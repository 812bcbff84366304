import { expect, it } from "vitest";
import { decode, encode } from "./mulaw";

const again = (sample: number): number => {
  const out = new Float32Array(1);
  decode(Uint8Array.of(encode(sample)), out);
  return out[0]!;
};

it("is G.711: its bytes are the standard's", () => {
  // Silence, the smallest steps, and both ends (G.711, table 2a and 2b).
  expect([0, 8 / 32768, -8 / 32768, 1, -1].map(encode)).toEqual([0xff, 0xfe, 0x7e, 0x80, 0x00]);
  expect(again(0)).toBe(0);
  expect(again(1) * 32768).toBe(32124);
});

it("is never further off than a step, which grows with the voice", () => {
  for (let v = -1; v <= 1; v += 0.0007) {
    const step = Math.max(8, Math.abs(v) * 32768 * 0.07) / 32768;
    expect(Math.abs(again(v) - v), `${v}`).toBeLessThanOrEqual(step);
  }
});

it("writes where it is told to", () => {
  const out = new Float32Array(4);
  decode(Uint8Array.of(encode(0.5), encode(-0.5)), out, 1);
  expect(out.map((v) => Math.sign(v))).toEqual(Float32Array.of(0, 1, -1, 0));
});
