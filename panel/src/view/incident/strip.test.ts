import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../../timeline/api";
import { barsOf, channelsOf, marksOf, nextOf, playable, rowsOf, spanOf, under, wave } from "./rows";
import { fieldOf, lengthOf, longest, momentAt, momentOf, moved, shareOf, shortest, stampOf, ticks, zoomed } from "./stretch";

const noon = Date.UTC(2026, 2, 14, 12);
const hour = { from: noon, to: noon + 3_600_000 };

describe("a stretch of time", () => {
  it("is zoomed around a moment that stays in its place, between ten seconds and a week", () => {
    const s = zoomed(hour, 0.5, 0.25);
    expect([lengthOf(s), shareOf(s, momentAt(hour, 0.25))]).toEqual([1_800_000, 0.25]);
    expect(lengthOf(zoomed(hour, 1e-9))).toBe(shortest);
    expect(lengthOf(zoomed(hour, 1e9))).toBe(longest);
  });
  it("is moved by a share of its length", () => {
    expect(moved(hour, -0.5)).toEqual({ from: noon - 1_800_000, to: noon + 1_800_000 });
  });
  it("has ticks on round times, and never more than there is room for", () => {
    expect(ticks(hour, 6, 0).map((t) => (t - noon) / 60_000)).toEqual([0, 10, 20, 30, 40, 50, 60]);
    expect(ticks({ from: noon + 1, to: noon + 12_000 }, 6, 0).map((t) => (t - noon) / 1000)).toEqual([2, 4, 6, 8, 10, 12]);
    // Half past, where clocks are half an hour ahead.
    expect(ticks(hour, 2, 1_800_000).map((t) => (t - noon) / 60_000)).toEqual([0, 30, 60]);
    expect(ticks(hour, 1, 1_800_000).map((t) => (t - noon) / 60_000)).toEqual([30]);
    for (const most of [1, 3, 8, 20]) for (const length of [10_000, 61_000, 3_600_001, longest]) expect(ticks({ from: noon + 7, to: noon + 7 + length }, most, 0).length).toBeLessThanOrEqual(most + 1);
  });
  it("is written into fields, and read from them", () => {
    for (const utc of [true, false]) expect(momentOf(fieldOf(noon + 61_000, utc), utc)).toBe(noon + 61_000);
    expect(fieldOf(noon, true)).toBe("2026-03-14T12:00:00");
    expect([momentOf("", true), momentOf("soon", false)]).toEqual([null, null]);
    expect(stampOf(noon, true)).toBe("20260314-120000Z");
  });
  it("is marked from left to right or from right to left, and not beyond the strip", () => {
    expect(spanOf(hour, 0.75, 0.25)).toEqual({ from: noon + 900_000, to: noon + 2_700_000 });
    expect(spanOf(hour, -0.5, 2)).toEqual(hour);
  });
});

let seq = 0;
const entry = (kind: string, second: number, more: Partial<TimelineEntry> = {}): TimelineEntry => ({ seq: ++seq, id: `e-${seq}`, kind, at: noon + second * 1000, ...more });
const talk = (second: number, seconds: number, frequency: string, more: Partial<TimelineEntry> = {}): TimelineEntry =>
  entry("transmission", second, { frequency, endedAt: noon + (second + seconds) * 1000, durationMs: seconds * 1000, recording: { format: "ogg", imbe: false, bytes: 1, durationMs: seconds * 1000, packets: 1, lost: 0, peaks: [], cut: false }, ...more });
const home = (f: string): string => (f === "856.2" ? "856.1" : f);

describe("the rows of the strip", () => {
  const trunked = talk(5, 2, "856.2", { controlFrequency: "856.1" });
  const long = talk(-5, 10, "154.28");
  const late = talk(60, 3, "154.28");
  const patch = entry("patchOn", 30, { frequencies: ["154.28", "856.1"] });
  const everybody = entry("broadcast", 40);
  const rows = rowsOf([late, patch, everybody, trunked, long, talk(1, 1, "999.9")], home, ["154.28", "856.1"]);

  it("are the channels in their order, with what is of none before them and of unknown ones after them", () => {
    expect(rows.map((r) => [r.channel, r.entries.length])).toEqual([["", 1], ["154.28", 3], ["856.1", 2], ["999.9", 1]]);
    expect(rows[1]!.entries).toEqual([long, patch, late]);
    expect(channelsOf(patch, home)).toEqual(["154.28", "856.1"]);
  });
  it("show what goes on in a stretch, also what began before", () => {
    const s = { from: noon, to: noon + 20_000 };
    expect(barsOf(rows[1]!, s)).toEqual([{ entry: long, from: -0.25, to: 0.25 }]);
    expect(marksOf(rows[1]!, s)).toEqual([]);
    expect(marksOf(rows[1]!, hour)).toEqual([patch]);
  });
  it("know what is under a point, and what is next to it", () => {
    expect(under(rows[1]!, noon + 2_000)).toBe(long);
    expect(under(rows[1]!, noon + 8_000)).toBeUndefined();
    expect(under(rows[1]!, noon + 8_000, 4_000)).toBe(long);
    expect([nextOf(rows[1]!, noon, 1), nextOf(rows[1]!, noon + 30_000, 1), nextOf(rows[1]!, noon + 30_000, -1), nextOf(rows[1]!, noon + 60_000, 1)]).toEqual([patch, late, long, undefined]);
  });
  it("play what was recorded from a moment on, each once", () => {
    const silent = talk(10, 2, "154.28", { recording: undefined });
    const all = rowsOf([late, long, trunked, silent, patch], home, []);
    expect(playable(all, noon + 1_000, Infinity)).toEqual([long, trunked, late]);
    expect(playable([all[0]!, ...all], noon + 5_000, noon + 30_000)).toEqual([trunked]);
  });
  it("draw a bar for each part of a voice", () => {
    expect(wave([255, 0], 0.5, 0.5)).toBe("M0.62500 0.10V1.90M0.87500 0.95V1.05");
  });
});
