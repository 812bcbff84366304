import type { DispatchNotification, Emergency } from "../wire.gen";
import { alarming, openEmergencies } from "./emergency";
import type { Deed, LogEntry, LogKind } from "./entry";
import { hasBanner, homeOf, nameOf, type Radio } from "./radio";

const kinds: Record<Deed, LogKind> = {
  raised: "emergency", acknowledged: "emergency", ended: "emergency", closed: "emergency",
  alert: "alert", alertCleared: "alert", alertSeen: "alert",
  moved: "change", patchOn: "change", patchOff: "change", disconnected: "change", callsign: "change",
  text: "message", broadcast: "message",
};

export const kindOf = (what: Deed): LogKind => kinds[what];

/** How many entries are kept beside the transmissions. */
export const entryCount = 2_000;

/** Puts an entry in its place, the newest first. One that is known gets the new details and keeps its time. */
export function addEntry(radio: Radio, e: LogEntry): Radio {
  const known = radio.entries.find((x) => x.id === e.id);
  if (known) {
    const next = { ...e, at: known.at, by: e.by || known.by, byName: e.byName || known.byName, detail: e.detail || known.detail };
    if (JSON.stringify(next) === JSON.stringify(known)) return radio;
    return { ...radio, entries: radio.entries.map((x) => (x === known ? next : x)) };
  }
  const at = radio.entries.findIndex((x) => x.at <= e.at);
  const entries = [...radio.entries];
  entries.splice(at < 0 ? entries.length : at, 0, e);
  return { ...radio, entries: entries.slice(0, entryCount) };
}

/** Logs what a notification tells. It is given the radio after the notification. */
export function logNotification(radio: Radio, n: DispatchNotification, at: number): Radio {
  const entry: Enter = (what, key, more = {}) =>
    addEntry(radio, {
      id: `${what}-${key}-${n.timestamp}`,
      what,
      at: n.current ? Math.min(n.timestamp + radio.skew, at) : at,
      serverId: n.serverId ?? null,
      name: n.serverId === undefined ? "" : n.name || nameOf(radio, n.serverId),
      frequency: n.frequency ? homeOf(radio, n.frequency) : null,
      by: n.by ?? 0,
      byName: n.byName || (n.by === undefined ? "" : nameOf(radio, n.by)),
      detail: "",
      ...more,
    });
  switch (n.type) {
    case "alert":
      if (n.repeated || !n.alertConfig) return radio;
      return entry("alert", n.frequency ?? "", { detail: n.alertConfig.name });
    case "oneshot":
      if (!n.alertConfig || !hasBanner(n.alertConfig)) return radio;
      return entry("alert", n.frequency ?? "", { detail: n.alertConfig.name });
    case "alertCleared":
      return entry("alertCleared", n.frequency ?? "", { detail: n.alertConfig?.name ?? "" });
    case "panic":
      return entry("raised", `${n.serverId}-${n.frequency}`, n.by === n.serverId ? { by: 0, byName: "" } : {});
    case "panicCleared":
      return panicCleared(radio, n, entry);
    case "userSwitched":
      return entry("moved", n.serverId ?? 0);
    case "patch":
      if (!n.patch) return radio;
      // A patch whose channels change is told again; it is on only once.
      return entry(n.active ? "patchOn" : "patchOff", n.patch.id, {
        id: `${n.active ? "patchOn" : "patchOff"}-${n.patch.id}-${n.patch.createdAt}`,
        name: n.patch.label,
        detail: n.patch.frequencies.join(" "),
      });
    case "userAlert":
      return entry("text", n.serverId ?? 0, { detail: n.message ?? "" });
    case "broadcast":
      return entry("broadcast", n.frequency ?? "", { detail: n.message ?? "" });
    case "userDisconnected":
      return entry("disconnected", n.serverId ?? 0);
    case "callsign":
      return callsign(radio, n, entry);
    default:
      return radio;
  }
}

type Enter = (what: Deed, key: string | number, more?: Partial<LogEntry>) => Radio;

/** A login with the callsign of before is no news. */
function callsign(radio: Radio, n: DispatchNotification, entry: Enter): Radio {
  const name = radio.users[n.serverId ?? 0]?.name;
  return n.callsign && name && name !== n.callsign ? entry("callsign", n.serverId ?? 0, { detail: n.callsign, name }) : radio;
}

/** The end of a panic, as radios without emergency records tell it. */
function panicCleared(radio: Radio, n: DispatchNotification, entry: Enter): Radio {
  const key = `${n.serverId}-${n.frequency}`;
  if (n.reason !== "acknowledged") return entry("ended", key, { detail: n.reason === "timeout" ? "timeout" : "", by: 0, byName: "" });
  // Closing an emergency that somebody has acknowledged before clears its panic, too.
  const last = radio.entries.find((e) => e.id.startsWith(`acknowledged-${key}-`) || e.id.startsWith(`raised-${key}-`));
  return last?.what === "acknowledged" ? radio : entry("acknowledged", key);
}

/** Logs what an emergency's record tells, by this computer's clock: each of its moments once. */
export function logEmergency(radio: Radio, e: Emergency): Radio {
  const moment = (r: Radio, what: Deed, at: number | null, by: number | null, byName: string | null, detail: string): Radio =>
    at === null
      ? r
      : addEntry(r, {
          id: `${what}-${e.serverId}-${e.frequency}-${Math.round(at - radio.skew)}`, what, at, serverId: e.serverId, name: e.name,
          frequency: homeOf(radio, e.frequency), by: by ?? 0, byName: byName ?? "", detail,
        });
  let next = moment(radio, "raised", e.raisedAt, null, null, "");
  next = moment(next, "ended", e.endedAt, null, null, e.endedBy ?? "");
  next = moment(next, "acknowledged", e.ackAt, e.ackById, e.ackBy, "");
  return moment(next, "closed", e.closedAt, e.closedById, e.closedBy, e.reason ?? "");
}

/** Whether a unit has an open emergency, and whether somebody has acknowledged it. */
export function openEmergency(radio: Radio, id: number): "em" | "ack" | null {
  const own = openEmergencies(radio).filter((e) => e.serverId === id);
  return own.length === 0 ? null : own.some(alarming) ? "em" : "ack";
}
