import { type Live, type Radio, type Talker } from "./radio";
import type { State } from "./state";

/** The channel itself and, for a talkgroup, its working frequencies. */
export function livesOf(radio: Radio, frequency: string): Live[] {
  if (radio.channels[frequency]?.type === "trunked")
    return Object.values(radio.live).filter((l) => l.frequency === frequency || l.control === frequency);
  const own = radio.live[frequency];
  return own ? [own] : [];
}

/** Everybody who talks there. */
export const talkersOn = (radio: Radio, frequency: string): Talker[] => livesOf(radio, frequency).flatMap((l) => l.talkers);

/** Who has overridden this console on a channel that it keys; null: nobody. */
export function overriderOf({ radio, ptt, session }: State, frequency: string): Talker | null {
  const talkers = talkersOn(radio, frequency);
  const others = talkers.filter((t) => t.id !== session.me);
  const mine = talkers.find((t) => t.id === session.me);
  // An override leaves both on the air: whoever began later has overridden the other.
  if (mine) return others.filter((t) => t.since > mine.since).at(-1) ?? null;
  return ptt.state !== "IDLE" && ptt.lost.includes(frequency) ? (others[0] ?? null) : null;
}
