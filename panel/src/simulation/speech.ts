// Voices for units that nobody speaks for: no words, but the rhythm, pitch and
// spectrum of speech, so that levels, ducking and several talkers at once are
// heard as they would be. A source and filter model as in Klatt, "Software for a
// cascade/parallel formant synthesizer" (1980), with three formants.

import { Dice } from "../dice";

/** Formants 1 to 3 of vowels, Hz, of an average man (Peterson and Barney 1952). */
const vowels: readonly (readonly [number, number, number])[] = [
  [270, 2290, 3010],
  [390, 1990, 2550],
  [530, 1840, 2480],
  [660, 1720, 2410],
  [730, 1090, 2440],
  [570, 840, 2410],
  [440, 1020, 2240],
  [300, 870, 2240],
  [490, 1350, 1690],
];
/** Bandwidths of the formants, Hz. */
const bandwidths = [70, 100, 140] as const;
/** Syllables of a phrase, from and to. */
const phrase: [number, number] = [4, 10];
/** Seconds of a syllable (three to five a second), of the pause after a phrase, of a consonant. */
const syllable: [number, number] = [0.2, 0.33];
const breath: [number, number] = [0.25, 0.6];
const consonant: [number, number] = [0.03, 0.07];
/** Passband of a radio's voice channel, Hz. */
const band: [number, number] = [250, 3_200];
/** The loudest that a sample can be. */
const peak = 0.45;
/** Samples from one move of pitch and formants to the next: about a millisecond. */
const stride = 48;

/** Endless speech-like sound of one voice, in frames of 20 ms. The same seed, the same voice, and the same burst, the same sound. */
export class Speech {
  #dice: Dice;
  readonly #length: number;
  /** Size of the vocal tract: higher voices come from shorter ones. */
  readonly #tract: number;
  /** How fast it speaks. */
  readonly #haste: number;
  readonly #formants: Resonator[];
  readonly #hiss: Resonator;
  readonly #high: Biquad;
  readonly #low: Biquad;

  #at = 0; // samples
  #phase = 0;
  #flow = 0;
  #step = 0; // phase of the glottis per sample
  #voice = 0; // levels, moving towards their aims
  #noise = 0;
  #formant: [number, number, number] = [500, 1500, 2500];

  /** What is being said: the syllable's start, the end of its consonant, and its end, in samples. */
  #from = 0;
  #voiced = 0;
  #to = 0;
  #left = 0;
  #pausing = true;
  #vowel = vowels[0] as readonly [number, number, number];
  #stress = 1;
  #tone = 1;

  /** pitch in Hz, rate in samples per second; burst is what it says, 0: something. */
  constructor(
    private readonly pitch: number,
    seed: number,
    private readonly rate = 48_000,
    burst = 0,
  ) {
    this.#dice = new Dice(seed);
    this.#length = Math.round(rate / 50);
    this.#tract = Math.min(1.2, Math.max(0.9, (pitch / 120) ** 0.25)) * this.#dice.between(0.96, 1.04);
    this.#haste = this.#dice.between(0.95, 1.1);
    this.#formants = bandwidths.map(() => new Resonator(rate));
    this.#hiss = new Resonator(rate);
    this.#hiss.tune(this.#dice.between(1_900, 2_700), 900);
    if (burst !== 0) this.#dice = new Dice(seed ^ Math.imul(burst, 0x9e3779b1));
    this.#high = Biquad.highPass(band[0], rate);
    this.#low = Biquad.lowPass(band[1], rate);
    this.#to = Math.round(this.#dice.between(0, 0.08) * rate); // nobody speaks the moment they press
  }

