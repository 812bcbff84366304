// What the page of the log shows, apart from drawing it.
import type { AdminLogLine } from "../wire.gen";

/** The levels, the gravest first. */
export const levels = ["error", "warn", "notice", "info", "debug", "verbose"] as const;
export type Level = (typeof levels)[number];

/** As many lines are kept on the page: as many as the service keeps. */
export const most = 1000;

/** textOf is a line as the filter reads it. */
export const textOf = (l: AdminLogLine): string => [l.message, ...l.fields.map((f) => `${f.name}=${f.value}`)].join(" ");

/** add puts what is new behind the lines that are known. A last number that is lower than the known one is that of a service that was started again. */
export function add(lines: readonly AdminLogLine[], fresh: readonly AdminLogLine[]): AdminLogLine[] {
  const known = lines.at(-1)?.seq ?? 0;
  const again = fresh.length > 0 && (fresh[0]?.seq ?? 0) <= known;
  return [...(again ? [] : lines), ...fresh].slice(-most);
}

/** shown are the lines up to a level that have all words of the filter, newest first. */
export function shown(lines: readonly AdminLogLine[], level: Level, filter: string): AdminLogLine[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const up = levels.indexOf(level);
  return lines
    .filter((l) => {
      if (levels.indexOf(l.level as Level) > up) return false;
      const text = textOf(l).toLowerCase();
      return words.every((w) => text.includes(w));
    })
    .reverse();
}
