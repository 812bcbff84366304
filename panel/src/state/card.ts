import { levelOf, opened, type Priority, priorityOf } from "./desk";
import { closedOn, type Emergency, emergencyOf, emergencyState, openEmergencies } from "./emergency";
import { livesOf, overriderOf, talkersOn } from "./floor";
import { hasBanner, homeOf, type ActiveAlert, nameOf, patchOf, type Radio, type Talker, type Transmission, unitOf } from "./radio";
import { globalTargets, linked, type State } from "./state";
import { targetsOf } from "./target";

/** What a card can show, once: the first of these that holds, from emergencies down to idle. */
export const cardStates = [
  "em", "ended", "ack", "link", "overridden", "over", "tx", "wait", "busy", "denied", "noaudio", "rx", "off", "idle",
] as const;
export type CardState = (typeof cardStates)[number];

/** What a channel's card shows. Every field is a plain value or an object of the state, so that two views can be compared. */
export interface CardView {
  state: CardState;
  /** The state without the emergency: the head of an emergency's card says who talks. */
  voice: CardState;
  /** Heard here: monitored, or a PTT target. */
  heard: boolean;
  /** The priority with which it is monitored; undefined: it is not. */
  priority: Priority | undefined;
  /** Heard because of an emergency. */
  auto: boolean;
  muted: boolean;
  /** It can only be listened to: nobody may talk there, or there is no microphone. */
  listenOnly: boolean;
  /** The push-to-talk keys it. */
  target: boolean;
  /** The PTT key of the card is down; a group in use takes its place meanwhile. */
  chosen: boolean;
  /** Who talks, holds the channel, or has overridden; null: nobody, or this console. */
  talker: number | null;
  name: string;
  unit: string;
  /** The other talker is overridden by this console. */
  over: string;
  /** Why the channel was denied. */
  reason: string;
  /** Since when the timer runs, ms; null: it does not. */
  since: number | null;
  emergency: Emergency | null;
  /** Further open emergencies on the channel. */
  more: number;
  /** When the last emergency was closed here, ms. */
  closedAt: number | null;
  alert: ActiveAlert | null;
  /** The label of the patch that the channel is in. */
  patch: string;
  last: Transmission | null;
  /** How many units are on it. */
  units: number;
  /** Names of the units on it that are followed. */
  follows: string;
  recalled: boolean;
  /** Its drawer is open. */
  drawerOpen: boolean;
  /** Times are shown in UTC. */
  utc: boolean;
}

const lasts = new WeakMap<Transmission[], Map<string, Transmission>>();

/** The last finished transmission of every channel. It is computed once per log, because every card asks for it. */
function lastOf(radio: Radio): Map<string, Transmission> {
  let last = lasts.get(radio.log);
  if (!last) {
    last = new Map();
    for (const t of radio.log) {
      const home = t.controlFrequency ?? homeOf(radio, t.frequency);
      if (t.endedAt !== null && !last.has(home)) last.set(home, t);
    }
    lasts.set(radio.log, last);
  }
  return last;
}

/** Whether two views look the same: most channels are quiet while others talk, and need not be drawn. */
export function sameCard(a: CardView, b: CardView): boolean {
  return (Object.keys(a) as (keyof CardView)[]).every((k) => a[k] === b[k]);
}

/** Everybody on the channel who speaks there. */
export function unitsOn(radio: Radio, frequency: string): number[] {
  return [...new Set(livesOf(radio, frequency).flatMap((l) => l.speakers))];
}

export function cardOf(s: State, frequency: string): CardView {
  const { radio, desk } = s;
  const { drawer } = s.screen;
  const priority = priorityOf(desk, frequency);
  const chosen = targetsOf(desk).includes(frequency);
  const heard = heardAt(s, frequency);
  const { muted } = levelOf(desk, frequency);
  const voice = voiceOf(s, frequency, heard, muted);
  const emergency = emergencyOf(radio, frequency);
  const alert = radio.alerts[frequency];
  const units = unitsOn(radio, frequency).filter((id) => id > 0); // consoles are no units
  return {
    ...voice,
    state: emergency === null ? voice.voice : emergencyCard[emergencyState(emergency)],
    heard,
    priority,
    auto: opened(desk, frequency),
    muted,
    listenOnly: radio.channels[frequency]?.canTransmit !== true || s.sound.voice.noMicrophone !== null,
    target: globalTargets(s).includes(frequency),
    chosen,
    emergency,
    more: emergency === null ? 0 : openEmergencies(radio).filter((e) => homeOf(radio, e.frequency) === frequency).length - 1,
    closedAt: closedOn(radio, frequency)?.closedAt ?? null,
    alert: alert && hasBanner(alert.config) ? alert : null,
    patch: patchOf(radio, frequency)?.label ?? "",
    last: lastOf(radio).get(frequency) ?? null,
    units: units.length,
    follows: desk.follows.filter((id) => units.includes(id)).map((id) => nameOf(radio, id)).join(", "),
    recalled: s.sound.recall?.playing === true && s.sound.recall.channel === frequency,
    drawerOpen: drawer?.kind === "channel" && drawer.frequency === frequency,
    utc: desk.settings.utc,
  };
}

