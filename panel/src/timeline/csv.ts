// The timeline as a table for spreadsheets (RFC 4180), with the columns of a service's.
import type { TimelineEntry } from "./api";

/** An entry as an export has it. */
export interface Told extends TimelineEntry {
  /** What its channel is called. */
  channel?: string | undefined;
  /** Where its voice is. */
  file?: string | undefined;
}

const columns: Record<string, (e: Told) => string | number | undefined> = {
  time: (e) => new Date(e.at).toISOString(),
  ended: (e) => (e.endedAt ? new Date(e.endedAt).toISOString() : ""),
  seconds: (e) => (e.endedAt ? ((e.durationMs ?? 0) / 1000).toFixed(1) : ""),
  cut: (e) => (e.cut ? "transmission" : e.recording?.cut ? "recording" : ""),
  kind: (e) => e.kind,
  server_id: (e) => e.serverId,
  name: (e) => e.name,
  unit: (e) => e.unitId,
  channel: (e) => e.channel,
  frequency: (e) => e.frequency,
  talkgroup: (e) => e.controlFrequency,
  patch: (e) => e.patchId,
  by: (e) => e.byName,
  detail: (e) => e.detail,
  reason: (e) => e.reason,
  channels: (e) => e.frequencies?.join(" "),
  recording: (e) => e.file,
  transcript: (e) => e.transcript,
};

/** No cell is taken for a formula (OWASP, CSV injection), nor a part of it where cells are parted at semicolons. */
function cell(value: string): string {
  const safe = /^-?\d+$/.test(value) ? value : value.replace(/(^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠]|[\t\r])/g, "$1'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf(entries: readonly Told[]): string {
  return [Object.keys(columns), ...entries.map((e) => Object.values(columns).map((of) => of(e)))]
    .map((cells) => `${cells.map((c) => cell(String(c ?? ""))).join(",")}\r\n`)
    .join("");
}
