// The tones that the panel makes itself. A tone is a list of stretches; each is
// a sum of sines or noise for a while.

interface Stretch {
  seconds: number;
  /** Hz; none is silence. */
  hz?: readonly number[];
  /** Hz at the end, for a glide of all of them. */
  glide?: number;
  noise?: boolean;
  /** Seconds in which the level falls to 1/e. */
  decay?: number;
  /** 0..1, 1 when left out */
  level?: number;
}

/** Names of the tones made here. */
export type MadeTone =
  | "PERMIT"
  | "GRANT"
  | "BUSY"
  | "LINK_LOST"
  | "LINK_RESTORED"
  | "TAIL"
  | "TEST"
  | "ALERT_A"
  | "ALERT_B"
  | "BONK"
  | "PANIC"
  | "ALARM"
  | "TICK"
  | "BEEP"
  | "CHIRP";

/** Peak of every tone, about -9 dBFS: speech through the same knob peaks a little higher. */
const peak = 0.35;
/** Ramp at both ends of a stretch, in seconds: below it a click is heard. */
const ramp = 0.004;

function times(n: number, ...stretches: Stretch[]): Stretch[] {
  return Array.from({ length: n }, () => stretches).flat();
}

const gap = (seconds: number): Stretch => ({ seconds });

const score: Record<MadeTone, Stretch[]> = {
  // Short enough to speak right after it.
  PERMIT: [{ seconds: 0.06, hz: [1100] }, gap(0.02), { seconds: 0.06, hz: [1450] }],
  // Three quick pips, as trunked radios give when they have a channel.
  GRANT: times(3, { seconds: 0.035, hz: [1000] }, gap(0.02)),
  BUSY: times(2, { seconds: 0.17, hz: [480, 620] }, gap(0.05)),
  LINK_LOST: [{ seconds: 0.16, hz: [740] }, gap(0.03), { seconds: 0.16, hz: [560] }, gap(0.03), { seconds: 0.3, hz: [390] }],
  LINK_RESTORED: [{ seconds: 0.12, hz: [560] }, gap(0.03), { seconds: 0.2, hz: [840] }],
  // The noise of an open receiver until its squelch closes.
  TAIL: [{ seconds: 0.15, noise: true, level: 0.25 }],
  TEST: [{ seconds: 0.05, hz: [1000] }],
  // The radio's own tones, in case their files cannot be fetched.
  ALERT_A: times(6, { seconds: 0.12, hz: [975] }, { seconds: 0.12, hz: [755] }),
  ALERT_B: [{ seconds: 1.2, hz: [1000] }],
  BONK: [{ seconds: 0.16, hz: [311, 220], decay: 0.11 }, gap(0.03), { seconds: 0.22, hz: [233, 165], decay: 0.13 }],
  PANIC: times(5, { seconds: 0.22, hz: [700], glide: 1700 }, gap(0.04)),
  // Two tones, low enough for older ears, with two seconds of silence after them in the alarm's cycle.
  ALARM: times(2, { seconds: 0.25, hz: [960, 1920] }, { seconds: 0.25, hz: [770, 1540] }),
  TICK: [{ seconds: 0.04, hz: [1250], level: 0.5 }],
  BEEP: [{ seconds: 0.3, hz: [1200] }],
  CHIRP: times(2, { seconds: 0.13, hz: [1500], glide: 2400, decay: 0.12 }, gap(0.04)),
};

export function isMade(name: string): name is MadeTone {
  return Object.hasOwn(score, name);
}

/** The length of a tone in seconds. */
export function lengthOf(name: MadeTone): number {
  return score[name].reduce((sum, s) => sum + s.seconds, 0);
}

/** render makes a tone's samples, -1..1, at a rate in Hz. The same call gives the same samples. */
export function render(name: MadeTone, rate: number): Float32Array<ArrayBuffer> {
  const parts = score[name].map((s) => sound(s, rate));
  const out = new Float32Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

function sound(s: Stretch, rate: number): Float32Array {
  const out = new Float32Array(Math.round(s.seconds * rate));
  if (s.hz === undefined && !s.noise) return out;
  const phases = (s.hz ?? []).map(() => 0);
  let seed = 1;
  for (let i = 0; i < out.length; i++) {
    const t = i / rate;
    let v = 0;
    if (s.noise) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
      v = seed / 2 ** 31 - 1;
    }
    for (let k = 0; k < phases.length; k++) {
      const hz = s.hz![k]! + ((s.glide ?? s.hz![k]!) - s.hz![k]!) * (t / s.seconds);
      phases[k]! += (2 * Math.PI * hz) / rate;
      v += Math.sin(phases[k]!) / phases.length;
    }
    const edge = Math.min(1, t / ramp, (s.seconds - t) / ramp);
    out[i] = v * edge * peak * (s.level ?? 1) * (s.decay ? Math.exp(-t / s.decay) : 1);
  }
  return out;
}
