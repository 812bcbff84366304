// The voice link: WebRTC where a connection can be established, Socket.IO otherwise, and
// listening in any case.

import type { Engine } from "../../audio/engine";
import type { Source } from "../../audio/source";
import type { Ack, Slots, TalkingState, Voice as VoiceEvent, WebRTCClosed } from "../../wire.gen";
import type { Handlers, VoiceSocket } from "../socket";
import type { Heard, SelfTest, Voice } from "./api";
import type { Fault, PlaneReason, VoiceState } from "../../state/voice";
import { backoff } from "./backoff";
import { codecs, Receiver, Sender, toBase64 } from "./codec";
import { FaultWatch } from "./fault";
import { Media, type MediaStats } from "./media";
import { PathWatch } from "./path";

/** How often to look for packets, in ms: ten frames. */
const watchEvery = 200;
/** How often the connection's statistics are read, in ms, and over how many readings loss is counted (6 s). */
const statsEvery = 400;
const lossWindow = 15;
/** A connection that has lasted so long was a good one, in ms: the next attempt comes soon after its end. */
const lasted = 10_000;
/** How long the service may take to answer an offer, in ms: its own limit is 10 s. */
const answerTime = 12_000;

const nobody: Slots = { slots: [], waiting: [] };

/** What is different in a game, where the media connection may be the only way to the service. */
export interface VoiceOptions {
  /** Voice goes over the socket when there is no media connection. */
  fallback: boolean;
  /** Asks for the microphone at the start and gives it back at the end; false: the caller does. */
  microphone: boolean;
  /** The longest wait between two attempts, seconds. */
  patience: number;
  /** Sees each new connection before its offer is made. */
  prepare: (connection: RTCPeerConnection) => void;
}

const ofConsole: VoiceOptions = { fallback: true, microphone: true, patience: Infinity, prepare: () => undefined };

export class VoiceLink implements Voice {
  #state: VoiceState;
  #socket: VoiceSocket | null = null;
  #media: Media | null = null;
  #path = new PathWatch();
  #upAt = Infinity;
  #slots: Slots = nobody;
  #keyed: readonly string[] = [];
  #testing = false;
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #timers: ReturnType<typeof setInterval>[] = [];
  #counts: { received: number; lost: number }[] = [];
  #endEngine: () => void = () => undefined;
  readonly #listeners = new Set<() => void>();
  readonly #watch = new FaultWatch();
  readonly #receiver: Receiver;
  readonly #sender: Sender;
  #deaf: () => void = () => undefined;
  readonly #handlers: Handlers = {
    connect: () => this.#online(),
    disconnect: () => this.#offline(),
    "webrtc:slots": (s: Slots) => {
      if (this.#media !== null) this.#assigned(s); // it may cross with webrtc:close
    },
    "webrtc:closed": (c: WebRTCClosed) => this.#media?.fail(c.reason),
    voice: (v: VoiceEvent) => this.#receiver.take(v),
    talkingState: (t: TalkingState) => {
      if (!t.state) this.#receiver.end(t.serverId, t.frequency);
    },
  };

