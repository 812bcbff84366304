// The two ways to the service: all in one media connection, whose offer goes through the
// game, or Socket.IO over TLS. A page of the game may open no other address.

import { io, type Socket } from "socket.io-client";
import type { Engine } from "../audio/engine";
import { VoiceLink } from "../link/voice/voice";
import { Emitter } from "../link/emitter";
import { IoSocket } from "../link/io";
import { follow } from "../link/nodes";
import { at } from "../link/rest";
import type { Sent, VoiceSocket } from "../link/socket";
import type { ConnectRefusal, Nodes, Tone } from "../wire.gen";
import { Control } from "./control";
import { fetchFile } from "./file";

/** The longest wait between two attempts at a connection, seconds: a restarted service is back soon, and a player is lost without it. */
const patience = 10;
/** How long a piece of a tone's file may take, ms. */
const pieceTime = 5_000;
/** How often a heartbeat measures the Socket.IO connection, ms. */
const beatEvery = 2_000;
/** Wait after the service has refused a session, ms, if it does not say how long. */
const refusedAfter = 5_000;

export interface LinkEvents {
  connected(): void;
  disconnected(): void;
  /** Why there is no connection now. */
  trouble(reason: string, detail: string): void;
  pulse(roundTrip: number): void;
  event(name: string, payload: unknown): void;
}

/** A player's session, and its voice. */
export interface GameLink {
  readonly path: "webrtc" | "socket";
  readonly connected: boolean;
  readonly voice: VoiceLink;
  /** For push-to-talk. */
  readonly socket: VoiceSocket;
  start(): Promise<void>;
  stop(): Promise<void>;
  emit(name: string, payload: unknown, reply?: (answer: unknown) => void): void;
  /** Finds out whether the service is still there, and connects anew if not. */
  probe(): void;
  /** The contents of a tone's file. */
  tone(tone: Tone): Promise<ArrayBuffer>;
}

/** Takes an offer to the service, and returns its answer. */
export type Signal = (sdp: string) => Promise<string>;

/** DirectLink is one media connection with voice and a data channel for everything else. */
export class DirectLink implements GameLink {
  readonly path = "webrtc";
  readonly voice: VoiceLink;
  readonly #control = new Control();
  readonly #own = new Emitter();
  #wanted = false;
  /** Has voice connect at once. */
  #again: () => void = () => undefined;

  constructor(
    engine: Engine,
    private readonly signal: Signal,
    on: LinkEvents,
  ) {
    this.voice = new VoiceLink(engine, {
      fallback: false,
      microphone: false,
      patience,
      prepare: (connection) => this.#control.use(connection.createDataChannel("control")),
    });
    this.#control.hear({ connect: () => on.connected(), disconnect: () => on.disconnected() });
    this.#control.onany = (name, payload) => on.event(name, payload);
    this.#control.onpulse = (ms) => on.pulse(ms);
    // A session that ended takes its media connection with it: voice alone is no use.
    this.#control.onlost = (why) => this.#own.tell("webrtc:closed", { reason: why });
    this.voice.onchange(() => {
      const { reason, detail } = this.voice.state;
      if (this.#wanted && reason !== null) on.trouble(reason, detail);
    });
  }

  get connected(): boolean {
    return this.#control.connected;
  }

  get socket(): VoiceSocket {
    return this.#control;
  }

  start(): Promise<void> {
    this.#wanted = true;
    return this.voice.start(this.#signalling());
  }

  /** signalling is the socket that voice sees: always there, and it takes offers through the game. */
  #signalling(): VoiceSocket {
    const link = this;
    return {
      get connected() {
        return link.#wanted;
      },
      // It is not lost with the session: voice makes the session.
      hear: ({ connect, disconnect: _, ...handlers }) => {
        this.#again = connect ?? this.#again;
        const ends = [this.#own.hear(handlers), this.#control.hear(handlers)];
        return () => ends.forEach((end) => end());
      },
      emit: (name, payload, answered) => {
        if (name !== "webrtc:offer") return this.#control.emit(name, payload, answered);
        this.signal((payload as Sent<"webrtc:offer">).sdp).then(
          (sdp) => answered?.({ sdp }),
          (e: unknown) => answered?.({ error: e instanceof Error ? e.message : String(e) }),
        );
      },
    };
  }

  async stop(): Promise<void> {
    if (!this.#wanted) return;
    this.#wanted = false;
    await this.#control.bye();
    this.voice.stop();
  }

  emit(name: string, payload: unknown, reply?: (answer: unknown) => void): void {
    this.#control.emit(name, payload, reply);
  }

  probe(): void {
    this.#control.probe(() => this.#wanted && this.#again());
  }

  tone({ name }: Tone): Promise<ArrayBuffer> {
    const piece = (ask: unknown): Promise<unknown> =>
      new Promise((done, fail) => {
        const timer = setTimeout(() => fail(new Error(`${name}: no answer`)), pieceTime); // nothing answers what was asked of a lost link
        this.#control.emit("toneFile", ask, (answer) => {
          clearTimeout(timer);
          done(answer);
        });
      });
    return fetchFile(piece, name);
  }
}

/** SocketLink is Socket.IO over TLS, with WebRTC beside it where that works. */
export class SocketLink implements GameLink {
  readonly path = "socket";
  readonly voice: VoiceLink;
  readonly #io: Socket;
  #beat: ReturnType<typeof setInterval> | undefined;
  #return: ReturnType<typeof setTimeout> | undefined;
  #sent: number | null = null;

