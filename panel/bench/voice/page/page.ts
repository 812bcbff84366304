// Two consoles in one page, with one audio context: what the one says and the other
// hears is on one clock. They are the panel's own modules, driven by the bench.

import { io, type Socket } from "socket.io-client";
import { Engine } from "#console/audio/engine";
import { IoSocket } from "#console/link/io";
import { VoiceLink } from "#console/link/voice/voice";
import { PttController } from "#console/ptt/controller";
import type { ClientToServerEvents, ServerToClientEvents } from "#console/wire.gen";
import { GraphTape, TrackTape } from "./tape";

export interface Seat {
  url: string;
  auth: { authToken: string; sessionId: string; serverId: number };
  /** The port of the network that leads to the service. */
  port: number;
  releaseDelay: number;
}

/** What the browser counts at a listener. */
export interface Counts {
  at: number;
  concealed: number;
  played: number;
  received: number;
  lost: number;
  discarded: number;
  fec: number;
  stretched: number;
  squeezed: number;
  delay: number;
  emitted: number;
}

const frequency = "154.755";

/** rerouted leads a connection through the bench's network: the candidates of an answer get its port. */
function rerouted(sdp: string, port: number): string {
  return sdp.replace(/^(a=candidate:\S+ \d+ udp \d+) \S+ \d+/gim, `$1 127.0.0.1 ${port}`);
}

class Line extends IoSocket {
  constructor(
    io: Socket,
    readonly port: number,
  ) {
    super(io);
  }

  override emit(name: string, payload: unknown, answered?: (answer: never) => void): void {
    const through =
      name !== "webrtc:offer" || answered === undefined
        ? answered
        : (a: { sdp?: string }) => answered((a.sdp === undefined ? a : { ...a, sdp: rerouted(a.sdp, this.port) }) as never);
    (super.emit as (...all: unknown[]) => void).call(this, name, payload, through);
  }
}

class Console {
  readonly socket: Socket<ServerToClientEvents, ClientToServerEvents>;
  readonly line: Line;
  readonly link: VoiceLink;
  readonly ptt: PttController;
  readonly connections: RTCPeerConnection[] = [];
  /** What happened when, ms of the context's clock. */
  readonly log: { at: number; what: string }[] = [];

  constructor(
    readonly engine: Engine,
    public id: number,
    seat: Seat,
  ) {
    this.socket = io(seat.url, { auth: seat.auth, transports: ["websocket"], forceNew: true });
    this.line = new Line(this.socket as unknown as Socket, seat.port);
    this.link = new VoiceLink(engine, { fallback: true, microphone: true, patience: Infinity, prepare: (c) => this.connections.push(c) });
    this.ptt = new PttController({
      socket: this.line,
      voice: this.link,
      audio: {
        permit: () => undefined,
        busy: () => undefined,
        get state() {
          return engine.state;
        },
        onchange: (listener) => engine.onchange(listener),
      },
      me: () => this.id,
      channels: (t) => (t.kind === "channel" ? [t.frequency] : []),
      options: () => ({ releaseDelay: seat.releaseDelay, latch: false, override: true }),
    });
    this.socket.on("identity", (i) => (this.id = i.serverId));
    let plane = "";
    this.link.onchange(() => {
      if (this.link.state.plane !== plane) this.note((plane = this.link.state.plane));
    });
    let state = "";
    this.ptt.onchange(() => {
      if (this.ptt.ptt.state !== state) this.note((state = this.ptt.ptt.state));
    });
  }

  note(what: string): void {
    this.log.push({ at: this.engine.context.currentTime * 1000, what });
  }

  get connection(): RTCPeerConnection | undefined {
    return this.connections.at(-1);
  }

