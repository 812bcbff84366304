// The three processors of the audio graph, in one file so that one request
// loads them.

import { Playout } from "./playout";
import { Reel } from "./recall/reel";
import { WeakSignal, type Weak } from "./weak";

/** Blocks between two reports of a meter: 8 of 128 samples are 21 ms at 48 kHz, a little more than a display frame. */
const meterBlocks = 8;
/** Samples below this do not count as sound: -70 dBFS, under any microphone's noise. */
const silence = 0.0003;
/** A sample above this begins a test burst: -26 dBFS, over any codec's pre-echo. */
const onset = 0.05;

/** A meter's report: the peak since the last one, and when a loud sound began. */
export interface MeterReport {
  peak: number;
  /** Context time in s; null: none began. */
  onset: number | null;
}

/** The voice of the burst with this number is kept from now on; null: no longer. */
export interface Keep {
  keep: number | null;
}

/** How the voice arrives from now on; null: well. */
export interface Arrival {
  weak: Weak | null;
}

function peakOf(samples: Float32Array): number {
  let peak = 0;
  for (let i = 0; i < samples.length; i++) {
    const v = Math.abs(samples[i]!);
    if (v > peak) peak = v;
  }
  return peak;
}

/** Meter measures a node, and keeps its sound if recall wants it. It sends nothing during silence. */
class Meter {
  readonly #reel: Reel;
  #peak = 0;
  #blocks = 0;
  #loud = false;
  #quiet = 0;
  #began: number | null = null;
  #said = false;

  constructor(readonly port: MessagePort) {
    this.#reel = new Reel(sampleRate, (block) => port.postMessage(block, [block.voice.buffer]));
  }

  keep({ keep }: Keep): void {
    if (keep === null) this.#reel.end();
    else this.#reel.start(keep);
  }

  take(samples: Float32Array | undefined): void {
    const peak = samples === undefined ? 0 : peakOf(samples);
    this.#peak = Math.max(this.#peak, peak);
    this.#reel.take(samples, peak <= silence);
    if (peak > onset) {
      if (!this.#loud) {
        const at = samples!.findIndex((v) => Math.abs(v) > onset);
        this.#began = currentTime + at / sampleRate;
      }
      this.#loud = true;
      this.#quiet = 0;
    } else if (++this.#quiet > meterBlocks) {
      this.#loud = false;
    }
    if (++this.#blocks < meterBlocks) return;
    const heard = this.#peak > silence;
    if (heard || this.#said) this.port.postMessage({ peak: heard ? this.#peak : 0, onset: this.#began } satisfies MeterReport);
    this.#said = heard;
    this.#blocks = 0;
    this.#peak = 0;
    this.#began = null;
  }
}

registerProcessor(
  "squelch-meter",
  class extends AudioWorkletProcessor {
    readonly #meter = new Meter(this.port);
    readonly #signal = new WeakSignal(sampleRate);

    constructor() {
      super();
      this.port.onmessage = (e: MessageEvent<Keep | Arrival>) => {
        if ("weak" in e.data) this.#signal.set(e.data.weak);
        else this.#meter.keep(e.data);
      };
    }

    process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
      const input = inputs[0] ?? [];
      const output = outputs[0] ?? [];
      for (let c = 0; c < output.length; c++) {
        const from = input[c] ?? input[0];
        if (from !== undefined) output[c]!.set(from);
      }
      if (output[0] !== undefined) this.#signal.apply(output[0]);
      this.#meter.take(input[0] === undefined ? undefined : output[0]);
      return true;
    }
  },
);

registerProcessor(
  "squelch-playout",
  class extends AudioWorkletProcessor {
    readonly #meter = new Meter(this.port);
    readonly #queue = new Playout(sampleRate);
    readonly #signal = new WeakSignal(sampleRate);

    constructor() {
      super();
      this.port.onmessage = (e: MessageEvent<Float32Array | "end" | Keep | Arrival>) => {
        if (e.data === "end") this.#queue.end();
        else if ("weak" in e.data) this.#signal.set(e.data.weak);
        else if ("keep" in e.data) this.#meter.keep(e.data);
        else this.#queue.push(e.data);
      };
    }

    process(_: Float32Array[][], outputs: Float32Array[][]): boolean {
      const out = outputs[0]?.[0];
      if (out === undefined) return true;
      this.#queue.pull(out);
      this.#signal.apply(out);
      for (const other of outputs[0]!.slice(1)) other.set(out);
      this.#meter.take(out);
      return true;
    }
  },
);

registerProcessor(
  "squelch-capture",
  class extends AudioWorkletProcessor {
    // 20 ms, whatever the rate of the context.
    #frame = new Float32Array(Math.round(sampleRate / 50));
    #filled = 0;
    #open = false;

    constructor() {
      super();
      this.port.onmessage = (e: MessageEvent<boolean>) => {
        this.#open = e.data;
        this.#filled = 0;
      };
    }

    process(inputs: Float32Array[][]): boolean {
      const input = inputs[0]?.[0];
      if (!this.#open || input === undefined) return true;
      for (let at = 0; at < input.length; ) {
        const n = Math.min(input.length - at, this.#frame.length - this.#filled);
        this.#frame.set(input.subarray(at, at + n), this.#filled);
        at += n;
        this.#filled += n;
        if (this.#filled === this.#frame.length) {
          this.port.postMessage(this.#frame.slice());
          this.#filled = 0;
        }
      }
      return true;
    }
  },
);