  frame(): Float32Array {
    const out = new Float32Array(this.#length);
    for (let i = 0; i < out.length; i++) {
      if (this.#at % stride === 0) this.#move();
      out[i] = this.#sample();
      this.#at++;
    }
    return out;
  }

  #sample(): number {
    this.#phase += this.#step;
    if (this.#phase >= 1) {
      this.#phase -= 1;
      this.#jitter();
    }
    const flow = glottis(this.#phase);
    // What leaves the lips is the change of the flow.
    let x = ((flow - this.#flow) / this.#step) * this.#voice * 0.12;
    this.#flow = flow;
    const white = this.#dice.next() * 2 - 1;
    x += white * this.#voice * 0.01; // breath
    for (const f of this.#formants) x = f.next(x);
    x += this.#hiss.next(white * this.#noise * 0.6);
    return peak * Math.tanh(this.#low.next(this.#high.next(x)));
  }

  /** No two pulses of a voice are alike. */
  #jitter(): void {
    const drift = 1 + 0.06 * Math.sin(this.#at / this.rate * 2.1);
    this.#step = (this.pitch * this.#tone * drift * this.#dice.between(0.985, 1.015)) / this.rate;
  }

  /** Moves pitch, formants and levels a little closer to their targets. */
  #move(): void {
    if (this.#at >= this.#to) this.#utter();
    if (this.#step === 0) this.#jitter();
    const [voice, noise] = this.#levels();
    // About 15 ms for a level, 30 ms for the tongue.
    this.#voice += (voice - this.#voice) * 0.07;
    this.#noise += (noise - this.#noise) * 0.12;
    this.#formants.forEach((f, i) => {
      const aim = (this.#vowel[i] as number) * this.#tract;
      this.#formant[i] = (this.#formant[i] as number) + (aim - (this.#formant[i] as number)) * 0.035;
      f.tune(this.#formant[i] as number, bandwidths[i] as number);
    });
  }

  #levels(): [voice: number, noise: number] {
    if (this.#pausing) return [0, 0];
    if (this.#at < this.#voiced) return [0.05, this.#stress];
    const through = (this.#at - this.#voiced) / (this.#to - this.#voiced);
    return [this.#stress * Math.sin(Math.PI * Math.min(1, through * 1.1)), 0];
  }

  /** The next syllable, or the pause after a phrase. */
  #utter(): void {
    const dice = this.#dice;
    const seconds = (span: [number, number]): number => Math.round((dice.between(...span) / this.#haste) * this.rate);
    this.#from = this.#at;
    if (this.#left === 0 && !this.#pausing) {
      this.#pausing = true;
      this.#to = this.#from + seconds(breath);
      return;
    }
    if (this.#pausing) this.#left = Math.round(dice.between(...phrase));
    this.#pausing = false;
    this.#left--;
    this.#voiced = this.#from + (dice.next() < 0.7 ? seconds(consonant) : 0);
    this.#to = this.#from + seconds(syllable);
    this.#vowel = dice.pick(vowels) as readonly [number, number, number];
    this.#stress = dice.between(0.75, 1);
    // The pitch falls towards the end of a phrase.
    this.#tone = dice.between(0.94, 1.08) * (0.92 + 0.02 * Math.min(this.#left, 6));
  }
}

/** Air through the glottis over one period (Rosenberg 1971): opening 40 %, closing 16 %, shut. */
function glottis(phase: number): number {
  if (phase < 0.4) return 0.5 * (1 - Math.cos((Math.PI * phase) / 0.4));
  if (phase < 0.56) return Math.cos((Math.PI * (phase - 0.4)) / 0.32);
  return 0;
}

/** One formant: two poles, gain 1 at 0 Hz. */
class Resonator {
  #a = 1;
  #b = 0;
  #c = 0;
  #y1 = 0;
  #y2 = 0;

  constructor(private readonly rate: number) {}

  tune(hz: number, width: number): void {
    this.#c = -Math.exp((-2 * Math.PI * width) / this.rate);
    this.#b = 2 * Math.exp((-Math.PI * width) / this.rate) * Math.cos((2 * Math.PI * hz) / this.rate);
    this.#a = 1 - this.#b - this.#c;
  }

  next(x: number): number {
    const y = this.#a * x + this.#b * this.#y1 + this.#c * this.#y2;
    this.#y2 = this.#y1;
    this.#y1 = y;
    return y;
  }
}

/** A Butterworth filter of second order (Bristow-Johnson's cookbook). */
class Biquad {
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;

  private constructor(
    private readonly b0: number,
    private readonly b1: number,
    private readonly a1: number,
    private readonly a2: number,
  ) {}

  static lowPass(hz: number, rate: number): Biquad {
    return Biquad.#of(hz, rate, (cos) => 1 - cos);
  }

  static highPass(hz: number, rate: number): Biquad {
    return Biquad.#of(hz, rate, (cos) => -(1 + cos));
  }

  static #of(hz: number, rate: number, middle: (cos: number) => number): Biquad {
    const w = (2 * Math.PI * hz) / rate;
    const cos = Math.cos(w);
    const alpha = Math.sin(w) * Math.SQRT1_2;
    const a0 = 1 + alpha;
    const b1 = middle(cos);
    return new Biquad(Math.abs(b1) / 2 / a0, b1 / a0, (-2 * cos) / a0, (1 - alpha) / a0);
  }

  next(x: number): number {
    const y = this.b0 * (x + this.#x2) + this.b1 * this.#x1 - this.a1 * this.#y1 - this.a2 * this.#y2;
    this.#x2 = this.#x1;
    this.#x1 = x;
    this.#y2 = this.#y1;
    this.#y1 = y;
    return y;
  }
}
