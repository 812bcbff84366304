// Plays excerpts of the tape, or a recording, one after the other, beside live voice.
import { tapeRate } from "./tape";

/** Silence between two bursts, in s: enough to hear that another begins. */
export const gap = 0.3;
/** Ramp of the beginning and of a stop as a time constant in s: no click. */
const ramp = 0.004;
/** Interpolation of 16 to 48 kHz leaves images above this, in Hz. */
const band = 7_200;

/** Player is one playback; it can be played once. */
export class Player {
  readonly #gain: GainNode;
  readonly #sources: AudioBufferSourceNode[] = [];
  readonly #began: number;
  /** Seconds from the first sample to the last, including gaps. */
  readonly duration: number;
  #over = false;

  /**
   * It begins so many seconds after the first sample. When a burst ends, calls on.next
   * with the index of the following one, or on.ended after the last.
   */
  constructor(
    readonly context: AudioContext,
    readonly to: AudioNode,
    bursts: readonly AudioBuffer[],
    on: { next(index: number): void; ended(): void },
    readonly offset = 0,
  ) {
    this.#gain = new GainNode(context, { gain: 1 });
    const tone = new BiquadFilterNode(context, { type: "lowpass", frequency: band, Q: Math.SQRT1_2 });
    tone.connect(this.#gain);
    // In the middle, and as loud there as a channel that is not panned.
    this.#gain.connect(context.createStereoPanner()).connect(to);
    this.#began = context.currentTime + ramp - offset;
    let at = 0;
    bursts.forEach((buffer, i) => {
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(buffer.sampleRate === tapeRate ? tone : this.#gain);
      source.start(this.#began + Math.max(at, offset), Math.max(0, offset - at));
      source.onended = () => {
        if (this.#over) return;
        if (i + 1 < bursts.length) return on.next(i + 1);
        this.#over = true;
        this.#gain.disconnect();
        on.ended();
      };
      this.#sources.push(source);
      at += buffer.duration + gap;
    });
    this.duration = at - gap;
  }

  /** How much of it was played, 0..1. */
  get progress(): number {
    return Math.min(1, Math.max(0, (this.context.currentTime - this.#began) / this.duration));
  }

  stop(): void {
    if (this.#over) return;
    this.#over = true;
    const now = this.context.currentTime;
    this.#gain.gain.setTargetAtTime(0, now, ramp);
    for (const s of this.#sources) s.stop(now + 8 * ramp);
    setTimeout(() => this.#gain.disconnect(), 16_000 * ramp); // after the fade
  }
}
