// Stretches of time on the strip. Pure; ms since the epoch.

export interface Stretch {
  from: number;
  to: number;
}

export const shortest = 10_000;
export const longest = 7 * 24 * 3_600_000;

export const lengthOf = (s: Stretch): number => s.to - s.from;
/** Where a moment lies in a stretch, 0 to 1 inside. */
export const shareOf = (s: Stretch, at: number): number => (at - s.from) / lengthOf(s);
export const momentAt = (s: Stretch, share: number): number => Math.round(s.from + share * lengthOf(s));
export const ordered = (a: number, b: number): Stretch => ({ from: Math.min(a, b), to: Math.max(a, b) });

/** zoomed makes it so many times as long; the moment at that share stays where it is. */
export function zoomed(s: Stretch, by: number, share = 0.5): Stretch {
  const length = Math.min(longest, Math.max(shortest, lengthOf(s) * by));
  const from = Math.round(momentAt(s, share) - share * length);
  return { from, to: from + Math.round(length) };
}

/** moved goes on by a share of its length. */
export function moved(s: Stretch, share: number): Stretch {
  const by = Math.round(share * lengthOf(s));
  return { from: s.from + by, to: s.to + by };
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const steps = [second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day];

/** The moments to write on the axis, at most so many, on the clock's round times. zone: what the clock is ahead of UTC, ms. */
export function ticks(s: Stretch, most: number, zone: number): number[] {
  const step = steps.find((x) => lengthOf(s) / x <= Math.max(1, most)) ?? day;
  const out: number[] = [];
  for (let at = Math.ceil((s.from + zone) / step) * step - zone; at <= s.to && out.length <= most; at += step) out.push(at);
  return out;
}

const two = (n: number): string => String(n).padStart(2, "0");

/** fieldOf is a moment as a field of date and time has it. */
export function fieldOf(ms: number, utc: boolean): string {
  const d = new Date(ms);
  if (utc) return d.toISOString().slice(0, 19);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** momentOf is the moment that a field says; null: none. */
export function momentOf(text: string, utc: boolean): number | null {
  const at = text === "" ? NaN : Date.parse(utc ? `${text}Z` : text);
  return Number.isNaN(at) ? null : at;
}

/** 20260314-142806: for the names of files. */
export const stampOf = (ms: number, utc: boolean): string => fieldOf(ms, utc).replace(/[-:]/g, "").replace("T", "-") + (utc ? "Z" : "");
