// The buffer between voice that arrives in bunches and a loudspeaker that never
// waits. Pure; processors.worklet.ts wraps it.

/** What is collected before a burst begins to play, in seconds: what TCP bunches up on a good line. */
export const startDelay = 0.06;
/** With more than this waiting, in seconds, it plays faster: the voice is heard late otherwise, until the burst ends. */
export const hurryDelay = 0.2;
/** The most that may wait, in seconds; older voice is dropped. A dead media connection is noticed sooner, so all that was said meanwhile finds room. */
export const maxDelay = 2.5;
/** To play faster, some periods of the voice are left out: the place where they are best cut out is looked for within reach, and the cut is blended over blend, all in seconds. One cut each pace. */
const reach = { from: 0.005, to: 0.02 };
const blend = 0.005;
const pace = 0.02;

/** Playout is a queue of samples with a start buffer. */
export class Playout {
  #queue: Float32Array[] = [];
  #offset = 0;
  #waiting = 0;
  #playing = false;
  #ended = false;
  readonly #start: number;
  readonly #hurry: number;
  readonly #most: number;
  readonly #from: number;
  readonly #to: number;
  readonly #blend: number;
  readonly #pace: number;
  /** Samples played since the last cut. */
  #since = 0;
  /** Samples thrown away because they came too late. */
  dropped = 0;
  /** How often a burst ran dry before its end. */
  gaps = 0;

  /** rate in Hz */
  constructor(rate: number) {
    this.#start = Math.round(startDelay * rate);
    this.#hurry = Math.round(hurryDelay * rate);
    this.#most = Math.round(maxDelay * rate);
    this.#from = Math.round(reach.from * rate);
    this.#to = Math.round(reach.to * rate);
    this.#blend = Math.round(blend * rate);
    this.#pace = Math.round(pace * rate);
  }

  get waiting(): number {
    return this.#waiting;
  }

  push(samples: Float32Array): void {
    if (samples.length === 0) return;
    this.#ended = false;
    this.#queue.push(samples);
    this.#waiting += samples.length;
    while (this.#waiting > this.#most && this.#queue.length > 1) {
      const old = this.#queue.shift()!;
      this.#waiting -= old.length - this.#offset;
      this.dropped += old.length - this.#offset;
      this.#offset = 0;
    }
  }

  /** end: nothing more comes of this burst; what waits is played, however little. */
  end(): void {
    this.#ended = true;
  }

  /** pull fills out with voice, and with silence where there is none. Says whether there was voice. */
  pull(out: Float32Array): boolean {
    if (!this.#playing) {
      if (this.#waiting === 0 || (this.#waiting < this.#start && !this.#ended)) {
        out.fill(0);
        return false;
      }
      this.#playing = true;
    }
    this.#since += out.length;
    if (this.#since >= this.#pace && this.#waiting > this.#hurry) this.#cut();
    const at = this.#take(out);
    if (at < out.length) {
      out.fill(0, at);
      this.#playing = false;
      if (!this.#ended) this.gaps++;
    }
    return at > 0;
  }

  /** take moves samples from the queue to out, and says how many there were. */
  #take(out: Float32Array): number {
    let at = 0;
    while (at < out.length && this.#queue.length > 0) {
      const head = this.#queue[0]!;
      const n = Math.min(out.length - at, head.length - this.#offset);
      out.set(head.subarray(this.#offset, this.#offset + n), at);
      at += n;
      this.#offset += n;
      this.#waiting -= n;
      if (this.#offset === head.length) {
        this.#queue.shift();
        this.#offset = 0;
      }
    }
    return at;
  }

  /** cut leaves out as many samples as are most like those before them, so that the pitch stays. */
  #cut(): void {
    this.#since = 0;
    const next = new Float32Array(this.#to + this.#blend);
    this.#take(next);
    let best = this.#from;
    let most = -Infinity;
    for (let shift = this.#from; shift <= this.#to; shift += 2) {
      let alike = 0;
      let energy = 1e-9;
      for (let i = 0; i < this.#blend; i += 2) {
        const there = next[shift + i]!;
        alike += next[i]! * there;
        energy += there * there;
      }
      const score = alike / Math.sqrt(energy);
      if (score > most) [best, most] = [shift, score];
    }
    const rest = next.slice(best);
    for (let i = 0; i < this.#blend; i++) {
      const weight = (i + 1) / (this.#blend + 1);
      rest[i] = next[i]! * (1 - weight) + rest[i]! * weight;
    }
    if (this.#offset > 0) this.#queue[0] = this.#queue[0]!.subarray(this.#offset);
    this.#offset = 0;
    this.#queue.unshift(rest);
    this.#waiting += rest.length;
  }
}
