// One voice that arrives: a media track in a slot, or decoded frames. Its meter
// sits on the decoded samples, before anything can turn them down.

import type { Arrival, Keep, MeterReport } from "./processors.worklet";
import type { Block } from "./recall/reel";
import type { Weak } from "./weak";

/** A meter falls to 1/e in this time, in ms: the eye reads peaks, not samples. */
const fall = 150;

export class Source {
  /** The channel that it plays on now, and the one whose strip it is connected to. */
  frequency: string | null = null;
  joined: string | null = null;
  strip: AudioNode | null = null;
  /** Whose voice it is; null: a voice that recall does not keep. */
  talker: number | null = null;
  /** It is overheard on a radio nearby, and comes from a place instead of a strip. */
  near = false;
  /** How well it arrives, 0..100; its talks so far, and the seed of the last one (weak.ts). */
  signal = 100;
  talks = 0;
  seed = 0;
  #weak = false;
  #burst = 0;
  /** Where the blocks of the last two bursts go: those of the earlier one may still be on their way. */
  readonly #keepers = new Map<number, (voice: Uint8Array) => void>();
  #peak = 0;
  #at = 0;
  /** Called with the context's time of each loud onset, for the self-test. */
  ononset: ((time: number) => void) | null = null;

  /** node is the metered end of the source. */
  constructor(readonly node: AudioWorkletNode) {
    node.port.onmessage = (e: MessageEvent<MeterReport | Block>) => {
      if ("voice" in e.data) return this.#keepers.get(e.data.burst)?.(e.data.voice);
      this.#peak = e.data.peak;
      this.#at = performance.now();
      if (e.data.onset !== null) this.ononset?.(e.data.onset);
    };
  }

  /** Peak of the decoded samples, 0..1, falling. */
  get meter(): number {
    return Math.min(1, this.#peak * Math.exp(-(performance.now() - this.#at) / fall));
  }

  /** keep hands over the voice of a burst from now on, block by block; null ends it after its last syllable. */
  keep(keeper: ((voice: Uint8Array) => void) | null): void {
    if (keeper !== null) {
      this.#keepers.delete(this.#burst - 1);
      this.#keepers.set(++this.#burst, keeper);
    }
    this.node.port.postMessage({ keep: keeper === null ? null : this.#burst } satisfies Keep);
  }

  /** weaken makes it sound as a weak signal does; null: as it is. */
  weaken(weak: Weak | null): void {
    if (weak === null && !this.#weak) return;
    this.#weak = weak !== null;
    this.node.port.postMessage({ weak } satisfies Arrival);
  }

  close(): void {
    this.node.port.onmessage = null;
    this.node.disconnect();
  }
}

/** TrackSource plays a remote media track. */
export class TrackSource extends Source {
  readonly #stream: MediaStreamAudioSourceNode;
  readonly #pump: HTMLAudioElement;

  constructor(context: AudioContext, track: MediaStreamTrack) {
    const node = new AudioWorkletNode(context, "squelch-meter", { outputChannelCount: [1] });
    super(node);
    const stream = new MediaStream([track]);
    // Chromium decodes a remote track for the graph only while an element plays
    // it too (issue 40094084, open since 2013).
    this.#pump = new Audio();
    this.#pump.muted = true;
    this.#pump.srcObject = stream;
    void this.#pump.play().catch(() => undefined);
    this.#stream = context.createMediaStreamSource(stream);
    this.#stream.connect(node);
  }

  override close(): void {
    super.close();
    this.#stream.disconnect();
    this.#pump.pause();
    this.#pump.srcObject = null;
  }
}

/** FrameSource plays frames that were decoded elsewhere. */
export class FrameSource extends Source {
  constructor(context: AudioContext) {
    super(new AudioWorkletNode(context, "squelch-playout", { numberOfInputs: 0, outputChannelCount: [1] }));
  }

  /** push plays samples at the context's rate. Their buffer is transferred: the caller must not use it afterwards. */
  push(samples: Float32Array<ArrayBuffer>): void {
    this.node.port.postMessage(samples, [samples.buffer]);
  }

  end(): void {
    this.node.port.postMessage("end");
  }
}
