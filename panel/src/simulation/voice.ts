// Voices of a simulation: every talker whom this console hears gets a voice that is
// made here. Nothing is sent anywhere; the own voice comes back in a self-test.

import type { Engine } from "../audio/engine";
import type { FrameSource } from "../audio/source";
import type { VoiceSocket } from "../link/socket";
import type { Heard, SelfTest, Voice } from "../link/voice/api";
import type { Fault, VoiceState } from "../state/voice";
import { FaultWatch } from "../link/voice/fault";
import { runSelfTest } from "../link/voice/selftest";
import type { Route } from "../link/wasm";
import { Speech } from "./speech";

/** ms */
const frame = 20;
/** Frames made ahead: the page's timers are not exact. */
const ahead = 4;
/** Frames that may be made up for at once; more than that is left as a gap. */
const mostBehind = 25;
/** Voices made at once: nobody understands more, and each costs time. */
const maxVoices = 8;
/** How long a source may still play something after its burst, ms. */
const quietTime = 500;

/** What the voice needs to know of the simulation. */
export interface Feed {
  me(): number;
  /** 0: paused, so nobody speaks. */
  rate(): number;
  /** Pitch of a unit's voice, Hz, if the scenario gives one. */
  pitch(id: number): number | undefined;
  /** Whether a unit's microphone fails. */
  muted(id: number): boolean;
  /** When a unit that talks began, ms since the epoch. */
  since(id: number): number;
}

interface Talker extends Heard {
  source: FrameSource;
  /** Null: the own voice, which comes back. */
  speech: Speech | null;
}

