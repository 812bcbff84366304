// The push-to-talk, decided in one pure function. IDLE → REQUESTED → TX → TAIL →
// IDLE, and DENIED. It takes what happened and returns what to do, in order.

import type { Denial, ForcedRelease, Ptt, PttSource, PttTarget } from "../state/ptt";

export type PttInput =
  | {
      type: "press";
      source: PttSource;
      target: PttTarget;
      /** The channels that this press keys now; if none, nothing happens. */
      frequencies: readonly string[];
      now: number;
    }
  | { type: "release"; source: PttSource; now: number }
  | { type: "force"; reason: ForcedRelease; now: number }
  | { type: "granted"; frequency: string; now: number }
  | { type: "denied"; frequency: string; reason: string; holder: number | null; now: number }
  | { type: "taken"; frequency: string; now: number }
  | { type: "time"; now: number };

/** What to do, in order. */
export type PttEffect =
  | { type: "keyUp"; frequency: string; override: boolean }
  | { type: "keyDown"; frequency: string }
  | { type: "microphone"; frequencies: readonly string[] } // empty: closed
  | { type: "permit" }
  | { type: "busy" };

export interface PttOptions {
  /** How long the microphone stays open after a release, ms (Config.pttReleaseDelay). */
  releaseDelay: number;
  /** A press toggles instead of holding. */
  latch: boolean;
  /** A second press within doubleTap of the first overrides. */
  override: boolean;
}

/** How long the service may take to answer a key-up, in ms: the panel calls a link stale after 5 s, and nobody holds a key that long without an answer. */
export const answerTime = 3000;
/** A second press this soon after the first is a double tap, in ms: above the 300 ms of hurried fingers, below a deliberate new call. */
export const doubleTap = 400;

export const idle: Ptt = {
  state: "IDLE",
  source: null,
  target: null,
  asked: [],
  granted: [],
  denials: [],
  lost: [],
  override: false,
  latched: false,
  deadline: null,
  pressedAt: -Infinity,
  forced: null,
};

/** What a step returns: the new push-to-talk, and what to do, in order. */
export interface PttStep {
  ptt: Ptt;
  effects: PttEffect[];
}

/** step is the whole logic of the push-to-talk. It keeps nothing and calls nobody. */
export function step(p: Ptt, input: PttInput, options: PttOptions): PttStep {
  switch (input.type) {
    case "press":
      return press(p, input, options);
    case "release":
      return release(p, input, options);
    case "force":
      return p.state === "IDLE" ? { ptt: p, effects: [] } : end(p, input.reason);
    case "granted":
      return granted(p, input.frequency);
    case "denied":
      return denied(p, [{ frequency: input.frequency, reason: input.reason, holder: input.holder }], []);
    case "taken":
      return taken(p, input.frequency);
    case "time":
      return time(p, input.now);
  }
}

function same(a: PttTarget | null, b: PttTarget): boolean {
  if (a === null || a.kind !== b.kind) return false;
  switch (b.kind) {
    case "global":
      return true;
    case "channel":
      return a.kind === "channel" && a.frequency === b.frequency;
    case "group":
      return a.kind === "group" && a.groupId === b.groupId;
    case "patch":
      return a.kind === "patch" && a.patchId === b.patchId;
  }
}

function press(p: Ptt, input: PttInput & { type: "press" }, options: PttOptions): PttStep {
  // A theme's key may stay down by mistake: the dispatcher's own goes before it.
  const byTheme = p.source === "theme" && input.source !== "theme";
  if (p.state === "TX" || p.state === "REQUESTED") {
    if (byTheme && !same(p.target, input.target)) {
      const over = end(p, null);
      const next = press(over.ptt, input, options);
      return { ptt: next.ptt, effects: [...over.effects, ...next.effects] };
    }
    if (byTheme) return p.latched ? tail(p, input.now, options) : { ptt: { ...p, source: input.source }, effects: [] };
    // Another transmission is under way: nothing happens, except that the next press
    // of its own source ends a latched one.
    const ends = p.latched && p.source === input.source && same(p.target, input.target);
    return ends ? tail(p, input.now, options) : { ptt: p, effects: [] };
  }
  if (p.state === "DENIED" && !byTheme) return { ptt: p, effects: [] }; // it must be released first
  if (input.frequencies.length === 0) return { ptt: p, effects: [] };
  const again = same(p.target, input.target);
  const twice = options.override && again && input.now - p.pressedAt <= doubleTap;
  if (p.state === "TAIL" && again && p.granted.length > 0) {
    // Pressed again before the tail was over: the floor was never given back.
    const deadline = p.asked.length > 0 ? input.now + answerTime : null;
    return {
      ptt: { ...p, state: "TX", source: input.source, latched: options.latch, deadline, pressedAt: input.now },
      effects: [],
    };
  }
  const before = p.state === "TAIL" && !again ? end(p, null).effects : [];
  const frequencies = [...new Set(input.frequencies)];
  return {
    ptt: {
      ...idle,
      state: "REQUESTED",
      source: input.source,
      target: input.target,
      asked: frequencies,
      override: twice,
      latched: options.latch,
      deadline: input.now + answerTime,
      pressedAt: input.now,
    },
    effects: [
      ...before,
      ...frequencies.map((frequency): PttEffect => ({ type: "keyUp", frequency, override: twice })),
      { type: "microphone", frequencies },
    ],
  };
}

