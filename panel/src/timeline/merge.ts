// What a timeline tells, in one with what the console has seen itself.
import type { LogEntry } from "../state/entry";
import { entryCount } from "../state/log";
import { logLength, type Radio, type Transmission } from "../state/radio";
import { mergeTransmissions, slack } from "../state/transmission";
import type { TimelineEntry } from "./api";
import { lineOf, transmissionOf } from "./entry";

/** The radio with what a timeline tells. Nothing is in it twice. */
export function mergeTold(radio: Radio, told: readonly TimelineEntry[]): Radio {
  const said = told.map((e) => transmissionOf(e, 0)).filter((t) => t !== null);
  // The end of what still goes on here is on its way.
  const ended = said.filter((t) => !radio.log.some((x) => x.endedAt === null && x.serverId === t.serverId && x.frequency === t.frequency && Math.abs(x.startedAt - t.startedAt - radio.skew) <= slack));
  const log = mergeTransmissions(radio.log, ended, radio.skew, (n) => `t-${radio.counter + n}`);
  const lines = told.map((e) => lineOf(radio, e)).filter((e) => e !== null);
  return { ...radio, counter: radio.counter + ended.length, log: log.slice(0, logLength), entries: mergeEntries(radio.entries, lines).slice(0, entryCount) };
}

/** Lines that are no transmissions, the newest first; what both tell is there once, as the console had it. */
export function mergeEntries(own: readonly LogEntry[], told: readonly LogEntry[]): LogEntry[] {
  const ids = new Set(own.map((e) => e.id));
  const free = new Set(own);
  const out = [...own];
  for (const e of told) {
    if (ids.has(e.id)) continue;
    const known = [...free].find((x) => alike(x, e));
    if (known) {
      free.delete(known);
      continue;
    }
    ids.add(e.id);
    out.push(e);
  }
  return out.sort((a, b) => b.at - a.at);
}

const either = <T>(a: T, b: T): boolean => !a || !b || a === b;

/** Told by a notification with a time of its own, or by a record: the same deed. */
function alike(a: LogEntry, b: LogEntry): boolean {
  return (
    a.what === b.what && Math.abs(a.at - b.at) <= slack && a.frequency === b.frequency && either(a.serverId, b.serverId) && either(a.name, b.name) &&
    (a.what.startsWith("patch") || either(a.detail, b.detail))
  );
}

/** Older ones behind those that the log has, without those that it has too. */
export function behind(log: Transmission[], older: readonly Transmission[]): Transmission[] {
  const known = new Set(log.map((t) => t.told));
  const rest = older.filter((t) => !known.has(t.told));
  return rest.length === 0 ? log : [...log, ...rest].sort((a, b) => b.startedAt - a.startedAt);
}

/** Likewise. */
export function behindEntries(entries: LogEntry[], older: readonly LogEntry[]): LogEntry[] {
  const known = new Set(entries.map((e) => e.id));
  const rest = older.filter((e) => !known.has(e.id));
  return rest.length === 0 ? entries : [...entries, ...rest].sort((a, b) => b.at - a.at);
}
