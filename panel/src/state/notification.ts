import type { DispatchNotification } from "../wire.gen";
import { hasBanner, nameOf, type Notice, noticeCount, type Panic, type Radio } from "./radio";

/** Applies a dispatchNotification. Types that also have an event of their own change nothing here. */
export function applyNotification(radio: Radio, n: DispatchNotification, at: number): Radio {
  const frequency = n.frequency ?? null;
  switch (n.type) {
    case "alert":
      return alert(radio, n, at);
    case "alertCleared":
      return alertCleared(radio, n);
    case "oneshot":
      if (!n.alertConfig || !hasBanner(n.alertConfig)) return radio;
      return notice(radio, n, at, { kind: "oneshot", title: n.alertConfig.name, color: n.alertConfig.color ?? null });
    case "broadcast":
      return notice(radio, n, at, { kind: "broadcast", title: n.broadcastType || "General Alert", sticky: true });
    case "panic":
      if (n.serverId === undefined || frequency === null) return radio;
      return panic(radio, { frequency, id: n.serverId, since: begun(n, at) });
    case "panicCleared":
      return panicCleared(radio, n, at);
    case "callsign":
      return callsign(radio, n);
    case "themes":
      return { ...radio, config: radio.config && { ...radio.config, themes: n.themes!, defaultTheme: n.defaultTheme! } };
    case "userAlert":
      return notice(radio, n, at, { kind: "user", title: n.serverId === undefined ? "" : nameOf(radio, n.serverId) });
    default:
      return radio;
  }
}

/** The status says that a panic is on, but not since when. */
function panic(radio: Radio, p: Panic): Radio {
  const known = radio.panics.find((k) => k.id === p.id && k.frequency === p.frequency);
  if (known && known.since <= p.since) return radio;
  return { ...radio, panics: [...radio.panics.filter((k) => k !== known), p] };
}

function alert(radio: Radio, n: DispatchNotification, at: number): Radio {
  if (!n.frequency || !n.alertConfig) return radio;
  const known = radio.alerts[n.frequency];
  const same = known?.config.name === n.alertConfig.name;
  // Known already, but the status did not say since when it is on.
  if (n.current && same)
    return known.since <= n.timestamp ? radio : { ...radio, alerts: { ...radio.alerts, [n.frequency]: { ...known, since: n.timestamp } } };
  const again = n.repeated === true && same;
  const active = {
    frequency: n.frequency,
    config: n.alertConfig,
    since: again ? known.since : begun(n, at),
    by: again ? known.by : author(radio, n),
    seen: again && known.seen && n.alertConfig.repeatShowBanner !== true,
  };
  return { ...radio, alerts: { ...radio.alerts, [n.frequency]: active } };
}

/** When it began: whatever was active before this console connected is older than its message. */
function begun(n: DispatchNotification, at: number): number {
  return n.current ? Math.min(n.timestamp, at) : at;
}

function alertCleared(radio: Radio, n: DispatchNotification): Radio {
  if (!n.frequency || !radio.alerts[n.frequency]) return radio;
  const alerts = { ...radio.alerts };
  delete alerts[n.frequency];
  return { ...radio, alerts };
}

function panicCleared(radio: Radio, n: DispatchNotification, at: number): Radio {
  const panics = radio.panics.filter((p) => p.id !== n.serverId || p.frequency !== n.frequency);
  if (panics.length === radio.panics.length) return radio;
  const next = { ...radio, panics };
  if (n.reason !== "acknowledged" || n.serverId === undefined) return next;
  return notice(next, n, at, { kind: "info", title: nameOf(radio, n.serverId), text: "acknowledged" });
}

function callsign(radio: Radio, n: DispatchNotification): Radio {
  if (n.serverId === undefined) return radio;
  const user = radio.users[n.serverId] ?? { id: n.serverId, name: "", nacId: null, unitId: null, callsign: null };
  return { ...radio, users: { ...radio.users, [n.serverId]: { ...user, callsign: n.callsign || null } } };
}

function author(radio: Radio, n: DispatchNotification): string {
  return n.byName || (n.by === undefined ? "" : nameOf(radio, n.by));
}

function notice(radio: Radio, n: DispatchNotification, at: number, more: Partial<Notice>): Radio {
  const same = radio.notices.some((x) => x.at === at && x.text === (more.text ?? n.message ?? "") && x.kind === more.kind);
  if (same) return radio;
  return addNotice(radio, {
    kind: "info",
    title: "",
    text: n.message ?? "",
    frequency: n.frequency ?? null,
    by: author(radio, n),
    at,
    color: null,
    sticky: false,
    ...more,
  });
}

/** Puts a new notice first; the oldest are dropped. */
export function addNotice(radio: Radio, n: Omit<Notice, "id">): Radio {
  const id = radio.counter + 1;
  return { ...radio, counter: id, notices: [{ ...n, id }, ...radio.notices].slice(0, noticeCount) };
}
