// Opus by WebCodecs, for voice over Socket.IO when there is no media connection.

import type { Engine } from "../../audio/engine";
import { maxDelay } from "../../audio/playout";
import type { FrameSource } from "../../audio/source";
import type { Voice as VoiceEvent } from "../../wire.gen";
import type { Heard } from "./api";

/** Hz; the rate at which Opus is encoded. */
const rate = 48_000;
/** bit/s: fullband speech without audible loss, and what WebRTC uses. */
const bitrate = 32_000;
/** µs */
const frameTime = 20_000;
/** A talker from whom nothing came for this long has stopped, in ms (the service drops voice that is 400 ms late). */
const quietTime = 500;
/** Talkers decoded at once; nobody understands more. */
const maxTalkers = 16;

const opus = { codec: "opus", sampleRate: rate, numberOfChannels: 1 };

export function codecs(): boolean {
  return typeof AudioDecoder !== "undefined" && typeof AudioEncoder !== "undefined";
}

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text);
}

/** fromBase64 returns null for text that is not base64. */
export function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Sender encodes what passes the microphone's gate as Opus. */
export class Sender {
  #encoder: AudioEncoder | null = null;
  #at = 0;

  constructor(
    readonly engine: Engine,
    readonly packet: (data: string) => void,
  ) {}

  start(): void {
    if (this.#encoder !== null || !codecs()) return;
    const encoder = new AudioEncoder({
      output: (chunk) => {
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        if (this.#encoder === encoder) this.packet(toBase64(bytes));
      },
      error: () => this.stop(),
    });
    encoder.configure({ ...opus, bitrate, opus: { frameDuration: frameTime, application: "voip" } } as AudioEncoderConfig);
    this.#encoder = encoder;
    this.engine.microphone.frames((samples) => this.#take(samples));
  }

  #take(samples: Float32Array<ArrayBuffer>): void {
    if (this.#encoder?.state !== "configured") return;
    const sampleRate = this.engine.context.sampleRate;
    const data = new AudioData({
      format: "f32",
      sampleRate,
      numberOfFrames: samples.length,
      numberOfChannels: 1,
      timestamp: this.#at,
      data: samples,
    });
    this.#at += frameTime;
    this.#encoder.encode(data);
    data.close();
  }

  stop(): void {
    this.engine.microphone.frames(null);
    if (this.#encoder?.state === "configured") this.#encoder.close();
    this.#encoder = null;
  }
}

interface Talker extends Heard {
  source: FrameSource;
  decoder: AudioDecoder | null; // null: what the talker sends is not Opus
  at: number;
  timer: ReturnType<typeof setTimeout>;
}

/** Receiver plays voice events. */
export class Receiver {
  readonly #talkers = new Map<string, Talker>();
  /** Events whose voice could not be decoded. */
  undecodable = 0;

  constructor(
    readonly engine: Engine,
    readonly onchange: () => void,
  ) {}

  get heard(): Heard[] {
    return [...this.#talkers.values()].map(({ serverId, frequency, receiveType }) => ({ serverId, frequency, receiveType }));
  }

  /** source finds a talker's source, for the self-test. */
  source(receiveType: string): FrameSource | undefined {
    return [...this.#talkers.values()].find((t) => t.receiveType === receiveType)?.source;
  }

  take(v: VoiceEvent): void {
    const bytes = typeof v.data === "string" ? fromBase64(v.data) : null;
    if (!codecs() || bytes === null || bytes.length === 0 || (v.encoding ?? "opus") !== "opus") {
      this.undecodable++;
      return;
    }
    const t = this.#talker(v);
    if (t?.decoder?.state !== "configured") {
      this.undecodable++;
      return;
    }
    this.engine.strength(t.source, v.signal);
    t.decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: t.at, data: bytes }));
    t.at += frameTime;
  }

  #talker(v: VoiceEvent): Talker | undefined {
    const key = `${v.serverId} ${v.frequency}`;
    let t = this.#talkers.get(key);
    if (t === undefined) {
      if (this.#talkers.size >= maxTalkers) return undefined;
      const source = this.engine.addFrames();
      this.engine.route(source, v.frequency, v.receiveType === "loopback" ? null : v.serverId, v.receiveType === "3DAudio");
      t = { serverId: v.serverId, frequency: v.frequency, receiveType: v.receiveType, source, decoder: null, at: 0, timer: 0 as never };
      t.decoder = this.#decoder(t);
      this.#talkers.set(key, t);
      this.onchange();
    }
    clearTimeout(t.timer);
    t.timer = setTimeout(() => this.end(v.serverId, v.frequency), quietTime);
    return t;
  }

  #decoder(t: Talker): AudioDecoder {
    const decoder = new AudioDecoder({
      output: (data) => {
        const samples = new Float32Array(data.numberOfFrames);
        data.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
        data.close();
        t.source.push(samples);
      },
      error: () => {
        this.undecodable++;
        t.decoder = null; // not Opus; the rest of the burst is left out
      },
    });
    decoder.configure(opus);
    return decoder;
  }

  /** end: the talker released. What has been decoded is still played. */
  end(serverId: number, frequency: string): void {
    const key = `${serverId} ${frequency}`;
    const t = this.#talkers.get(key);
    if (t === undefined) return;
    this.#talkers.delete(key);
    clearTimeout(t.timer);
    void this.#finish(t);
    this.onchange();
  }

  async #finish(t: Talker): Promise<void> {
    if (t.decoder?.state === "configured") {
      await t.decoder.flush().catch(() => undefined);
      if (t.decoder?.state === "configured") t.decoder.close();
    }
    t.source.end();
    this.engine.route(t.source, null);
    setTimeout(() => this.engine.remove(t.source), quietTime + 1000 * maxDelay);
  }

  close(): void {
    for (const t of [...this.#talkers.values()]) this.end(t.serverId, t.frequency);
  }
}