  async counts(): Promise<Counts> {
    const c: Counts = { at: this.engine.context.currentTime * 1000, concealed: 0, played: 0, received: 0, lost: 0, discarded: 0, fec: 0, stretched: 0, squeezed: 0, delay: 0, emitted: 0 };
    const stats = await this.connection?.getStats();
    for (const s of (stats?.values() ?? []) as Iterable<Record<string, unknown>>) {
      if (s["type"] !== "inbound-rtp") continue;
      const n = (name: string) => Number(s[name] ?? 0);
      c.concealed += n("concealedSamples") - n("silentConcealedSamples");
      c.played += n("totalSamplesReceived");
      c.received += n("packetsReceived");
      c.lost += n("packetsLost");
      c.discarded += n("packetsDiscarded");
      c.fec += n("fecPacketsReceived");
      c.stretched += n("insertedSamplesForDeceleration");
      c.squeezed += n("removedSamplesForAcceleration");
      c.delay += n("jitterBufferDelay");
      c.emitted += n("jitterBufferEmittedCount");
    }
    return c;
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

class Bench {
  /** A microphone beside the talker's, what the console gives to the encoder, and what the listener's slots play. */
  readonly mouth: TrackTape;
  readonly said: TrackTape;
  readonly slots: TrackTape[] = [];
  #held: ReturnType<typeof setInterval> | undefined;

  private constructor(
    readonly context: AudioContext,
    readonly lips: GainNode,
    microphone: MediaStreamTrack,
    readonly speech: AudioBuffer,
    readonly talker: Console,
    readonly listener: Console,
    readonly graph: GraphTape,
  ) {
    graph.said(talker.engine.microphone.passed);
    this.mouth = new TrackTape(microphone);
    this.said = new TrackTape(talker.engine.microphone.track);
    const { engine } = listener;
    const { addTrack, addFrames } = engine;
    engine.addTrack = (track) => {
      const source = addTrack.call(engine, track);
      graph.heard(source.node);
      this.slots.push(new TrackTape(track));
      return source;
    };
    engine.addFrames = () => {
      const source = addFrames.call(engine);
      graph.heard(source.node);
      return source;
    };
  }

  /** open makes both consoles; start puts them on the air. */
  static async open(talker: Seat, listener: Seat, material: string): Promise<Bench> {
    // Every microphone hears one reader, whom the bench starts and stops.
    const first = await Engine.open({ processing: false });
    const { context } = first;
    const second = Reflect.construct(Engine, [context, { processing: false }]) as Engine;
    await first.resume();
    const lips = new GainNode(context);
    const microphone = () => {
      const m = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
      lips.connect(m);
      return m.stream;
    };
    navigator.mediaDevices.getUserMedia = async () => microphone();
    const speech = await context.decodeAudioData(await (await fetch(material)).arrayBuffer());
    const graph = await GraphTape.open(context);
    return new Bench(context, lips, microphone().getAudioTracks()[0]!, speech, new Console(first, talker.auth.serverId, talker), new Console(second, listener.auth.serverId, listener), graph);
  }

  get now(): number {
    return this.context.currentTime * 1000;
  }

  async start(): Promise<void> {
    for (const c of [this.listener, this.talker]) {
      if (!c.socket.connected) await new Promise<void>((done) => c.socket.once("connect", done));
      await c.socket.emitWithAck("setSpeakerChannel", frequency);
      c.note("start");
      await c.link.start(c.line);
    }
  }

  get planes(): string[] {
    return [this.talker.link.state.plane, this.listener.link.state.plane];
  }

  /** read lets the reader speak without a pause, from a place in the material, s. */
  read(from: number): void {
    const reader = new AudioBufferSourceNode(this.context, { buffer: this.speech, loop: true });
    reader.connect(this.lips);
    reader.start(0, from % this.speech.duration);
  }

  /** until waits for a moment of the context, ms. */
  async until(at: number): Promise<void> {
    while (this.now < at) await pause(Math.max(1, at - this.now - 3));
  }

  press(): void {
    this.talker.ptt.press("command", { kind: "channel", frequency });
  }

  release(): void {
    this.talker.ptt.release("command");
  }

  record(): void {
    this.graph.cut();
    for (const t of [this.mouth, this.said, ...this.slots]) t.cut();
  }

  /** transmit talks until the last of the marks, and counts at each, ms after the key-up. began: the key-up on the tracks' clock. */
  async transmit(marks: number[], quiet: number): Promise<{ began: number; counts: Counts[] }> {
    const counts = [await this.listener.counts()];
    const began = performance.now();
    const pressed = this.now;
    this.press();
    for (const m of marks) {
      await this.until(pressed + m);
      counts.push(await this.listener.counts());
    }
    this.release();
    await pause(quiet);
    counts.push(await this.listener.counts());
    return { began, counts };
  }

  /**
   * bursts keys as many times as there are pauses, and holds the key for a time, ms.
   * The reader speaks all the time, or, with pointed, exactly while it is held. Returns
   * when the key was pressed.
   */
  async bursts(held: number, pauses: number[], pointed: boolean): Promise<number[]> {
    const pressed: number[] = [];
    const { gain } = this.lips;
    if (pointed) gain.value = 0;
    for (const p of pauses) {
      const now = this.context.currentTime;
      pressed.push(now * 1000);
      if (pointed) gain.setValueAtTime(1, now).setValueAtTime(0, now + held / 1000);
      this.press();
      await this.until(now * 1000 + held);
      this.release();
      await pause(p);
    }
    return pressed;
  }

  /** hold keeps the key down, and presses it again whenever the floor is lost, until let. */
  hold(): void {
    this.#held = setInterval(() => {
      const { state } = this.talker.ptt.ptt;
      if (state === "DENIED") this.release();
      if (state === "IDLE") this.press();
    }, 20);
    this.press();
  }

  let(): void {
    clearInterval(this.#held);
    this.release();
  }

  /** What happened when, and what is heard now. */
  get view() {
    const of = (c: Console) => ({ plane: c.link.state.plane, log: c.log });
    return { now: this.now, loudness: this.graph.loudness, talker: of(this.talker), listener: of(this.listener) };
  }

  /** take is what was recorded. The track is missing if no slot had voice, or more than one. */
  take() {
    const heard = this.slots.filter((t) => !t.silent);
    const track = heard.length === 1 ? { mouth: this.mouth.take(), said: this.said.take(), heard: heard[0]!.take() } : null;
    return { graph: this.graph.take(), track, slots: heard.length };
  }
}

declare global {
  interface Window {
    open_: (talker: Seat, listener: Seat, material: string) => Promise<void>;
    bench: Bench;
  }
}

window.open_ = async (talker, listener, material) => {
  window.bench = await Bench.open(talker, listener, material);
};
