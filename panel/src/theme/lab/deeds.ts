// What scenes are put together from: pure changes of the console's state. What the radio
// does comes as the events in which a service tells it.

import type { Level, Priority } from "../../state/desk";
import { applyEvent, type Payload, type RadioEvent } from "../../state/event";
import type { Denial, Ptt } from "../../state/ptt";
import type { Notice, Radio } from "../../state/radio";
import type { Screen, Session, Sound, State } from "../../state/state";
import type { VoiceState } from "../../state/voice";
import { ago, alerts, at, type ChannelName, me, moment, other, unit, type UnitName } from "./county";

export type Change = (s: State) => State;

/** One change after another. */
export const all = (...changes: Change[]): Change => (s) => changes.reduce((x, change) => change(x), s);

const radio = (change: (r: Radio) => Radio): Change => (s) => ({ ...s, radio: change(s.radio) });
const told = (e: RadioEvent): Change => radio((r) => applyEvent(r, e));
export const session = (more: Partial<Session>): Change => (s) => ({ ...s, session: { ...s.session, ...more } });
export const screen = (more: Partial<Screen>): Change => (s) => ({ ...s, screen: { ...s.screen, ...more } });
export const desk = (more: Partial<State["desk"]>): Change => (s) => ({ ...s, desk: { ...s.desk, ...more } });
export const sound = (more: Partial<Sound>): Change => (s) => ({ ...s, sound: { ...s.sound, ...more } });
export const voice = (more: Partial<VoiceState>): Change => (s) => sound({ voice: { ...s.sound.voice, ...more } })(s);

/** Somebody has been talking for so many seconds. */
export const talker = (id: number, channel: ChannelName, seconds: number): Change =>
  told({ name: "talkingState", payload: { serverId: id, frequency: at[channel], state: true }, at: ago(seconds) });

export const talks = (name: UnitName, seconds: number): Change => talker(unit(name).id, unit(name).on, seconds);

/** Nothing was ever said. */
export const silence: Change = radio((r) => ({ ...r, log: [], entries: [] }));

/** The push-to-talk is held: what it has asked for, got, and not got. */
export function keys(more: Partial<Ptt>): Change {
  return (s) => ({ ...s, ptt: { ...s.ptt, source: "key", target: { kind: "global" }, ...more } });
}

/** This desk has been on the air for so many seconds. */
export function onAir(channels: readonly ChannelName[], seconds: number, more: Partial<Ptt> = {}): Change {
  return all(...channels.map((c) => talker(me, c, seconds)), keys({ state: "TX", granted: channels.map((c) => at[c]), ...more }));
}

export const denied = (channel: ChannelName, reason: string, holder: number | null = null): Denial => ({ frequency: at[channel], reason, holder });

/** What became of an emergency: acknowledged or ended so many seconds ago. */
interface Course {
  raised: number;
  acknowledged?: number;
  ended?: [by: "unit" | "timeout" | "script" | "disconnect", seconds: number];
  closed?: number;
}

export const emergencyId = (name: UnitName): string => `e-${unit(name).id}`;

export function emergency(name: UnitName, { raised, acknowledged, ended, closed }: Course): Change {
  const { id, unitId, on } = unit(name);
  const record: Payload<"emergency"> = {
    id: emergencyId(name), serverId: id, unitId, name, frequency: at[on], raisedAt: ago(raised),
    ackBy: acknowledged === undefined ? null : "D-2", ackAt: acknowledged === undefined ? null : ago(acknowledged), ackById: acknowledged === undefined ? null : other,
    endedAt: ended ? ago(ended[1]) : null, endedBy: ended ? ended[0] : null,
    closedBy: closed === undefined ? null : "D-1", closedAt: closed === undefined ? null : ago(closed), closedById: closed === undefined ? null : me,
    reason: closed === undefined ? null : "accidental", note: null,
  };
  const opens = closed === undefined ? { [at[on]]: { emergency: record.id, touched: false } } : {};
  return (s) => ({
    ...s,
    radio: applyEvent(s.radio, { name: "emergency", payload: record, at: moment }),
    desk: { ...s.desk, auto: { ...s.desk.auto, ...opens } },
  });
}

/** An alert is on; seen: this dispatcher has acknowledged it. */
export function alert(channel: ChannelName, name: string, seen = false): Change {
  const f = at[channel];
  const since = ago(107);
  return all(
    told({ name: "dispatchNotification", payload: { type: "alert", frequency: f, alertConfig: alerts[name]!, by: other, byName: "D-2", timestamp: since }, at: since }),
    radio((r) => ({ ...r, alerts: { ...r.alerts, [f]: { ...r.alerts[f]!, seen } } })),
  );
}

export function patch(label: string, channels: readonly ChannelName[]): Change {
  const frequencies = channels.map((c) => at[c]);
  return told({ name: "patchStatus", payload: { patchId: label, active: true, label, frequencies }, at: ago(62) });
}

export function notice(kind: Notice["kind"], title: string, text: string, more: Partial<Notice> = {}): Change {
  return radio((r) => ({
    ...r,
    counter: r.counter + 1,
    notices: [{ id: r.counter + 1, kind, title, text, frequency: null, by: "D-2", at: moment, color: null, sticky: true, ...more }, ...r.notices],
  }));
}

export function level(channel: ChannelName, more: Partial<Level>): Change {
  return (s) => desk({ levels: { ...s.desk.levels, [at[channel]]: { volume: 1, pan: 0, muted: false, ...more } } })(s);
}

export function monitored(channel: ChannelName, priority: Priority): Change {
  return (s) => desk({ scans: { ...s.desk.scans, [at[channel]]: priority } })(s);
}

/** What the push-to-talk keys: the first channel is the one that is talked on. */
export function targets(...channels: ChannelName[]): Change {
  return desk({ joined: channels[0] ? at[channels[0]] : null, selected: channels.slice(1).map((c) => at[c]) });
}
