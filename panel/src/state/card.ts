import { homeOf, type Live, type Talker, type Transmission } from "./radio";
import type { State } from "./state";

export type CardState = "emergency" | "tx" | "wait" | "busy" | "rx" | "idle";

/** What a channel's card shows. */
export interface CardView {
  state: CardState;
  /** The talker who is heard: the one who began first. */
  talker: Talker | null;
  talkers: number[];
  /** Who holds the floor that was denied. */
  holder: number | null;
  panic: number | null;
  units: number[];
  listeners: Set<number>;
  last: Transmission | null;
  fault: boolean;
}

/** The channel itself and, for a talkgroup, its working frequencies. */
function livesOf(s: State, frequency: string): Live[] {
  return Object.values(s.radio.live).filter((l) => l.frequency === frequency || l.control === frequency);
}

const lasts = new WeakMap<Transmission[], Map<string, Transmission>>();

/** The last finished transmission of every channel. It is computed once per log, because every card asks for it. */
function lastOf(s: State): Map<string, Transmission> {
  let last = lasts.get(s.radio.log);
  if (!last) {
    last = new Map();
    for (const t of s.radio.log) {
      const home = homeOf(s.radio, t.frequency);
      if (t.endedAt !== null && !last.has(home)) last.set(home, t);
    }
    lasts.set(s.radio.log, last);
  }
  return last;
}

/** Whether two views look the same: most channels are quiet while others talk, and need not be drawn. */
export function sameCard(a: CardView, b: CardView): boolean {
  const flat = (c: CardView): unknown[] => [
    c.state, c.talker, c.holder, c.panic, c.last, c.fault, c.units.length, ...c.units, ...c.talkers, "listening", ...c.listeners,
  ];
  const [x, y] = [flat(a), flat(b)];
  return x.length === y.length && x.every((v, i) => v === y[i]);
}

export function cardOf(s: State, frequency: string): CardView {
  const trunked = s.radio.channels[frequency]?.type === "trunked";
  const own = s.radio.live[frequency];
  const lives = trunked ? livesOf(s, frequency) : own ? [own] : [];
  const talkers = lives.flatMap((l) => l.talkers);
  const others = talkers.filter((t) => t.id !== s.session.me);
  const panic = s.radio.panics.find((p) => homeOf(s.radio, p.frequency) === frequency)?.id ?? null;
  const denied = s.ptt.denials.find((d) => d.frequency === frequency);
  const speakers = new Set(lives.flatMap((l) => l.speakers));
  const listeners = new Set(lives.flatMap((l) => l.listeners).filter((id) => !speakers.has(id)));
  const talker = others[0] ?? talkers[0] ?? null;
  return {
    state: stateOf(),
    talker: panic === null && !denied ? talker : talkers.find((t) => t.id !== denied?.holder) ?? null,
    talkers: talkers.map((t) => t.id),
    holder: denied?.holder ?? null,
    panic,
    units: [...speakers, ...listeners],
    listeners,
    last: lastOf(s).get(frequency) ?? null,
    fault: s.sound.faults.some((x) => homeOf(s.radio, x.frequency) === frequency),
  };

  function stateOf(): CardState {
    if (panic !== null) return "emergency";
    if (denied && s.ptt.state === "DENIED") return "busy";
    if (s.ptt.granted.includes(frequency) || talkers.some((t) => t.id === s.session.me)) return "tx";
    if (s.ptt.asked.includes(frequency)) return "wait";
    if (denied) return "busy";
    return talkers.length > 0 ? "rx" : "idle";
  }
}
