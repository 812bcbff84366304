// Entries of a timeline as the console's log has them.
import { recorderSaid } from "../i18n/recorder";
import type { Deed, LogEntry, LogKind } from "../state/entry";
import { homeOf, type Radio, type Transmission } from "../state/radio";
import type { TimelineEntry } from "./api";

/** Which kinds of entries each choice of the log shows. */
const kinds: Record<LogKind, readonly string[]> = {
  voice: ["transmission"],
  emergency: ["panic", "panicCleared", "emergencyAcknowledged", "emergencyEnded", "emergencyClosed"],
  alert: ["alert", "alertCleared", "alertOnce"],
  change: ["moved", "patchOn", "patchOff", "disconnected", "callsign"],
  message: ["message", "broadcast", "health"],
};

/** The kinds to ask for. Messages are shown with the changes. */
export const kindsOf = (kind: LogKind | "all"): string[] =>
  kind === "all" ? Object.values(kinds).flat() : [...kinds[kind], ...(kind === "change" ? kinds.message : [])];

/** The transmission of an entry by this computer's clock; null: it is none. */
export function transmissionOf(e: TimelineEntry, skew: number): Transmission | null {
  if (e.kind !== "transmission" || e.frequency === undefined) return null;
  const { cut, patchId, controlFrequency, recording, transcript } = e;
  return {
    id: e.id,
    told: e.id,
    serverId: e.serverId ?? 0,
    name: e.name ?? "",
    unitId: e.unitId ?? null,
    frequency: e.frequency,
    ...(controlFrequency ? { controlFrequency } : {}),
    ...(patchId ? { patchId } : {}),
    encoding: e.encoding === "imbe" ? "imbe" : "opus",
    startedAt: e.at + skew,
    endedAt: (e.endedAt ?? e.at) + skew,
    durationMs: e.durationMs ?? 0,
    ...(cut ? { cut } : {}),
    // Without one, it takes away what was known: it has been deleted.
    recording,
    transcript,
  };
}

/** The line of any other entry; null: the log shows none for it. Its id is that of the notification or record that told it live. */
export function lineOf(radio: Radio, e: TimelineEntry): LogEntry | null {
  const told = e.controlFrequency || e.frequency;
  const entry = (what: Deed, key: string | number, more: Partial<LogEntry> = {}): LogEntry => ({
    id: `${what}-${key}-${e.at}`,
    what,
    at: e.at + radio.skew,
    serverId: e.serverId ?? null,
    name: e.name ?? "",
    frequency: told ? homeOf(radio, told) : null,
    by: e.by ?? 0,
    byName: e.byName ?? "",
    detail: "",
    ...more,
  });
  const unit = e.serverId ?? 0;
  const emergency = `${unit}-${e.frequency ?? ""}`;
  const nobody = { by: 0, byName: "" };
  switch (e.kind) {
    case "panic":
      return entry("raised", emergency, e.by === e.serverId ? nobody : {});
    case "emergencyAcknowledged":
      return entry("acknowledged", emergency);
    case "emergencyEnded":
      return entry("ended", emergency, { ...nobody, detail: e.reason ?? "" });
    case "emergencyClosed":
      return entry("closed", emergency, { detail: e.reason ?? "" });
    case "panicCleared":
      // Its acknowledgement, too, has an entry of its own.
      return e.reason === "acknowledged" ? null : entry("ended", emergency, { ...nobody, detail: e.reason === "timeout" ? "timeout" : "" });
    case "alert":
    case "alertOnce":
      return entry("alert", e.frequency ?? "", { serverId: null, name: "", detail: e.detail ?? "" });
    case "alertCleared":
      return entry("alertCleared", e.frequency ?? "", { serverId: null, name: "", detail: e.detail ?? "" });
    case "moved":
      return entry("moved", unit);
    case "patchOn":
    case "patchOff":
      return entry(e.kind, e.patchId ?? "", { name: e.detail ?? "", detail: (e.frequencies ?? []).join(" ") });
    case "disconnected":
      return entry("disconnected", unit);
    case "callsign":
      // A console that signs in says what it is called: that is no news.
      return e.detail && e.detail !== e.name && !(unit < 0 && (e.by ?? unit) === unit) ? entry("callsign", unit, { detail: e.detail }) : null;
    case "message":
      return entry("text", unit, { detail: e.detail ?? "" });
    case "broadcast":
      return entry("broadcast", e.frequency ?? "", { detail: e.detail ?? "" });
    case "health":
      // The consoles that were there were told so by a broadcast.
      return e.detail === "recorder" ? entry("broadcast", "", { detail: recorderSaid(e.reason ?? "") }) : null;
    default:
      return null;
  }
}
