// What the strip shows: the entries of a stretch of time, channel by channel. Pure.
import type { TimelineEntry } from "../../timeline/api";
import { endOf } from "../../timeline/query";
import { momentAt, shareOf, type Stretch } from "./stretch";

export interface Row {
  /** The configured channel; "": what is of no channel. */
  channel: string;
  /** In the order in which they began. */
  entries: TimelineEntry[];
}

/** The kinds that are shown. */
export const kinds = [
  "transmission", "panic", "panicCleared", "emergencyAcknowledged", "emergencyEnded", "emergencyClosed", "alert", "alertOnce", "alertCleared",
  "patchOn", "patchChanged", "patchOff", "override", "moved", "disconnected", "connected", "left", "callsign", "nac", "message", "broadcast",
  "login", "logout", "loginRefused", "config", "health",
] as const;

/** The configured channels that an entry is of. */
export function channelsOf(e: TimelineEntry, home: (frequency: string) => string): string[] {
  const keyed = e.controlFrequency || e.frequency;
  const all = keyed ? [keyed] : (e.frequencies ?? []);
  return all.length === 0 ? [""] : [...new Set(all.map(home))];
}

export const byTime = (a: TimelineEntry, b: TimelineEntry): number => a.at - b.at || a.seq - b.seq;

/** rowsOf sorts entries into rows, in the order of the channels; what is of no channel comes first, what is of an unknown one last. */
export function rowsOf(entries: readonly TimelineEntry[], home: (frequency: string) => string, order: readonly string[]): Row[] {
  const rows = new Map<string, TimelineEntry[]>();
  for (const e of [...entries].sort(byTime)) {
    for (const channel of channelsOf(e, home)) {
      const row = rows.get(channel);
      if (row) row.push(e);
      else rows.set(channel, [e]);
    }
  }
  const place = (channel: string): number => (channel === "" ? -1 : order.includes(channel) ? order.indexOf(channel) : order.length);
  return [...rows].map(([channel, entries]) => ({ channel, entries })).sort((a, b) => place(a.channel) - place(b.channel));
}

/** A transmission on the strip: from and to are shares of its width. */
export interface Bar {
  entry: TimelineEntry;
  from: number;
  to: number;
}

/** The transmissions of a row that lie in the stretch. */
export const barsOf = (row: Row, s: Stretch): Bar[] =>
  row.entries
    .filter((e) => e.kind === "transmission" && endOf(e) >= s.from && e.at <= s.to)
    .map((entry) => ({ entry, from: shareOf(s, entry.at), to: shareOf(s, endOf(entry)) }));

/** Everything else of a row that lies in it. */
export const marksOf = (row: Row, s: Stretch): TimelineEntry[] => row.entries.filter((e) => e.kind !== "transmission" && e.at >= s.from && e.at <= s.to);

/** The entry that goes on at a moment, or began last within the slack before it, such as the width of a finger. */
export const under = (row: Row, at: number, slack = 0): TimelineEntry | undefined => row.entries.findLast((e) => e.at - slack <= at && endOf(e) + slack >= at);

/** The next entry of a row after a moment (1), or the one before (-1). */
export const nextOf = (row: Row, at: number, by: 1 | -1): TimelineEntry | undefined => (by > 0 ? row.entries.find((e) => e.at > at) : row.entries.findLast((e) => e.at < at));

/** What is played from a moment on: what was recorded on these channels, in its order; the first may have begun before. */
export function playable(rows: readonly Row[], from: number, to: number): TimelineEntry[] {
  const all = new Map(rows.flatMap((r) => r.entries).filter((e) => e.recording && endOf(e) > from && e.at < to).map((e) => [e.id, e]));
  return [...all.values()].sort(byTime);
}

/** The waveform of a bar as a path in a box of 1 by 2, beginning at x: voice is quiet beside its loudest moment, and the root shows it. */
export function wave(peaks: readonly number[], x: number, width: number): string {
  return peaks
    .map((p, i) => {
      const height = Math.max(0.06, Math.sqrt(p / 255)) * 0.9;
      return `M${(x + ((i + 0.5) * width) / peaks.length).toFixed(5)} ${(1 - height).toFixed(2)}V${(1 + height).toFixed(2)}`;
    })
    .join("");
}

/** The stretch between two points of the strip. */
export const spanOf = (s: Stretch, a: number, b: number): Stretch => ({ from: momentAt(s, Math.max(0, Math.min(a, b))), to: momentAt(s, Math.min(1, Math.max(a, b))) });