  constructor(
    readonly engine: Engine,
    private readonly options = ofConsole,
  ) {
    this.#receiver = new Receiver(engine, () => this.#changed());
    this.#sender = new Sender(engine, (data) => this.#sendPacket(data));
    this.#state = {
      plane: "none",
      reason: "offline",
      detail: "",
      micReady: false,
      noMicrophone: "missing",
      roundTrip: null,
      loss: null,
    };
  }

  get state(): VoiceState {
    return this.#state;
  }

  get heard(): readonly Heard[] {
    const slots = this.#slots.slots.map(({ serverId, frequency, receiveType }) => ({ serverId, frequency, receiveType }));
    return [...slots, ...this.#receiver.heard];
  }

  get waiting(): readonly { serverId: number; frequency: string }[] {
    return this.#slots.waiting;
  }

  get faults(): readonly Fault[] {
    return this.#watch.faults;
  }

  onchange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const l of this.#listeners) l();
  }

  #become(change: Partial<VoiceState>): void {
    const next = { ...this.#state, ...change };
    if ((Object.keys(next) as (keyof VoiceState)[]).every((k) => next[k] === this.#state[k])) return;
    this.#state = next;
    this.#changed();
  }

  async start(socket: VoiceSocket): Promise<void> {
    this.stop();
    this.#socket = socket;
    this.#deaf = socket.hear(this.#handlers);
    this.#endEngine = this.engine.onchange(() => this.#microphone());
    this.#timers = [setInterval(() => this.#look(), watchEvery), setInterval(() => void this.#measure(), statsEvery)];
    if (this.options.microphone) await this.retryMicrophone();
    else this.#microphone();
    if (socket.connected && this.#socket === socket) this.#online();
  }

  stop(): void {
    const socket = this.#socket;
    if (socket === null) return;
    this.#socket = null;
    this.#deaf();
    this.#endEngine();
    for (const t of this.#timers) clearInterval(t);
    clearTimeout(this.#retry);
    this.transmit([]);
    if (socket.connected) socket.emit("webrtc:close", null);
    this.#drop();
    this.#receiver.close();
    if (this.options.microphone) this.engine.microphone.release();
    this.#become({ plane: "none", reason: "offline", detail: "" });
  }

  async retryMicrophone(): Promise<void> {
    await this.engine.microphone.take();
    this.#microphone();
  }

  #microphone(): void {
    const { missing } = this.engine.microphone;
    this.#become({ micReady: missing === null, noMicrophone: missing });
  }

  #online(): void {
    this.#attempt = 0;
    void this.#connect();
  }

  /** offline: the socket's own voice has ended, but the media connection may well live on. */
  #offline(): void {
    clearTimeout(this.#retry);
    this.transmit([]);
    this.#assigned(nobody);
    this.#become({ plane: "none", reason: "offline", detail: "" });
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#retry);
    const socket = this.#socket;
    if (socket === null || !socket.connected) return;
    this.#drop();
    if (typeof RTCPeerConnection === "undefined") return this.#without("no-webrtc", "");
    if (this.#attempt === 0) this.#become({ plane: "connecting", reason: null, detail: "" });
    this.#path = new PathWatch();
    this.#upAt = Infinity;
    let media: Media;
    try {
      media = new Media(this.engine, {
        connected: () => this.#up(),
        doubtful: () => this.#suspect(media),
        ended: (why, detail) => this.#down(why, detail),
      }, this.options.prepare);
    } catch (error) {
      return this.#without("no-webrtc", String(error)); // it exists, but a policy forbids it
    }
    this.#media = media;
    await media.connect((sdp) => this.#signal(socket, sdp));
    if (this.#media === media) this.#assigned(this.#slots); // the assignments may have come before the tracks
  }

  #signal(socket: VoiceSocket, sdp: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("no answer to the offer")), answerTime);
      socket.emit("webrtc:offer", { sdp }, (a: Ack) => {
        clearTimeout(timer);
        if (a.sdp !== undefined) resolve(a.sdp);
        else reject(new Error(a.error ?? "the offer was refused"));
      });
    });
  }

  #up(): void {
    this.#upAt = Date.now();
    this.#counts = [];
    this.#become({ plane: "webrtc", reason: null, detail: "" });
    this.#carry();
  }

  #down(why: "blocked" | "lost" | "refused", detail: string): void {
    this.#media = null;
    this.#assigned(nobody);
    if (Date.now() - this.#upAt >= lasted) this.#attempt = 0;
    if (this.#socket?.connected !== true) return;
    // Without this the service would send into the dead connection until it notices by itself.
    if (this.options.fallback) this.#socket.emit("webrtc:close", null);
    this.#without(why, detail);
    this.#retry = setTimeout(() => void this.#connect(), backoff(this.#attempt++, Math.random(), this.options.patience));
  }

  /** suspect gives a connection up whose packets do not arrive, where the socket can carry voice meanwhile. */
  #suspect(media: Media): void {
    if (this.#media === media && this.options.fallback && this.#socket?.connected === true) media.fail("");
  }

  /** leave gives a dead connection up, and says again over the socket what did not arrive of the own talk. */
  async #leave(media: Media, unheard: number): Promise<void> {
    const frames = await media.last(unheard);
    if (this.#media !== media) return;
    this.#suspect(media);
    if (this.#media === media) return; // there is nowhere to go
    for (const frame of frames) this.#sendPacket(toBase64(frame));
  }

  /** without: as there is no media connection, the socket carries voice, if the browser can. */
  #without(reason: PlaneReason, detail: string): void {
    const able = codecs();
    const over = this.options.fallback;
    this.#become({ plane: able && over ? "socket" : "none", reason: able || !over ? reason : "no-codec", detail, roundTrip: null, loss: null });
    this.#carry();
  }

  #drop(): void {
    this.#media?.close();
    this.#media = null;
    this.#assigned(nobody);
  }

  #assigned(s: Slots): void {
    const before = this.#slots.slots;
    this.#slots = s;
    const media = this.#media;
    if (media !== null) {
      for (const old of before) {
        const source = media.source(old.mid);
        if (source !== undefined && !s.slots.some((n) => n.mid === old.mid)) this.engine.route(source, null);
      }
      for (const slot of s.slots) {
        const source = media.source(slot.mid);
        if (source === undefined) continue;
        this.engine.route(source, slot.frequency, slot.receiveType === "loopback" ? null : slot.serverId, slot.receiveType === "3DAudio");
        this.engine.strength(source, slot.signal);
      }
    }
    this.#changed();
  }

  #look(): void {
    const watched = this.#slots.slots.map((s) => ({
      serverId: s.serverId,
      frequency: s.frequency,
      mark: this.#media?.mark(s.mid) ?? null,
    }));
    if (this.#watch.update(watched.filter((_, i) => this.#slots.slots[i]!.receiveType !== "loopback"), Date.now())) this.#changed();
  }

  async #measure(): Promise<void> {
    const media = this.#media;
    if (media === null || !media.connected) return;
    const s = await media.stats();
    if (this.#media !== media || !media.connected) return;
    this.#counts.push(s);
    if (this.#counts.length > lossWindow + 1) this.#counts.shift();
    const first = this.#counts[0]!;
    const lost = Math.max(0, s.lost - first.lost);
    const all = lost + s.received - first.received;
    const loss = all > 0 ? lost / all : null;
    media.heed(loss ?? 0, Date.now());
    this.#become({ roundTrip: s.roundTrip === null ? null : Math.round(s.roundTrip), loss });
    this.#report(media, s);
  }

  /** report tells the service how the slots arrive, and finds out whether the path is dead. */
  #report(media: Media, counts: MediaStats): void {
    const { fallback } = this.options; // without it there is nowhere else to go
    const talks = fallback && (this.#keyed.length > 0 || this.#testing);
    const path = this.#path;
    if (this.#socket?.connected !== true || !path.ask(counts, fallback && this.#slots.slots.length > 0, talks, Date.now())) return;
    this.#socket.emit("webrtc:report", { slots: counts.slots }, (answer: Ack) => {
      void media.stats().then((now) => {
        if (path.judge(counts, answer, now) && media.connected) void this.#leave(media, talks ? path.unheard : 0);
      });
    });
  }

  transmit(frequencies: readonly string[]): Promise<void> | null {
    this.#keyed = frequencies;
    this.engine.microphone.gate(frequencies.length > 0);
    return this.#carry();
  }

  /** carry sends voice over the media connection if there is one, else over the socket. */
  #carry(): Promise<void> | null {
    const on = this.#keyed.length > 0 || this.#testing;
    const media = this.#media !== null && this.#media.connected;
    const leaving = this.#media?.send(on) ?? null;
    if (on && !media && this.options.fallback) this.#sender.start();
    else this.#sender.stop();
    return media ? leaving : null;
  }

  #sendPacket(data: string): void {
    const socket = this.#socket;
    if (socket === null || !socket.connected) return;
    if (this.#testing && this.#keyed.length === 0) socket.emit("voice", { data, encoding: "opus" });
    for (const frequency of this.#keyed) socket.emit("voice", { data, encoding: "opus", frequency });
  }

  /** The media connection's counters since it began, for measurements; null: there is none. */
  counters(): Promise<MediaStats> | null {
    return this.#media?.stats() ?? null;
  }

  setLoopback(enabled: boolean): void {
    if (this.#socket?.connected) this.#socket.emit("loopback", { enabled });
  }

  async selfTest(): Promise<SelfTest> {
    if (this.#keyed.length > 0 || this.#testing || this.#socket?.connected !== true) {
      return { roundTrip: null, sent: 0, heard: 0 };
    }
    this.#testing = true;
    this.setLoopback(true);
    this.#carry();
    try {
      const { runSelfTest } = await import("./selftest");
      return await runSelfTest(this.engine, () => this.#returning());
    } finally {
      this.#testing = false;
      this.setLoopback(false);
      this.#carry();
    }
  }

  #returning(): Source[] {
    const slots = this.#slots.slots.filter((s) => s.receiveType === "loopback").map((s) => this.#media?.source(s.mid));
    return [...slots, this.#receiver.source("loopback")].filter((s): s is NonNullable<typeof s> => s !== undefined);
  }
}