/** Monitored, or a PTT target. */
const heardAt = ({ desk }: State, frequency: string): boolean => priorityOf(desk, frequency) !== undefined || targetsOf(desk).includes(frequency);

/** Whether a voice on the channel is heard here now, and not only shown. */
export function isHeard(s: State, frequency: string): boolean {
  const home = homeOf(s.radio, frequency);
  return voiceOf(s, home, heardAt(s, home), levelOf(s.desk, home).muted).voice === "rx";
}

const emergencyCard = { unacknowledged: "em", ended: "ended", acknowledged: "ack" } as const;

type Voice = Pick<CardView, "voice" | "talker" | "name" | "unit" | "over" | "reason" | "since">;

/** What is said on a channel, whatever else happens there. */
function voiceOf(s: State, frequency: string, heard: boolean, muted: boolean): Voice {
  const { radio, ptt, session } = s;
  const talkers = talkersOn(radio, frequency);
  const mine = talkers.find((t) => t.id === session.me);
  const others = talkers.filter((t) => t.id !== session.me);
  const first = others[0];
  const told = (voice: CardState, by: Talker | undefined, more: Partial<Voice> = {}): Voice => ({
    voice, talker: by?.id ?? null, name: by ? nameOf(radio, by.id) : "", unit: by ? unitHere(radio, by.id) : "",
    over: "", reason: "", since: by?.since ?? null, ...more,
  });
  const own = (voice: CardState, more: Partial<Voice> = {}): Voice => ({
    ...told(voice, undefined, { since: mine?.since ?? null, unit: nameOf(radio, session.me) }), ...more,
  });

  if (!linked(s)) return told("link", first, { since: null });
  if (mine || ptt.granted.includes(frequency)) {
    const winner = overriderOf(s, frequency);
    if (winner) return told("overridden", winner);
    return ptt.override && first ? own("over", { over: nameOf(radio, first.id) }) : own("tx");
  }
  if (ptt.asked.includes(frequency)) return own("wait");
  if (ptt.state !== "IDLE") {
    const denial = ptt.denials.find((d) => d.frequency === frequency);
    if (denial && denial.holder === null && denial.reason !== "busy") return told("denied", undefined, { reason: denial.reason });
    if (denial) {
      const holder = denial.holder === null ? first : others.find((t) => t.id === denial.holder);
      return holder || denial.holder === null ? told("busy", holder) : told("busy", { id: denial.holder, since: 0 }, { since: null });
    }
    const winner = overriderOf(s, frequency);
    if (winner) return told("overridden", winner);
  }
  // A unit that is followed is heard wherever it talks.
  const followed = others.find((t) => s.desk.follows.includes(t.id));
  const talker = heard ? first : followed ?? first;
  if (!talker) return told("idle", undefined);
  if (muted || (!heard && !followed)) return told("off", talker);
  const unheard = others.find((t) => silent(s, t, frequency));
  return unheard ? told("noaudio", unheard) : told("rx", talker);
}

/** A console without a unit of its own is told by its name alone. */
const unitHere = (radio: Radio, id: number): string => (id > 0 ? unitOf(radio, id) : radio.users[id]?.unitId ?? "");

/** Whether a talker should be heard and is not: sound is off, or no voice arrives. */
function silent(s: State, t: Talker, frequency: string): boolean {
  const { off, voice, faults, waiting } = s.sound;
  if ((off !== null && off !== "start") || voice.plane === "none") return true;
  return [...faults, ...waiting].some((x) => x.serverId === t.id && homeOf(s.radio, x.frequency) === frequency);
}
