import type { Emergency } from "../wire.gen";
import { homeOf, nameOf, type Panic, type Radio, unitOf } from "./radio";
import { slack } from "./transmission";

export type { Emergency };

/** How an emergency ended, as the dispatcher says who closes it. */
export const closeReasons = ["resolved", "accidental", "test", "other"] as const;
export type CloseReason = (typeof closeReasons)[number];

/** unacknowledged: the alarm sounds; ended: it still does, although the panic is over. */
export type EmergencyState = "unacknowledged" | "acknowledged" | "ended";

/** After this long without an acknowledgement the alarm is louder, ms. */
export const overdueAfter = 30_000;
/** How long a card says that its emergency was closed, ms. */
export const closedFor = 60_000;
/** How many closed emergencies are remembered: cards speak of the last minute only. */
const closedCount = 20;

export function emergencyState(e: Emergency): EmergencyState {
  if (e.ackAt !== null) return "acknowledged";
  return e.endedAt === null ? "unacknowledged" : "ended";
}

/** Whether its alarm sounds. */
export const alarming = (e: Emergency): boolean => e.ackAt === null;

/** Whether nobody has acknowledged it for too long. */
export const overdue = (e: Emergency, now: number): boolean => alarming(e) && now - e.raisedAt >= overdueAfter;

const older = (a: Emergency, b: Emergency): number => a.raisedAt - b.raisedAt || (a.id < b.id ? -1 : 1);

/** Applies a record: an open one replaces its former self, a closed one is remembered for a while. */
export function applyEmergency(radio: Radio, e: Emergency): Radio {
  const others = radio.emergencies.filter((x) => x.id !== e.id);
  if (e.closedAt !== null) {
    const closed = [e, ...radio.closed.filter((x) => x.id !== e.id)].slice(0, closedCount);
    return { ...radio, emergencies: others, closed };
  }
  const before = radio.emergencies.find((x) => x.id === e.id);
  if (before && same(before, e)) return radio;
  return { ...radio, emergencies: [...others, e].sort(older) };
}

const same = (a: Emergency, b: Emergency): boolean => (Object.keys(a) as (keyof Emergency)[]).every((k) => a[k] === b[k]);

/** The record by this computer's clock, with the name and the unit id by which the console knows its unit everywhere else. */
export function called(radio: Pick<Radio, "users" | "skew">, e: Emergency): Emergency {
  const here = (ms: number | null): number | null => (ms === null ? null : ms + radio.skew);
  const known = radio.users[e.serverId] ? { name: nameOf(radio, e.serverId), unitId: unitOf(radio, e.serverId) } : {};
  return { ...e, ...known, raisedAt: e.raisedAt + radio.skew, ackAt: here(e.ackAt), endedAt: here(e.endedAt), closedAt: here(e.closedAt) };
}

/** The open ones, the oldest first. */
export const openOf = (records: readonly Emergency[]): Emergency[] => records.filter((e) => e.closedAt === null).sort(older);

/** A panic that the radio keeps no record of, because too many are open: it has no id, and ends when it is acknowledged. */
function unrecorded(radio: Radio, p: Panic): Emergency {
  return {
    id: `panic-${p.frequency}-${p.id}`, serverId: p.id, unitId: unitOf(radio, p.id), name: nameOf(radio, p.id), frequency: p.frequency,
    raisedAt: p.since, ackBy: null, ackAt: null, ackById: null, endedAt: null, endedBy: null, closedBy: null, closedAt: null, closedById: null,
    reason: null, note: null,
  };
}

/** Whether the radio has a record of it, so that it can be acknowledged and closed. */
export const recorded = (e: Emergency): boolean => !e.id.startsWith("panic-");

const lists = new WeakMap<readonly Emergency[], { panics: readonly Panic[]; all: readonly Emergency[] }>();

/** All open emergencies, oldest first. The same list as long as nothing has changed. */
export function openEmergencies(radio: Radio): readonly Emergency[] {
  const known = lists.get(radio.emergencies);
  if (known?.panics === radio.panics) return known.all;
  const without = radio.panics.filter((p) => !radio.emergencies.some((e) => e.serverId === p.id && e.frequency === p.frequency && e.endedAt === null));
  const all = without.length === 0 ? radio.emergencies : [...radio.emergencies, ...without.map((p) => unrecorded(radio, p))].sort(older);
  lists.set(radio.emergencies, { panics: radio.panics, all });
  return all;
}

/** What is heard of a unit in an emergency: it talks, it has talked, or nothing yet. */
export function voiceSince(radio: Radio, e: Emergency): "talking" | "heard" | "none" {
  const home = homeOf(radio, e.frequency);
  const own = radio.log.find((x) => x.serverId === e.serverId && x.startedAt >= e.raisedAt - slack && (x.endedAt ?? Infinity) > e.raisedAt && homeOf(radio, x.frequency) === home);
  if (!own) return "none";
  return own.endedAt === null ? "talking" : "heard";
}

/** The emergency that a channel's card shows: the oldest that alarms, else the oldest open one. */
export function emergencyOf(radio: Radio, frequency: string): Emergency | null {
  const here = openEmergencies(radio).filter((e) => homeOf(radio, e.frequency) === frequency);
  return here.find(alarming) ?? here[0] ?? null;
}

/** The emergency that was closed on a channel last. */
export function closedOn(radio: Radio, frequency: string): Emergency | null {
  return radio.closed.find((e) => homeOf(radio, e.frequency) === frequency) ?? null;
}

/**
 * Which emergency each slot of the lane shows. A slot keeps its emergency until that
 * is closed; a free slot takes the oldest that has none.
 */
export function slotsOf(before: readonly (string | null)[], count: number, open: readonly Emergency[]): (string | null)[] {
  const slots: (string | null)[] = Array.from({ length: count }, (_, i) => {
    const id = before[i] ?? null;
    return open.some((e) => e.id === id) ? id : null;
  });
  const waiting = open.filter((e) => !slots.includes(e.id));
  return slots.map((id) => id ?? waiting.shift()?.id ?? null);
}
