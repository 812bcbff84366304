import type { Audience, Message } from "../link/wasm";
import type { DispatchNotification, EmergencyEvent, PatchStatus, ServerTone } from "../wire.gen";
import type { Told } from "./api";

/** What a unit was sent, and what kind of thing it was. */
export interface Tidings {
  told: string;
  as: Told;
}

function reaches(to: Audience, id: number): boolean {
  return to.everyone === true || (to.dispatchers === true && id < 0) || (to.users ?? []).includes(id);
}

/** What a message says to a unit besides who is where and who talks; null: nothing, or the unit's own doing. */
export function tidingsOf(m: Message, id: number): Tidings | null {
  if (!reaches(m.to, id)) return null;
  if (m.name === "serverTone") return { told: (m.payload as ServerTone).tone, as: "tone" };
  if (m.name === "patchStatus") {
    const p = m.payload as PatchStatus;
    return { told: p.label, as: p.active ? "patched" : "unpatched" };
  }
  if (m.name === "emergency") {
    const { ackBy, ackById, endedAt, closedAt, current } = m.payload as EmergencyEvent;
    if (ackById === null || ackById === id || endedAt !== null || closedAt !== null || current) return null;
    return { told: ackBy || String(ackById), as: "acknowledged" };
  }
  if (m.name !== "dispatchNotification") return null;
  const n = m.payload as DispatchNotification;
  return n.by === id ? null : notified(n, id);
}

function notified(n: DispatchNotification, id: number): Tidings | null {
  const alert = n.alertConfig?.name ?? "";
  switch (n.type) {
    case "broadcast":
      return { told: n.message ?? "", as: "broadcast" };
    case "alert":
    case "oneshot":
      return { told: alert, as: "alert" };
    case "alertCleared":
      return { told: alert, as: "cleared" };
    case "panic":
      return { told: n.name || String(n.serverId), as: "panic" };
    case "panicCleared":
      return { told: n.byName || String(n.by ?? ""), as: "calmed" };
  }
  if (n.serverId !== id) return null; // the rest is about one unit
  switch (n.type) {
    case "userAlert":
      return { told: n.message ?? "", as: "message" };
    case "userSwitched":
      return { told: n.controlFrequency || n.frequency || "", as: "moved" };
    case "userDisconnected":
      return { told: n.byName || String(n.by ?? ""), as: "kicked" };
    case "callsign":
      return { told: n.callsign ?? "", as: "named" };
  }
  return null;
}
