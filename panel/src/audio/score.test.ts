import { expect, it } from "vitest";
import { isMade, lengthOf, render, type MadeTone } from "./score";

const names: MadeTone[] = ["PERMIT", "GRANT", "BUSY", "LINK_LOST", "LINK_RESTORED", "TAIL", "TEST", "ALERT_A", "ALERT_B", "BONK", "PANIC", "BEEP", "CHIRP"];

/** Hz of the strongest of some candidates in a stretch (Goertzel). */
function strongest(samples: Float32Array, rate: number, candidates: number[]): number {
  const power = (hz: number): number => {
    let [re, im] = [0, 0];
    samples.forEach((v, i) => {
      re += v * Math.cos((2 * Math.PI * hz * i) / rate);
      im += v * Math.sin((2 * Math.PI * hz * i) / rate);
    });
    return re ** 2 + im ** 2;
  };
  return candidates.reduce((a, b) => (power(a) >= power(b) ? a : b));
}

it.each(names)("%s sounds, does not clip, and begins and ends without a click", (name) => {
  for (const rate of [24_000, 44_100, 48_000]) {
    const s = render(name, rate);
    expect(s.length / rate).toBeCloseTo(lengthOf(name), 2);
    const peak = s.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
    expect(peak).toBeGreaterThan(0.05);
    expect(peak).toBeLessThanOrEqual(0.36);
    expect(Math.abs(s[0]!)).toBeLessThan(0.01);
    expect(Math.abs(s.at(-1)!)).toBeLessThan(0.01);
  }
});

it("tells permit, which rises, from link lost, which falls", () => {
  const rate = 48_000;
  const hz = [390, 560, 740, 1100, 1450];
  const permit = render("PERMIT", rate);
  expect(strongest(permit.subarray(0, 2400), rate, hz)).toBe(1100);
  expect(strongest(permit.subarray(-2400), rate, hz)).toBe(1450);
  const lost = render("LINK_LOST", rate);
  expect(strongest(lost.subarray(0, 4800), rate, hz)).toBe(740);
  expect(strongest(lost.subarray(-4800), rate, hz)).toBe(390);
});

it("lets nobody wait for permission: the tone is over before one has breathed in", () => {
  expect(lengthOf("PERMIT")).toBeLessThan(0.2);
});

it("knows what it makes", () => {
  expect(isMade("BONK")).toBe(true);
  expect(isMade("toString")).toBe(false);
  expect(isMade("siren.wav")).toBe(false);
});
