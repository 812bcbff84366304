// Runs the push-to-talk: it hears what the service says and does what the machine
// decides.

import type { AudioEngine } from "../audio/api";
import type { VoiceSocket } from "../link/socket";
import type { Voice } from "../link/voice/api";
import type { Refused, TalkingState } from "../wire.gen";
import { idle, step, type PttEffect, type PttInput, type PttOptions } from "./machine";
import type { ForcedRelease, Ptt, PttSource, PttTarget } from "../state/ptt";

export interface PttWorld {
  socket: VoiceSocket;
  voice: Pick<Voice, "transmit" | "state" | "onchange">;
  audio: { permit(frequency?: string): void } & Pick<AudioEngine, "busy" | "state" | "onchange">;
  /** The own id. */
  me(): number;
  /** The channels that a target keys now; none if it may not be keyed. */
  channels(target: PttTarget): readonly string[];
  options(): PttOptions;
}

/**
 * The setTalking messages of a channel: how many were sent, which of them was the
 * last key-up, and how many are answered. The service answers in order.
 */
interface Asked {
  sent: number;
  keyUp: number;
  answered: number;
}

/** PttController is the one push-to-talk of a panel. */
export class PttController {
  #ptt: Ptt = idle;
  readonly #asked = new Map<string, Asked>();
  /** The channels whose release the service may have missed because the link was lost. */
  readonly #owed = new Set<string>();
  /** The channels that are given back once the last frame of what was said has left. */
  readonly #leaving = new Set<string>();
  /** When that is; null: nothing is on its way. */
  #left: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #ends: (() => void)[];

  constructor(readonly world: PttWorld) {
    this.#ends = [
      world.socket.hear({
        talkingState: (t) => this.#talking(t),
        "ptt:denied": (d) => this.#denied(d.frequency, d.reason, d.currentTalker ?? null),
        refused: (r) => this.#refused(r),
        disconnect: () => this.#lost(),
        connect: () => this.#back(),
      }),
      world.voice.onchange(() => this.#check()),
      world.audio.onchange(() => this.#check()),
    ];
  }

  #talking(t: TalkingState): void {
    if (t.serverId !== this.world.me() || this.#stale(t.frequency)) return;
    this.#take({ type: t.state ? "granted" : "taken", frequency: t.frequency, now: performance.now() });
  }

  #refused(r: Refused): void {
    if (r.action !== "setTalking") return;
    const at = r.frequency === null ? this.#ptt.asked : [r.frequency];
    for (const frequency of at) this.#denied(frequency, r.error, null);
  }

  #lost(): void {
    for (const [frequency, a] of this.#asked) if (a.answered < a.sent || a.keyUp === a.sent) this.#owed.add(frequency);
    this.#asked.clear(); // no answer will come
    this.#leaving.clear();
    this.force("socket");
  }

  /** The service may have kept the floor for a link that comes back. */
  #back(): void {
    for (const frequency of this.#owed) this.#ask({ state: false, frequency });
    this.#owed.clear();
  }

  /** Why nothing can be said now; null: it can. */
  #mute(): ForcedRelease | null {
    const { voice, audio } = this.world;
    if (audio.state !== "running") return "sound";
    return voice.state.micReady ? null : "device";
  }

  #check(): void {
    const why = this.#mute();
    if (why !== null) this.force(why);
  }

  get ptt(): Ptt {
    return this.#ptt;
  }

  onchange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** press does nothing without sound, a session or a channel to key; without a microphone it sounds denied. */
  press(source: PttSource, target: PttTarget): void {
    const { socket, channels, audio } = this.world;
    if (!socket.connected) return;
    const mute = this.#mute();
    if (mute === "device") audio.busy();
    if (mute !== null) return;
    this.#take({ type: "press", source, target, frequencies: channels(target), now: performance.now() });
  }

  release(source: PttSource): void {
    this.#take({ type: "release", source, now: performance.now() });
  }

  /** force waits for nothing: the page may be about to go. */
  force(reason: ForcedRelease): void {
    this.#take({ type: "force", reason, now: performance.now() });
    this.#leave();
  }

  #leave(): void {
    for (const frequency of this.#leaving) this.#ask({ state: false, frequency });
    this.#leaving.clear();
  }

  close(): void {
    this.force("stop");
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
  }

  /**
   * Whether what the service says of a channel is about an earlier key-up: a key that
   * is pressed again at once sends its second key-up before the first answer has come.
   */
  #stale(frequency: string): boolean {
    const asked = this.#asked.get(frequency);
    return asked !== undefined && asked.answered < asked.keyUp - 1;
  }

  #ask(payload: { state: boolean; frequency: string; override?: boolean }): void {
    const { frequency, state } = payload;
    const asked = this.#asked.get(frequency) ?? { sent: 0, keyUp: 0, answered: 0 };
    this.#asked.set(frequency, asked);
    const number = ++asked.sent;
    if (state) asked.keyUp = number;
    this.world.socket.emit("setTalking", payload, (answer) => {
      asked.answered = number;
      // A talker who already held the floor gets this answer, but no event.
      if (answer.success && number === asked.keyUp && this.#asked.get(frequency) === asked)
        this.#take({ type: "granted", frequency, now: performance.now() });
    });
  }

  #denied(frequency: string, reason: string, holder: number | null): void {
    if (this.#stale(frequency)) return;
    this.#take({ type: "denied", frequency, reason, holder, now: performance.now() });
  }

  #take(input: PttInput): void {
    const before = this.#ptt;
    const { ptt, effects } = step(before, input, this.world.options());
    this.#ptt = ptt;
    for (const e of effects) this.#do(e);
    if (ptt === before) return;
    clearTimeout(this.#timer);
    if (ptt.deadline !== null) {
      const wait = Math.max(0, ptt.deadline - performance.now());
      this.#timer = setTimeout(() => this.#take({ type: "time", now: ptt.deadline! }), wait);
    }
    for (const l of this.#listeners) l();
  }

  #wait(left: Promise<void> | null): void {
    this.#left = left;
    void left?.then(() => {
      if (this.#left !== left) return;
      this.#left = null;
      this.#leave();
    });
  }

  #do(e: PttEffect): void {
    const { socket, voice, audio } = this.world;
    switch (e.type) {
      case "keyUp":
        this.#leave(); // the service hears of the release first
        this.#ask({ state: true, frequency: e.frequency, ...(e.override ? { override: true } : {}) });
        break;
      case "keyDown":
        if (!socket.connected) break;
        this.#leaving.add(e.frequency);
        if (this.#left === null) this.#leave();
        break;
      case "microphone":
        this.#wait(voice.transmit(e.frequencies));
        break;
      case "permit":
        audio.permit(this.#ptt.granted[0]);
        break;
      case "busy":
        audio.busy();
    }
  }
}