function release(p: Ptt, input: PttInput & { type: "release" }, options: PttOptions): PttStep {
  if (p.source !== input.source) return { ptt: p, effects: [] };
  switch (p.state) {
    case "DENIED":
      return { ptt: { ...p, state: "IDLE", source: null, latched: false, deadline: null }, effects: [] };
    case "REQUESTED":
    case "TX":
      return p.latched ? { ptt: p, effects: [] } : tail(p, input.now, options);
    default:
      return { ptt: p, effects: [] };
  }
}

/** tail keeps the microphone open for the last syllable, and for an answer that is still on its way. */
function tail(p: Ptt, now: number, options: PttOptions): PttStep {
  if (options.releaseDelay <= 0) return end(p, null);
  return { ptt: { ...p, state: "TAIL", latched: false, deadline: now + options.releaseDelay }, effects: [] };
}

/** end closes the microphone and gives back every floor that is held or asked for. */
function end(p: Ptt, forced: ForcedRelease | null): PttStep {
  const keyed = [...p.granted, ...p.asked];
  const effects: PttEffect[] = [];
  if (keyed.length > 0) {
    effects.push({ type: "microphone", frequencies: [] });
    for (const frequency of keyed) effects.push({ type: "keyDown", frequency });
  }
  return {
    ptt: { ...idle, target: p.target, denials: p.denials, lost: p.lost, pressedAt: p.pressedAt, forced },
    effects,
  };
}

function granted(p: Ptt, frequency: string): PttStep {
  if (!p.asked.includes(frequency)) return { ptt: p, effects: [] };
  const asked = p.asked.filter((f) => f !== frequency);
  const next: Ptt = { ...p, asked, granted: [...p.granted, frequency] };
  if (p.state === "TAIL") return { ptt: next, effects: [] };
  const deadline = asked.length > 0 ? p.deadline : null;
  const first = p.state === "REQUESTED";
  return { ptt: { ...next, state: "TX", deadline }, effects: first ? [{ type: "permit" }] : [] };
}

/** denied removes channels that were asked for; before is done first. */
function denied(p: Ptt, denials: Denial[], before: PttEffect[]): PttStep {
  const off = denials.filter((d) => p.asked.includes(d.frequency));
  if (off.length === 0) return { ptt: p, effects: [] };
  const asked = p.asked.filter((f) => !off.some((d) => d.frequency === f));
  const next: Ptt = { ...p, asked, denials: [...p.denials, ...off] };
  const left = [...p.granted, ...asked];
  const microphone: PttEffect = { type: "microphone", frequencies: left };
  if (left.length > 0) {
    const deadline = p.state === "TAIL" || asked.length > 0 ? p.deadline : null;
    return { ptt: { ...next, deadline }, effects: [...before, microphone] };
  }
  const over = p.state === "TAIL";
  return {
    ptt: { ...next, state: over ? "IDLE" : "DENIED", source: over ? null : p.source, latched: false, deadline: null },
    effects: [microphone, ...before, { type: "busy" }],
  };
}

function taken(p: Ptt, frequency: string): PttStep {
  if (!p.granted.includes(frequency)) return { ptt: p, effects: [] };
  const left = p.granted.filter((f) => f !== frequency);
  const lost = [...p.lost, frequency];
  const open = [...left, ...p.asked];
  const microphone: PttEffect = { type: "microphone", frequencies: open };
  if (open.length > 0) return { ptt: { ...p, granted: left, lost }, effects: [microphone] };
  const over = p.state === "TAIL";
  return {
    ptt: {
      ...p,
      state: over ? "IDLE" : "DENIED",
      source: over ? null : p.source,
      granted: [],
      lost,
      latched: false,
      deadline: null,
      forced: "taken",
    },
    effects: over ? [microphone] : [microphone, { type: "busy" }],
  };
}

function time(p: Ptt, now: number): PttStep {
  if (p.deadline === null || now < p.deadline) return { ptt: p, effects: [] };
  if (p.state === "TAIL") return end(p, null);
  // The service has not answered. If it does later, nobody is talking any more, so
  // what was asked for is given back.
  return denied(
    { ...p, deadline: null },
    p.asked.map((frequency) => ({ frequency, reason: "no answer", holder: null })),
    p.asked.map((frequency): PttEffect => ({ type: "keyDown", frequency })),
  );
}
