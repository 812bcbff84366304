import { expect, test } from "vitest";
import "../../i18n/incident";
import { emptyRadio } from "../../state/radio";
import type { TimelineEntry } from "../../timeline/api";
import { kinds } from "./rows";
import { isTold, lengthOf, toldOf } from "./words";

const entry = (kind: string, more: Partial<TimelineEntry> = {}): TimelineEntry => ({ seq: 1, id: kind, kind, at: 1_000, ...more });
const said = (kind: string, more: Partial<TimelineEntry> = {}): unknown[] => {
  const { icon, who, where } = toldOf(emptyRadio, 0, entry(kind, more));
  return [icon, who, where];
};

test("who comes and goes is said in words", () => {
  expect(said("login", { byName: "CAD" })).toEqual(["unit", "CAD", "Signed in"]);
  expect(said("logout", { byName: "CAD" })).toEqual(["x", "CAD", "Signed out"]);
  expect(said("loginRefused", { detail: "admin", reason: "lockedOut" })).toEqual(["lock", "Somebody", "Sign-in refused · address locked out · administration"]);
  expect(said("connected", { serverId: 7, name: "Ana" })).toEqual(["unit", "Ana", "Connected"]);
  expect(said("left", { serverId: 7, name: "Ana" })).toEqual(["x", "Ana", "Left the radio"]);
});

test("an override names both, and trouble what has it", () => {
  expect(said("override", { serverId: 7, name: "Ana", by: 8, byName: "Ben" })).toEqual(["mic", "Ben", "Talks over Ana"]);
  expect(said("config")).toEqual(["cog", "Configuration changed", ""]);
  expect(said("nac", { serverId: 7, name: "Ana", reason: "cleared", byName: "CAD" })).toEqual(["lock", "Ana", "NAC ID cleared · CAD"]);
  expect(said("health", { detail: "storage", reason: "disk full" })).toEqual(["alert", "Storage", "disk full"]);
  expect(said("health", { detail: "storage" })).toEqual(["alert", "Storage", "works again"]);
});

test("whatever is shown has a symbol of its own and words", () => {
  for (const kind of kinds) {
    const e = entry(kind, { name: "Ana", detail: "what", serverId: 7, frequencies: ["154.755"], reason: "why" });
    expect(isTold(emptyRadio, e), kind).toBe(true);
    const { icon, who, where } = toldOf(emptyRadio, 0, e);
    expect([icon, who + where], kind).not.toContain("");
    expect(icon, kind).not.toMatch(/^(more|list)$/);
  }
});

test("what only repeats another entry is left out", () => {
  expect(isTold(emptyRadio, entry("callsign", { serverId: -2, by: -2, name: "D-1", detail: "NORTH" }))).toBe(false);
  expect(isTold(emptyRadio, entry("panicCleared", { serverId: 7, reason: "acknowledged" }))).toBe(false);
});

test("what was cut off says so, and is as long as its recording", () => {
  const recording = { format: "ogg", imbe: false, bytes: 900, durationMs: 4_000, packets: 200, lost: 0, peaks: [], cut: false };
  expect(said("transmission", { name: "Ana", frequency: "154.755", cut: true })).toEqual(["mic-o", "Ana", "154.755 · cut off"]);
  expect(said("transmission", { name: "Ana", frequency: "154.755", recording: { ...recording, cut: true } })).toEqual(["mic-o", "Ana", "154.755 · cut off"]);
  expect(lengthOf(entry("transmission", { cut: true, durationMs: 0, recording }))).toBe(4_000);
  expect(lengthOf(entry("transmission", { durationMs: 2_000, recording }))).toBe(2_000);
});
