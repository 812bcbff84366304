// What is recorded: both ends of the audio graph in step, and both tracks.

import recorder from "./recorder.worklet.ts?worker&url";

/** Hz of what is kept, and samples of a track to one of it. */
export const rate = 8000;
const keep = 6;
/** What a reader who is held up may leave waiting, in frames of 10 ms. */
const waiting = 1000;

/** A recording as it leaves the page: float32 samples in base64, and when the first one was. */
export interface Recorded {
  /** ms of the context's clock (graph), or of performance.now (tracks). */
  from: number;
  samples: string;
}

function base64(samples: Float32Array): string {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function joined(parts: Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    all.set(p, at);
    at += p.length;
  }
  return all;
}

/** GraphTape records what passes the talker's gate and what the listener's sources play. */
export class GraphTape {
  #frames: Float32Array[] = [];
  #end = 0;
  readonly #node: AudioWorkletNode;
  readonly #heard: GainNode;

  private constructor(readonly context: AudioContext) {
    this.#node = new AudioWorkletNode(context, "bench-recorder", { numberOfInputs: 2, channelCount: 1, channelCountMode: "explicit" });
    this.#heard = new GainNode(context);
    this.#heard.connect(this.#node, 0, 1);
    this.#node.connect(context.destination);
    this.#node.port.onmessage = ({ data }: MessageEvent<{ end: number; frame: Float32Array }>) => {
      this.#frames.push(data.frame);
      this.#end = data.end;
    };
  }

  static async open(context: AudioContext): Promise<GraphTape> {
    await context.audioWorklet.addModule(recorder);
    return new GraphTape(context);
  }

  said(node: AudioNode): void {
    node.connect(this.#node, 0, 0);
  }

  heard(node: AudioNode): void {
    node.connect(this.#heard);
  }

  /** When the newest sample was, ms of the context. */
  get end(): number {
    return this.#end * 1000;
  }

  cut(): void {
    this.#frames = [];
  }

  /** How loud the last 100 ms are that were heard, RMS. */
  get loudness(): number {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return 0;
    const part = frame.subarray(frame.length / 2);
    return Math.sqrt(part.reduce((s, v) => s + v * v, 0) / part.length);
  }

  take(): { said: Recorded; heard: Recorded } {
    const half = (this.#frames[0]?.length ?? 0) / 2;
    const of = (n: number) => joined(this.#frames.map((f) => f.subarray(n * half, (n + 1) * half)));
    const from = this.end - (this.#frames.length * half * 1000) / rate;
    return { said: { from, samples: base64(of(0)) }, heard: { from, samples: base64(of(1)) } };
  }
}

/** TrackTape records a track as an encoder or a loudspeaker gets it, without a graph's buffers. Its time is that of the frames, which do not come evenly: the median counts. */
export class TrackTape {
  #frames: Float32Array[] = [];
  /** When the recording began if a frame came in time, ms: one value for each frame. */
  #begins: number[] = [];
  #count = 0;
  #reader: ReadableStreamDefaultReader<AudioData>;
  #wrong = "";

  constructor(track: MediaStreamTrack) {
    this.#reader = new MediaStreamTrackProcessor({ track, maxBufferSize: waiting }).readable.getReader();
    void this.#read();
  }

  async #read(): Promise<void> {
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) return;
      if (value.sampleRate !== rate * keep) this.#wrong = `a track of ${value.sampleRate} Hz, not ${rate * keep}`;
      const all = new Float32Array(value.numberOfFrames);
      value.copyTo(all, { planeIndex: 0, format: "f32-planar" });
      this.#begins.push((value.timestamp - (this.#count * 1e6) / value.sampleRate) / 1000);
      this.#count += all.length;
      this.#frames.push(all);
      value.close();
    }
  }

  cut(): void {
    this.#frames = [];
    this.#begins = [];
    this.#count = 0;
  }

  get silent(): boolean {
    return this.#frames.every((f) => f.every((v) => Math.abs(v) < 1e-4));
  }

  take(): Recorded {
    if (this.#wrong !== "") throw new Error(this.#wrong);
    const all = joined(this.#frames);
    const out = new Float32Array(Math.floor(all.length / keep));
    for (let i = 0; i < out.length; i++) {
      let sum = 0;
      for (let k = 0; k < keep; k++) sum += all[i * keep + k]!;
      out[i] = sum / keep;
    }
    const begins = this.#begins.sort((a, b) => a - b);
    return { from: begins[Math.floor(begins.length / 2)] ?? 0, samples: base64(out) };
  }
}

declare class MediaStreamTrackProcessor {
  constructor(init: { track: MediaStreamTrack; maxBufferSize?: number });
  readonly readable: ReadableStream<AudioData>;
}