  constructor(
    engine: Engine,
    private readonly url: string,
    auth: { authToken: string; serverId: number },
    on: LinkEvents,
  ) {
    this.voice = new VoiceLink(engine, { fallback: true, microphone: false, patience, prepare: () => undefined });
    const at = new URL(url);
    this.#io = io(at.origin, { path: `${at.pathname.replace(/\/$/, "")}/socket.io/`, auth, autoConnect: false, transports: ["websocket"], forceNew: true, reconnectionDelay: 500, reconnectionDelayMax: patience * 1000 });
    this.#io.on("connect", () => {
      this.#sent = null;
      on.connected();
    });
    this.#io.on("disconnect", (reason) => {
      on.disconnected();
      if (reason === "io server disconnect") this.#again(refusedAfter);
    });
    this.#io.on("connect_error", (e: Error & { data?: Partial<ConnectRefusal> }) => {
      const { code, error, retryAfter } = e.data ?? {};
      on.trouble(code ?? "unreachable", error ?? e.message);
      if (code !== undefined) this.#again((retryAfter ?? 0) * 1000 || refusedAfter); // otherwise the client tries again by itself
    });
    this.#io.once("nodes", (n: Nodes) => follow(this.#io, n));
    this.#io.onAny((name: string, payload: unknown) => {
      if (name !== "heartbeat_response") return on.event(name, payload);
      if (this.#sent !== null) on.pulse(performance.now() - this.#sent);
      this.#sent = null;
    });
  }

  get connected(): boolean {
    return this.#io.connected;
  }

  get socket(): VoiceSocket {
    return new IoSocket(this.#io);
  }

  async start(): Promise<void> {
    this.#beat = setInterval(() => {
      this.#sent ??= performance.now();
      if (this.#io.connected) this.#io.emit("heartbeat", Date.now());
    }, beatEvery);
    this.#io.connect();
    await this.voice.start(this.socket);
  }

  async stop(): Promise<void> {
    clearInterval(this.#beat);
    clearTimeout(this.#return);
    this.voice.stop();
    this.#io.disconnect();
  }

  #again(after: number): void {
    clearTimeout(this.#return);
    this.#return = setTimeout(() => this.#io.connect(), after);
  }

  emit(name: string, payload: unknown, reply?: (answer: unknown) => void): void {
    if (!this.#io.connected) return;
    if (reply) this.#io.emit(name, payload, reply);
    else this.#io.emit(name, payload);
  }

  /** TCP says by itself when a node is gone. */
  probe(): void {}

  async tone({ file }: Tone): Promise<ArrayBuffer> {
    const answer = await fetch(`${at.base || this.url}/radio/tones/${encodeURIComponent(file)}`);
    if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
    return answer.arrayBuffer();
  }
}
