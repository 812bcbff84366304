import type { ChannelState, Member, PatchStatus, PlayerInfoUpdate, ServerToClientEvents, TalkingState } from "../wire.gen";
import { applyEmergency, called } from "./emergency";
import { logEmergency, logNotification } from "./log";
import { applyNotification } from "./notification";
import type { Live, Radio, User } from "./radio";
import { logEnd, logStart } from "./transmission";

type Events = ServerToClientEvents;
export type EventName = keyof Events;
export type Payload<N extends EventName> = Parameters<Events[N]>[0];

/** An event of the service, with the time (ms) at which it arrived. */
export type RadioEvent = { [N in EventName]: { name: N; payload: Payload<N>; at: number } }[EventName];

/**
 * The radio after an event. Pure; an event that changes nothing returns the same
 * object, so that nothing is drawn again. Applying an event twice must be the same as
 * applying it once: events arrive while the status is fetched.
 */
export function applyEvent(radio: Radio, e: RadioEvent): Radio {
  switch (e.name) {
    case "channelState":
      return channelState(radio, e.payload, e.at);
    case "channelDeleted":
      return channelDeleted(radio, e.payload);
    case "speakerJoined":
      return joined(radio, e.payload, "speakers");
    case "speakerLeft":
      return left(radio, e.payload, "speakers", e.at);
    case "listenerJoined":
      return joined(radio, e.payload, "listeners");
    case "listenerLeft":
      return left(radio, e.payload, "listeners", e.at);
    case "talkingState":
      return talking(radio, e.payload, e.at);
    case "patchStatus":
      return patch(radio, e.payload, e.at);
    case "playerInfoUpdate":
      return playerInfo(radio, e.payload);
    case "announcementGroup":
      return radio.armed === e.payload.groupId ? radio : { ...radio, armed: e.payload.groupId };
    case "emergency":
      return emergency(radio, e.payload);
    case "dispatchNotification":
      return logNotification(applyNotification(radio, e.payload, e.at), e.payload, e.at);
    default:
      return radio; // voice, slots, heartbeats and the like concern other modules
  }
}

/** current says only that it is no news. */
function emergency(radio: Radio, { current: _, ...record }: Payload<"emergency">): Radio {
  const known = called(radio, record);
  return logEmergency(applyEmergency(radio, known), known);
}

function liveOf(radio: Radio, frequency: string): Live {
  return radio.live[frequency] ?? { frequency, control: null, speakers: [], listeners: [], talkers: [] };
}

function put(radio: Radio, live: Live): Radio {
  return { ...radio, live: { ...radio.live, [live.frequency]: live } };
}

function channelState(radio: Radio, s: ChannelState, at: number): Radio {
  const before = liveOf(radio, s.frequency);
  const talkers = s.activeTalkers.map((id) => before.talkers.find((t) => t.id === id) ?? { id, since: at });
  let next = put(radio, {
    frequency: s.frequency,
    control: s.controlFrequency ?? null,
    speakers: s.speakers,
    listeners: s.listeners,
    talkers,
  });
  const users = { ...next.users };
  for (const [key, data] of Object.entries(s.userData ?? {})) {
    const id = Number(key);
    users[id] = { ...blank(id), ...users[id], name: data.name, nacId: data.nacId, callsign: data.callsign };
  }
  next = { ...next, users };
  for (const t of before.talkers) if (!talkers.some((x) => x.id === t.id)) next = logEnd(next, t.id, s.frequency, at);
  for (const t of talkers) if (!before.talkers.some((x) => x.id === t.id)) next = logStart(next, t.id, s.frequency, at);
  return next;
}

function channelDeleted(radio: Radio, frequency: string): Radio {
  if (!radio.live[frequency]) return radio;
  const live = { ...radio.live };
  delete live[frequency];
  return { ...radio, live };
}

const blank = (id: number): User => ({ id, name: "", nacId: null, unitId: null, callsign: null });

function joined(radio: Radio, m: Member, list: "speakers" | "listeners"): Radio {
  let next = radio;
  if (m.name) next = playerInfo(next, { serverId: m.serverId, name: m.name, ...(m.nacId ? { nacId: m.nacId } : {}) });
  const live = liveOf(next, m.frequency);
  if (live[list].includes(m.serverId)) return next;
  return put(next, { ...live, [list]: [...live[list], m.serverId].sort((a, b) => a - b) });
}

function left(radio: Radio, m: Member, list: "speakers" | "listeners", at: number): Radio {
  const live = liveOf(radio, m.frequency);
  if (!live[list].includes(m.serverId)) return radio;
  const next = put(radio, { ...live, [list]: live[list].filter((id) => id !== m.serverId) });
  return list === "speakers" ? talking(next, { serverId: m.serverId, frequency: m.frequency, state: false }, at) : next;
}

function talking(radio: Radio, t: TalkingState, at: number): Radio {
  const live = liveOf(radio, t.frequency);
  const talks = live.talkers.some((x) => x.id === t.serverId);
  if (talks === t.state) return radio;
  const talkers = t.state
    ? [...live.talkers, { id: t.serverId, since: at }]
    : live.talkers.filter((x) => x.id !== t.serverId);
  const next = put(radio, { ...live, talkers });
  return t.state ? logStart(next, t.serverId, t.frequency, at) : logEnd(next, t.serverId, t.frequency, at);
}

function patch(radio: Radio, p: PatchStatus, at: number): Radio {
  const others = radio.patches.filter((x) => x.id !== p.patchId);
  if (!p.active) return others.length === radio.patches.length ? radio : { ...radio, patches: others };
  const known = radio.patches.find((x) => x.id === p.patchId);
  const next = {
    id: p.patchId,
    label: p.label,
    frequencies: p.frequencies,
    createdBy: known?.createdBy ?? 0,
    createdAt: known?.createdAt ?? at,
  };
  return { ...radio, patches: [...others, next].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)) };
}

function playerInfo(radio: Radio, p: Omit<PlayerInfoUpdate, "callsign"> & Partial<PlayerInfoUpdate>): Radio {
  const user = radio.users[p.serverId] ?? blank(p.serverId);
  const next = {
    ...user,
    name: p.name ?? user.name,
    nacId: p.nacId ?? user.nacId,
    unitId: p.unitId ?? user.unitId,
    callsign: p.callsign === undefined ? user.callsign : p.callsign,
  };
  const keys = ["name", "nacId", "unitId", "callsign"] as const;
  if (radio.users[p.serverId] && keys.every((k) => next[k] === user[k])) return radio;
  return { ...radio, users: { ...radio.users, [p.serverId]: next } };
}
