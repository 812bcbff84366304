import { expect, it } from "vitest";
import { amplitude, ducked, type Duckable } from "./ducking";

const channel = (c: Partial<Duckable> = {}): Duckable => ({ emergency: false, priority: 0, selected: false, live: false, ...c });
const cuts = (channels: Record<string, Partial<Duckable>>): Record<string, number> =>
  Object.fromEntries(ducked(new Map(Object.entries(channels).map(([f, c]) => [f, channel(c)]))));

it("leaves all alone while none is selected and none matters more", () => {
  expect(cuts({ patrol: { live: true }, fire: { live: true } })).toEqual({ patrol: 0, fire: 0 });
});

it("puts the unselected 9 dB down, whether anybody talks or not", () => {
  expect(cuts({ patrol: { selected: true }, fire: {} })).toEqual({ patrol: 0, fire: -9 });
});

it("puts everything below a live priority channel 12 dB down", () => {
  const scanned = { first: { priority: 1 as const, live: true }, second: { priority: 2 as const }, rest: { selected: true } };
  expect(cuts(scanned)).toEqual({ first: -9, second: -12, rest: -12 });
  expect(cuts({ ...scanned, first: { priority: 1 } })).toEqual({ first: -9, second: -9, rest: 0 });
});

it("lets the second priority pre-empt the rest, and not the first", () => {
  expect(cuts({ first: { priority: 1 }, second: { priority: 2, live: true }, rest: {} })).toEqual({ first: 0, second: 0, rest: -12 });
});

it("puts everything 24 dB down under an emergency, which itself is loud though unselected", () => {
  const all = { panic: { emergency: true, live: true }, first: { priority: 1 as const, live: true }, mine: { selected: true } };
  expect(cuts(all)).toEqual({ panic: 0, first: -24, mine: -24 });
});

it("brings the others back when the emergency's talker lets go", () => {
  expect(cuts({ panic: { emergency: true }, mine: { selected: true } })).toEqual({ panic: 0, mine: 0 });
});

it("knows its decibels", () => {
  expect(amplitude(0)).toBe(1);
  expect(amplitude(-20)).toBeCloseTo(0.1);
});
