import type { TransmissionEntry } from "../wire.gen";
import { homeOf, type Live, logLength, nameOf, patchOf, type Radio, type Transmission } from "./radio";

/** Logs that a unit begins to talk. */
export function logStart(radio: Radio, id: number, frequency: string, at: number): Radio {
  if (radio.log.some((t) => t.endedAt === null && t.serverId === id && t.frequency === frequency)) return radio;
  const control = radio.live[frequency]?.control;
  const over = patchOf(radio, homeOf(radio, frequency));
  const entry: Transmission = {
    id: `t-${radio.counter + 1}`,
    serverId: id,
    name: nameOf(radio, id),
    unitId: radio.users[id]?.unitId ?? null,
    frequency,
    ...(control ? { controlFrequency: control } : {}),
    ...(over ? { patchId: over.id } : {}),
    encoding: radio.channels[homeOf(radio, frequency)]?.type === "digital" ? "imbe" : "opus",
    startedAt: at,
    endedAt: null,
    durationMs: 0,
  };
  return { ...radio, counter: radio.counter + 1, log: [entry, ...radio.log].slice(0, logLength) };
}

/** Logs that it has ended. */
export function logEnd(radio: Radio, id: number, frequency: string, at: number): Radio {
  return {
    ...radio,
    log: radio.log.map((t) =>
      t.endedAt === null && t.serverId === id && t.frequency === frequency
        ? { ...t, endedAt: at, durationMs: at - t.startedAt }
        : t,
    ),
  };
}

/** How far two clocks may be apart after the difference between them is taken away, ms: the network's delay. */
export const slack = 1_000;

/**
 * The log with what the server has kept, whose times are the server's and the better
 * ones. What this console logged itself has no id of the server, so that two transmissions
 * are the same if one unit began them on one frequency at the same time, or if they
 * overlap: nobody talks twice at once.
 */
export function mergeTransmissions(log: readonly Transmission[], told: readonly TransmissionEntry[], skew: number, id: (n: number) => string): Transmission[] {
  const out = [...log];
  const free = new Set(log);
  let count = 0;
  for (const t of [...told].sort((a, b) => a.startedAt - b.startedAt)) {
    const here: Transmission = { ...t, told: t.id, encoding: t.encoding === "imbe" ? "imbe" : "opus", startedAt: t.startedAt + skew, endedAt: t.endedAt && t.endedAt + skew };
    const known = [...free].filter((x) => (x.told ? x.told === t.id : same(x, here))).sort((a, b) => apart(a, here) - apart(b, here))[0];
    if (known) {
      free.delete(known);
      out[out.indexOf(known)] = { ...known, ...here, id: known.id, name: known.name || here.name };
    } else {
      out.push({ ...here, id: id(++count) });
    }
  }
  return out.sort((a, b) => b.startedAt - a.startedAt);
}

const apart = (a: Transmission, b: Transmission): number => Math.abs(a.startedAt - b.startedAt);

function same(a: Transmission, b: Transmission): boolean {
  if (a.serverId !== b.serverId || a.frequency !== b.frequency) return false;
  if (a.endedAt === null || b.endedAt === null) return a.endedAt === b.endedAt;
  return apart(a, b) <= slack || Math.min(a.endedAt, b.endedAt) - Math.max(a.startedAt, b.startedAt) > slack;
}

/** The log once the server has told who talks now and what was said last. */
export function logStatus(radio: Radio, told: readonly TransmissionEntry[], now: number): Radio {
  const live = (t: { serverId: number; frequency: string }): boolean => radio.live[t.frequency]?.talkers.some((x) => x.id === t.serverId) === true;
  const own = radio.log.map((t) => (t.endedAt === null && !live(t) ? { ...t, endedAt: now, durationMs: now - t.startedAt } : t));
  const there = told.filter((t) => t.endedAt !== null || live(t));
  const log = mergeTransmissions(own, there, radio.skew, (n) => `t-${radio.counter + n}`).slice(0, logLength);
  const next = { ...radio, counter: radio.counter + there.length, log };
  return Object.values(radio.live).reduce((r, l) => l.talkers.reduce((x, t) => logStart(x, t.id, l.frequency, begun(x, t.id, l.frequency) ?? t.since), r), next);
}

/** When a talk began that a patch carries to a channel: the server logs only the channel that was keyed. */
function begun(radio: Radio, id: number, frequency: string): number | undefined {
  const over = patchOf(radio, homeOf(radio, frequency));
  return radio.log.find((t) => t.endedAt === null && t.serverId === id && t.patchId && t.patchId === over?.id)?.startedAt;
}

/** The talkers of a channel with the times at which they began, as the log has them. */
export function since(log: readonly Transmission[], l: Live): Live {
  return {
    ...l,
    talkers: l.talkers.map((t) => ({ ...t, since: log.find((x) => x.endedAt === null && x.serverId === t.id && x.frequency === l.frequency)?.startedAt ?? t.since })),
  };
}
