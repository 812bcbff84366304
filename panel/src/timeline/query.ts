// What a query finds: the same in a service and in a page of its own. Pure.
import type { TimelineEntry, TimelineQuery } from "./api";

const has = (text: string | number | undefined, part: string): boolean => text !== undefined && String(text).toLowerCase().includes(part);

/** All that an entry says in words. */
const said = (e: TimelineEntry): string => [e.name, e.unitId, e.byName, e.detail, e.reason, e.transcript].filter(Boolean).join(" ").toLowerCase();

/** When it was over; what takes no time is over at once. */
export const endOf = (e: TimelineEntry): number => e.endedAt ?? e.at;

export function matches(e: TimelineEntry, q: TimelineQuery): boolean {
  if (q.before !== undefined && e.seq >= q.before) return false;
  if (q.from !== undefined && endOf(e) < q.from) return false;
  if (q.to !== undefined && e.at > q.to) return false;
  if (q.kinds !== undefined && q.kinds.length > 0 && !q.kinds.includes(e.kind)) return false;
  if (q.frequency && ![e.frequency, e.controlFrequency, ...(e.frequencies ?? [])].includes(q.frequency)) return false;
  const unit = q.unit?.trim().toLowerCase();
  if (unit && !has(e.serverId, unit) && !has(e.unitId, unit) && !has(e.name, unit)) return false;
  const text = said(e);
  return (q.text ?? "").toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
