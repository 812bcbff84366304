// How a weak signal sounds: noise and gaps in an analogue voice, repeated and missing
// frames in a digital one. Pure; processors.worklet.ts wraps it. The same talk with the
// same signal sounds the same everywhere.

import { Dice } from "../dice";
import type { SignalEffect } from "./api";

/** How a voice arrives. */
export interface Weak extends SignalEffect {
  /** 0..100; 100 is a good one. */
  signal: number;
  /** A digital voice has no noise: it is repeated or missing. */
  digital: boolean;
  /** Another one for each talk: it decides where the gaps are. */
  seed: number;
}

/** effectOf turns the configuration's levels, 0..100, into the engine's. */
export function effectOf(levels: { noise: number; dropouts: number } | null | undefined): SignalEffect | null {
  return levels == null ? null : { noise: levels.noise / 100, dropouts: levels.dropouts / 100 };
}

/** Seconds in which a voice is either there or not: a frame of the P25 vocoder. */
const frame = 0.02;
/**
 * The chance that a gap ends with a frame. Gaps are 80 ms on average, as a unit that
 * drives 50 km/h crosses the fades of a 150 MHz signal.
 */
const recovery = 0.25;
/** The share of a voice that is lost at signal 0. */
const worst = 0.8;
/** Peak of the noise of an open discriminator: -14 dBFS, a little below a voice. */
const hiss = 0.2;
/** How often a decoder repeats its last good frame before it is silent (TIA-102.BABA, frame repeats), and how much of it is left each time. */
const repeats = 3;
const decay = 0.7;
/** Seconds in which voice and noise change places: no click. */
const glide = 0.003;

/** seedOf gives the talks of each talker on each channel seeds of their own. */
export function seedOf(talker: number, frequency: string, talk: number): number {
  let h = 0x811c9dc5; // FNV-1a
  for (const c of `${talker} ${frequency} ${talk}`) h = Math.imul(h ^ c.charCodeAt(0), 0x01000193);
  return h >>> 0;
}

/** The share of a voice that is lost at a signal of 0..100: little at first, as a receiver limits. */
export function lossAt(signal: number): number {
  return worst * (1 - signal / 100) ** 2;
}

/** How loud the noise behind the voice is, 0..1 of an open discriminator's. */
export function noiseAt(signal: number): number {
  return (1 - signal / 100) ** 1.5;
}

/** WeakSignal changes the samples of one voice, one talk after the other. */
export class WeakSignal {
  readonly #frame: number;
  readonly #step: number;
  /** The last frame that arrived whole, for a digital voice, and the one that arrives. */
  #last: Float32Array;
  #next: Float32Array;
  #how: Weak | null = null;
  #dice = new Dice(0);
  #at = 0;
  #gone = 0;
  #voice = 1;
  #noise = 0;
  #repeat = 0;

  /** rate in Hz */
  constructor(rate: number) {
    this.#frame = Math.round(frame * rate);
    this.#step = 1 / (glide * rate);
    this.#last = new Float32Array(this.#frame);
    this.#next = new Float32Array(this.#frame);
  }

  /** set says how the voice arrives from now on; null: well. Another seed begins another talk. */
  set(how: Weak | null): void {
    if (how !== null && how.seed !== this.#how?.seed) {
      this.#dice = new Dice(how.seed);
      this.#at = this.#frame;
      this.#gone = 0;
      this.#voice = 1;
      this.#noise = 0;
      this.#repeat = 0;
      this.#last.fill(0);
    }
    this.#how = how;
  }

  /** turn decides about the next frame: good and bad ones come in runs (Gilbert's model of a channel with bursts of errors). */
  #turn(how: Weak): void {
    const loss = Math.min(0.95, lossAt(how.signal) * how.dropouts);
    const roll = this.#dice.next();
    if (this.#gone === 0) {
      [this.#last, this.#next] = [this.#next, this.#last];
      if (roll < (recovery * loss) / (1 - loss)) this.#gone = 1;
    } else {
      this.#gone = roll < recovery ? 0 : this.#gone + 1;
    }
    this.#at = 0;
  }

  /** apply makes the samples sound as they arrive. */
  apply(samples: Float32Array): void {
    const how = this.#how;
    if (how === null) return;
    const behind = how.digital ? 0 : hiss * how.noise * noiseAt(how.signal);
    const open = how.digital ? 0 : hiss * how.noise;
    for (let i = 0; i < samples.length; i++) {
      if (this.#at >= this.#frame) this.#turn(how);
      const here = samples[i]!;
      const gone = this.#gone > 0;
      this.#voice = toward(this.#voice, gone ? 0 : 1, this.#step);
      this.#noise = toward(this.#noise, gone ? open : behind, this.#step * hiss);
      let heard = here * this.#voice;
      if (how.digital) {
        this.#repeat = toward(this.#repeat, gone && this.#gone <= repeats ? decay ** this.#gone : 0, this.#step);
        heard += this.#last[this.#at]! * this.#repeat;
        if (!gone) this.#next[this.#at] = here;
      } else if (this.#noise > 0) {
        heard += (2 * this.#dice.next() - 1) * this.#noise;
      }
      samples[i] = heard;
      this.#at++;
    }
  }
}

function toward(from: number, to: number, step: number): number {
  return from < to ? Math.min(to, from + step) : Math.max(to, from - step);
}
