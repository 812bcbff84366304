import type { Denial, PttTarget } from "./ptt";
import { overriderOf, talkersOn } from "./floor";
import { homeOf, patchOf } from "./radio";
import { globalTargets, linked, type State } from "./state";

/** What the push-to-talk key shows. */
export type PttFace = "IDLE" | "REQUESTED" | "TX" | "TAIL" | "DENIED" | "LATCHED" | "NOMIC" | "NOLINK";

/** What became of a target: asked and not yet answered, on air, busy, denied; or, not keyed: ready, somebody talks, no link. */
export type ChipState = "ready" | "heard" | "wait" | "tx" | "busy" | "denied" | "overridden" | "link";

/** One channel that the push-to-talk keys. */
export interface Chip {
  frequency: string;
  state: ChipState;
  /** Who holds the channel, or talks on it. */
  holder: number | null;
  /** The service's words for a denial that is not "busy". */
  reason: string;
  /** The label of the patch by which it is reached, if it is not a target itself. */
  patch: string | null;
}

/** No link, no microphone and a latched key are shown before anything else: the key must never promise what it cannot do. */
export function pttFace(s: State): PttFace {
  if (!linked(s)) return "NOLINK";
  if (s.sound.voice.noMicrophone !== null) return "NOMIC";
  return s.ptt.latched && s.ptt.state === "TX" ? "LATCHED" : s.ptt.state;
}

/** The channels that a target keys now. */
export function keyedBy(s: State, target: PttTarget): readonly string[] {
  switch (target.kind) {
    case "global":
      return globalTargets(s);
    case "channel":
      return s.radio.channels[target.frequency]?.canTransmit ? [target.frequency] : [];
    case "group":
      return s.radio.config?.announcementGroups.find((g) => g.id === target.groupId)?.frequencies ?? [];
    case "patch": // patched channels share one floor: keying one is heard on all
      return s.radio.patches.find((p) => p.id === target.patchId)?.frequencies.slice(0, 1) ?? [];
  }
}

/** Whether something is keyed now, or has been denied while the key is still held. */
export const keying = (s: State): boolean => s.ptt.state !== "IDLE" && s.ptt.target !== null;

/** The targets of the push-to-talk, in an order that does not change while it is keyed; patched channels follow the one that reaches them. */
export function chipsOf(s: State): Chip[] {
  const target: PttTarget = keying(s) ? s.ptt.target! : { kind: "global" };
  const wanted = keyedBy(s, target);
  const keyed = keying(s) ? [...s.ptt.asked, ...s.ptt.granted, ...s.ptt.lost, ...s.ptt.denials.map((d) => d.frequency)] : [];
  const channels = [...wanted, ...keyed.filter((f) => !wanted.includes(f))];
  const shown = new Set(channels); // a channel that two targets reach has one chip
  return channels.flatMap((f) => {
    const first = chipOf(s, f, f, null);
    const over = patchOf(s.radio, homeOf(s.radio, f));
    const members = (over?.frequencies ?? []).filter((m) => !shown.has(m));
    for (const m of members) shown.add(m);
    return [first, ...members.map((m) => chipOf(s, m, f, over!.label))];
  });
}

/** by is the channel that is keyed: a patched one shares its floor. */
function chipOf(s: State, frequency: string, by: string, patch: string | null): Chip {
  const chip = { frequency, holder: null, reason: "", patch };
  if (!linked(s)) return { ...chip, state: "link" };
  if (keying(s)) {
    const winner = overriderOf(s, frequency) ?? overriderOf(s, by);
    if (s.ptt.granted.includes(by) && winner) return { ...chip, state: "overridden", holder: winner.id };
    if (s.ptt.granted.includes(by)) return { ...chip, state: "tx" };
    const denial = denialOf(s, by);
    if (denial) return { ...chip, state: denial.holder !== null || denial.reason === "busy" ? "busy" : "denied", holder: denial.holder, reason: denial.reason };
    if (s.ptt.asked.includes(by)) return { ...chip, state: "wait" };
    if (winner) return { ...chip, state: "overridden", holder: winner.id };
  }
  const talker = talkersOn(s.radio, frequency).find((t) => t.id !== s.session.me);
  return talker ? { ...chip, state: "heard", holder: talker.id } : { ...chip, state: "ready" };
}

/**
 * The denial that is still worth telling: until the next press, and once the key is
 * released only while whoever held the channel talks on.
 */
export function standingDenial(s: State): Denial | undefined {
  return s.ptt.denials.find((d) => keying(s) || d.holder === null || talkersOn(s.radio, d.frequency).some((t) => t.id === d.holder));
}

const denialOf = (s: State, frequency: string): Denial | undefined => s.ptt.denials.find((d) => d.frequency === frequency);

/** Whether two rows of chips look the same: most changes of the radio concern none of them. */
export function sameChips(a: readonly Chip[], b: readonly Chip[]): boolean {
  return a.length === b.length && a.every((x, i) => (Object.keys(x) as (keyof Chip)[]).every((k) => x[k] === b[i]![k]));
}

/** How many of its channels a transmission has got. */
export function reach(chips: readonly Chip[]): { on: number; of: number } {
  return { on: chips.filter((c) => c.state === "tx").length, of: chips.length };
}
