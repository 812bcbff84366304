// The buffer between voice that arrives in bunches and a loudspeaker that never
// waits. Pure; processors.worklet.ts wraps it.

/** What is collected before a burst begins to play, in seconds: what TCP bunches up on a good line. */
export const startDelay = 0.06;
/** The most that may wait, in seconds; older voice is dropped (the service drops voice that is 400 ms late). */
export const maxDelay = 0.4;

/** Playout is a queue of samples with a start buffer. */
export class Playout {
  #queue: Float32Array[] = [];
  #offset = 0;
  #waiting = 0;
  #playing = false;
  #ended = false;
  readonly #start: number;
  readonly #most: number;
  /** Samples thrown away because they came too late. */
  dropped = 0;
  /** How often a burst ran dry before its end. */
  gaps = 0;

  /** rate in Hz */
  constructor(rate: number) {
    this.#start = Math.round(startDelay * rate);
    this.#most = Math.round(maxDelay * rate);
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
    if (at < out.length) {
      out.fill(0, at);
      this.#playing = false;
      if (!this.#ended) this.gaps++;
    }
    return at > 0;
  }
}
