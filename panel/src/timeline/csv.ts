// The timeline as a table for spreadsheets (RFC 4180).
import type { TimelineEntry } from "./api";

const columns = ["time", "kind", "durationMs", "serverId", "name", "unitId", "frequency", "controlFrequency", "by", "detail", "reason", "transcript", "file", "id"] as const;

/** No cell is taken for a formula (OWASP, CSV injection). */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) && !/^-?\d+$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** file is where the voice of an entry is; "": there is none. */
export function csvOf(entries: readonly TimelineEntry[], file: (e: TimelineEntry) => string): string {
  const row = (e: TimelineEntry): (string | number | undefined)[] => [
    new Date(e.at).toISOString(), e.kind, e.durationMs, e.serverId, e.name, e.unitId, e.frequency ?? e.frequencies?.join(" "), e.controlFrequency, e.byName, e.detail, e.reason, e.transcript, file(e), e.id,
  ];
  return [[...columns], ...entries.map(row)].map((cells) => `${cells.map((c) => cell(String(c ?? ""))).join(",")}\r\n`).join("");
}
