// What the log's search asks of a timeline, which knows frequencies and times but not
// how a console writes them.
import type { ConfigChannel } from "../wire.gen";
import type { TimelineQuery } from "./api";

/** Most channels that a word of a search may mean: each is asked for by itself. */
const mostChannels = 6;
const minute = 60_000;

/** The words of a search. */
export const wordsOf = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean).map(dayWord);

/** The 24.11. as stampOf has it. */
function dayWord(word: string): string {
  const [, day, month] = /^(\d{1,2})\.(\d{1,2})\.$/.exec(word) ?? [];
  return day && month ? `-${month.padStart(2, "0")}-${day.padStart(2, "0")} ` : word;
}

/** 2026-11-24 14:03:59, in UTC or as the computer's clock stands: what a search for a time looks at. */
export function stampOf(ms: number, utc: boolean): string {
  const shift = utc ? 0 : new Date(ms).getTimezoneOffset() * minute;
  return new Date(ms - shift).toISOString().slice(0, 19).replace("T", " ");
}

const timeOf = /^(\d{1,2}):(?:([0-5]\d)(?::([0-5]\d))?)?$/;

/** A stretch of time that a search names, of the day that is so many days back; null: it names none. */
export function windowOf(words: readonly string[], utc: boolean, now: number, back: number): { from: number; to: number } | null {
  const time = words.map((w) => timeOf.exec(w)).find((m) => m !== null && Number(m[1]) < 24);
  if (!time) return null;
  const at = new Date(now);
  const [h, m, s] = [Number(time[1]), Number(time[2] ?? 0), Number(time[3] ?? 0)];
  const from = utc
    ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() - back, h, m, s)
    : new Date(at.getFullYear(), at.getMonth(), at.getDate() - back, h, m, s).getTime();
  return { from, to: from + (time[2] === undefined ? 60 * minute : time[3] === undefined ? minute : 1_000) - 1 };
}

/**
 * The questions that together find the lines in which every word occurs: one for what
 * an entry says, and one for each channel that some of the words name. Words that name
 * a time are for windowOf.
 */
export function questionsOf(words: readonly string[], channels: readonly ConfigChannel[]): TimelineQuery[] {
  const said = words.filter((w) => !timeOf.test(w));
  const text = (rest: readonly string[]): { text?: string } => (rest.length > 0 ? { text: rest.join(" ") } : {});
  const named = channels.flatMap((c) => {
    const names = `${c.name} ${c.frequency} ${c.display ?? ""}`.toLowerCase();
    const rest = said.filter((w) => !names.includes(w));
    return rest.length < said.length ? [{ frequency: c.frequency, ...text(rest) }] : [];
  });
  return [text(said), ...named.slice(0, mostChannels)];
}
