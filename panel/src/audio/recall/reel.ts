// What a source's voice goes through before it is kept: a third of the rate,
// µ-law, in blocks. Pure; the worklet gives it what it plays.

import { encode } from "./mulaw";

/** Every third sample of 48 kHz is kept: 16 kHz, the band of wide-band telephony. */
export const thinning = 3;
/** Bytes of a block: 100 ms at 16 kHz. */
export const blockLength = 1600;
/** Quiet inside a burst is kept for this long, in s, so that a key held in silence fills no tape. */
export const longestQuiet = 0.5;
/** How long to wait for the last syllable after a burst, in s: a little more than playout buffers hold. */
export const tail = 0.45;

/** The low-pass before the rate goes down: a sinc cut at 7.2 kHz, under a Hann window. */
const reach = 16;
const taps = (() => {
  const cut = 0.15; // 7.2 of 48 kHz
  const raw = Array.from({ length: 2 * reach + 1 }, (_, i) => {
    const x = 2 * cut * (i - reach) * Math.PI;
    return (x === 0 ? 1 : Math.sin(x) / x) * (0.5 + 0.5 * Math.cos(((i - reach) * Math.PI) / (reach + 1)));
  });
  const sum = raw.reduce((a, b) => a + b, 0);
  return Float32Array.from(raw, (v) => v / sum);
})();

/** A block of voice, and the number of the burst that it belongs to. */
export interface Block {
  burst: number;
  voice: Uint8Array<ArrayBuffer>;
}

/** Reel takes one source's samples and passes on blocks while a burst is kept. */
export class Reel {
  readonly #past = new Float32Array(2 * reach);
  #line = new Float32Array(2 * reach);
  #block = new Uint8Array(blockLength);
  #filled = 0;
  #phase = 0;
  #burst: number | null = null;
  #quiet = 0;
  /** How many samples the tail may still have; null: the burst goes on. */
  #left: number | null = null;

  /** rate in Hz; give gets each block. */
  constructor(
    readonly rate: number,
    readonly give: (block: Block) => void,
  ) {}

  /** start begins a burst, and ends one that was not over. */
  start(burst: number): void {
    this.#stop();
    this.#burst = burst;
  }

  /** end: the talker released; frames still in transit follow. */
  end(): void {
    if (this.#burst !== null) this.#left ??= Math.round(tail * this.rate);
  }

  /** take gets everything that the source plays; undefined or quiet (nothing to hear in it) is silence. */
  take(samples: Float32Array | undefined, quiet: boolean): void {
    if (this.#burst === null) return;
    const length = samples?.length ?? 128;
    this.#quiet = quiet ? this.#quiet + length : 0;
    if (samples !== undefined && this.#quiet <= longestQuiet * this.rate) this.#keep(samples);
    if (this.#left === null) return;
    this.#left -= length;
    if (this.#left <= 0 || this.#quiet > 0.1 * this.rate) this.#stop();
  }

  #keep(samples: Float32Array): void {
    const all = 2 * reach + samples.length;
    if (this.#line.length < all) this.#line = new Float32Array(all);
    const line = this.#line;
    line.set(this.#past);
    line.set(samples, 2 * reach);
    for (; this.#phase < samples.length; this.#phase += thinning) {
      let v = 0;
      for (let k = 0; k < taps.length; k++) v += taps[k]! * line[this.#phase + k]!;
      this.#block[this.#filled++] = encode(v);
      if (this.#filled === blockLength) this.#flush();
    }
    this.#phase -= samples.length;
    this.#past.set(line.subarray(samples.length, all));
  }

  #flush(): void {
    if (this.#filled === 0 || this.#burst === null) return;
    const voice = this.#filled === blockLength ? this.#block : this.#block.slice(0, this.#filled);
    if (voice === this.#block) this.#block = new Uint8Array(blockLength);
    this.#filled = 0;
    this.give({ burst: this.#burst, voice });
  }

  #stop(): void {
    this.#flush();
    this.#past.fill(0);
    this.#burst = this.#left = null;
    this.#filled = this.#phase = this.#quiet = 0;
  }
}