export class SimulatedVoice implements Voice {
  readonly waiting: { serverId: number; frequency: string }[] = [];
  readonly #silence = new FaultWatch();
  #state: VoiceState = {
    plane: "simulated", reason: null, detail: "", micReady: true, noMicrophone: null, roundTrip: null, loss: null,
  };
  #socket: VoiceSocket | null = null;
  #rows: readonly Route[] = [];
  #keyed: readonly string[] = [];
  #testing = false;
  #timer: ReturnType<typeof setInterval> | undefined;
  #made = 0;
  readonly #talkers = new Map<string, Talker>();
  /** What each unit says, or said last. */
  readonly #speeches = new Map<number, { pitch: number; since: number; speech: Speech }>();
  readonly #listeners = new Set<() => void>();
  #deaf: () => void = () => undefined;

  constructor(
    private readonly engine: Engine,
    private readonly feed: Feed,
  ) {}

  get state(): VoiceState {
    return this.#state;
  }

  get heard(): readonly Heard[] {
    return [...this.#talkers.values()].map(({ serverId, frequency, receiveType }) => ({ serverId, frequency, receiveType }));
  }

  get faults(): readonly Fault[] {
    return this.#silence.faults;
  }

  onchange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const l of this.#listeners) l();
  }

  /** A microphone is used if there is one, for its meter and the self-test; one can practise without. */
  async start(socket: VoiceSocket): Promise<void> {
    this.#socket = socket;
    this.#deaf = socket.hear({ disconnect: () => this.transmit([]) });
    this.#timer = setInterval(() => this.#speak(), frame);
    this.#follow();
    await this.retryMicrophone();
  }

  stop(): void {
    this.#deaf();
    this.#socket = null;
    clearInterval(this.#timer);
    this.transmit([]);
    for (const key of [...this.#talkers.keys()]) this.#end(key);
    this.engine.microphone.release();
  }

  async retryMicrophone(): Promise<void> {
    await this.engine.microphone.take();
    this.#changed();
  }

  transmit(frequencies: readonly string[]): null {
    this.#keyed = frequencies;
    this.engine.microphone.gate(frequencies.length > 0);
    this.#listen();
    return null;
  }

  setLoopback(enabled: boolean): void {
    this.#socket?.emit("loopback", { enabled });
  }

  async selfTest(): Promise<SelfTest> {
    if (this.#keyed.length > 0 || this.#testing || this.#socket?.connected !== true) return { roundTrip: null, sent: 0, heard: 0 };
    this.#testing = true;
    this.setLoopback(true);
    this.#listen();
    try {
      return await runSelfTest(this.engine, () => this.#own().map((t) => t.source));
    } finally {
      this.#testing = false;
      this.setLoopback(false);
      this.#listen();
    }
  }

  /** Who hears whom now, as the core has decided. */
  routes(rows: readonly Route[]): void {
    this.#rows = rows;
    if (this.#socket) this.#follow();
  }

  #follow(): void {
    const me = this.feed.me();
    const now = new Map<string, Heard>();
    const signals = new Map<string, number | undefined>();
    for (const row of this.#rows) {
      for (const leg of row.legs) {
        if (leg.user !== me) continue;
        const { frequency, receiveType } = leg;
        const key = `${row.talker} ${frequency} ${receiveType}`;
        now.set(key, { serverId: row.talker, frequency, receiveType });
        signals.set(key, leg.signal);
      }
    }
    for (const key of this.#talkers.keys()) if (!now.has(key)) this.#end(key);
    this.waiting.length = 0;
    for (const [key, heard] of now) {
      if (this.#talkers.has(key)) continue;
      if (this.#talkers.size < maxVoices) this.#begin(key, heard);
      else this.waiting.push({ serverId: heard.serverId, frequency: heard.frequency });
    }
    for (const [key, t] of this.#talkers) this.engine.strength(t.source, signals.get(key));
    this.#changed();
  }

  #begin(key: string, heard: Heard): void {
    const own = heard.receiveType === "loopback";
    const source = this.engine.addFrames();
    this.engine.route(source, heard.frequency, own ? null : heard.serverId);
    this.#talkers.set(key, { ...heard, source, speech: own ? null : this.#speech(heard.serverId) });
    if (own) this.#listen();
  }

  /** A unit keeps its voice from one burst to the next; what it says in one can be made again. */
  #speech(id: number): Speech {
    const pitch = this.feed.pitch(id) ?? pitchOf(id);
    const since = this.feed.since(id);
    const known = this.#speeches.get(id);
    if (known?.pitch === pitch && known.since === since) return known.speech;
    const speech = new Speech(pitch, Math.abs(id), this.engine.context.sampleRate, since);
    this.#speeches.set(id, { pitch, since, speech });
    return speech;
  }

  #end(key: string): void {
    const t = this.#talkers.get(key);
    if (!t) return;
    this.#talkers.delete(key);
    t.source.end();
    this.engine.route(t.source, null);
    setTimeout(() => this.engine.remove(t.source), quietTime);
  }

  #own(): Talker[] {
    return [...this.#talkers.values()].filter((t) => t.speech === null);
  }

  /** The own voice is taken from the microphone only while it comes back. */
  #listen(): void {
    const back = this.#own().length > 0 && (this.#testing || this.#keyed.length > 0);
    this.engine.microphone.frames(back ? (samples) => this.#own().forEach((t) => t.source.push(samples.slice())) : null);
  }

  /** Makes the frames that are due since the last ones. */
  #speak(): void {
    const due = Math.floor(performance.now() / frame) + ahead;
    const count = this.#made === 0 || due - this.#made > mostBehind ? ahead : due - this.#made;
    this.#made = due;
    if (this.feed.rate() === 0) return;
    const silent = (t: Heard): boolean => this.feed.muted(t.serverId);
    const speaking = new Set([...this.#talkers.values()].map((t) => (silent(t) ? null : t.speech)));
    for (const speech of speaking) {
      if (!speech) continue;
      for (let i = 0; i < count; i++) {
        const samples = speech.frame();
        for (const t of this.#talkers.values()) if (t.speech === speech) t.source.push(samples.slice() as Float32Array<ArrayBuffer>);
      }
    }
    const others = [...this.#talkers.values()].filter((t) => t.speech !== null);
    const watched = others.map((t) => ({ serverId: t.serverId, frequency: t.frequency, mark: silent(t) ? null : this.#made }));
    if (this.#silence.update(watched, performance.now())) this.#changed();
  }
}

/** Hz: voices of men and women, spread by the id. */
export function pitchOf(id: number): number {
  return 95 + ((Math.abs(id) * 47) % 130);
}
