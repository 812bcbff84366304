// A page without a user interface: the panel's voice modules, driven by the test
// beside it.

import { io, type Socket } from "socket.io-client";
import type { ChannelAudio } from "../../src/audio/api";
import { Engine } from "../../src/audio/engine";
import { IoSocket } from "../../src/link/io";
import { fromBase64 } from "../../src/link/voice/codec";
import { VoiceLink } from "../../src/link/voice/voice";
import { PttController } from "../../src/ptt/controller";
import type { ClientToServerEvents, ServerToClientEvents, Slots } from "../../src/wire.gen";

/** A recording: the outline of a sound, RMS per 10 ms. */
type Envelope = number[];

function envelope(frames: Float32Array[], rate: number): Envelope {
  const step = rate / 100;
  const out: Envelope = [];
  for (const f of frames) {
    for (let at = 0; at + step <= f.length; at += step) {
      let sum = 0;
      for (let i = at; i < at + step; i++) sum += f[i]! ** 2;
      out.push(Math.sqrt(sum / step));
    }
  }
  return out;
}

/** What counts as silence in a recording: RMS of 10 ms. */
const silent = 0.002;
/** This much silence is longer than any breath between two words, in 10 ms. */
const hush = 40;

class Recorder {
  readonly #frames: Float32Array[] = [];
  readonly began: number;
  readonly #node: AudioWorkletNode;

  constructor(
    readonly context: AudioContext,
    readonly from: AudioNode,
  ) {
    this.#node = new AudioWorkletNode(context, "squelch-capture");
    this.#node.port.onmessage = (e) => this.#frames.push(e.data);
    this.#node.port.postMessage(true);
    from.connect(this.#node).connect(context.destination);
    this.began = context.currentTime;
  }

  get envelope(): Envelope {
    return envelope(this.#frames, this.context.sampleRate);
  }

  /** Something was heard, and it is over. */
  get over(): boolean {
    const e = this.envelope;
    const last = e.findLastIndex((v) => v >= silent);
    return last >= 0 && e.length - last > hush;
  }

  stop(): Envelope {
    this.from.disconnect(this.#node);
    this.#node.disconnect();
    return this.envelope;
  }
}

interface Options {
  url: string;
  auth: { authToken: string; sessionId: string; serverId: number };
  /** "none" takes WebRTC away from the page, as an old browser or a blocked network does. */
  webrtc?: "none";
  releaseDelay?: number;
}

class Station {
  offers = 0;
  /** How often webrtc:report was sent, and how many frames the socket brought. */
  reports = 0;
  frames = 0;
  /** Whether the service was last told that this console talks. */
  talking = false;
  /** What webrtc:slots said, in order. */
  readonly slots: Slots[] = [];
  /** Tones that the push-to-talk asked for. */
  readonly tones: string[] = [];
  readonly socket: Socket<ServerToClientEvents, ClientToServerEvents>;
  readonly link: VoiceLink;
  readonly ptt: PttController;
  #recorders: Record<string, Recorder> = {};
  #before = 0;

  constructor(
    readonly engine: Engine,
    public id: number,
    o: Options,
  ) {
    this.socket = io(o.url, { auth: o.auth, transports: ["websocket"], reconnectionDelay: 200 });
    this.link = new VoiceLink(engine);
    this.ptt = new PttController({
      socket: new IoSocket(this.socket),
      voice: this.link,
      audio: {
        permit: () => this.tones.push("permit"),
        busy: () => this.tones.push("busy"),
        get state() {
          return engine.state;
        },
        onchange: (listener) => engine.onchange(listener),
      },
      me: () => this.id,
      channels: (t) => (t.kind === "channel" ? t.frequency.split("+") : []),
      options: () => ({ releaseDelay: o.releaseDelay ?? 350, latch: false, override: true }),
    });
    this.socket.on("identity", (i) => (this.id = i.serverId));
    this.socket.onAnyOutgoing((event, p) => {
      if (event === "setTalking") this.talking = p.state;
      if (event === "webrtc:offer") this.offers++;
      if (event === "webrtc:report") this.reports++;
    });
    this.socket.on("voice", () => this.frames++);
    this.socket.on("webrtc:slots", (s) => this.slots.push(s));
  }

  static async open(o: Options): Promise<Station> {
    if (o.webrtc === "none") Reflect.deleteProperty(globalThis, "RTCPeerConnection");
    const engine = await Engine.open({ processing: false });
    await engine.resume();
    const station = new Station(engine, o.auth.serverId, o);
    await new Promise<void>((done) => station.socket.once("connect", done));
    await station.link.start(new IoSocket(station.socket));
    return station;
  }

  /** When the key was pressed, in 10 ms of the recording. */
  presses: number[] = [];

  press(frequency: string): void {
    const r = this.#recorders["sent"];
    if (r !== undefined) this.presses.push(this.#before + Math.round((this.engine.context.currentTime - r.began) * 100));
    this.ptt.press("command", { kind: "channel", frequency });
  }

  release(): void {
    this.ptt.release("command");
  }

  /**
   * record records what leaves the microphone's gate ("sent") and what comes in each
   * slot ("0" to "3"). Recordings count from the epoch, in ms, whenever they began.
   */
  record(epoch: number): void {
    const { context, microphone, sources } = this.engine;
    this.presses = [];
    this.#before = Math.max(0, Math.round((Date.now() - epoch) / 10));
    this.#recorders = { sent: new Recorder(context, microphone.passed) };
    sources.forEach((s, i) => (this.#recorders[i] = new Recorder(context, s.node)));
  }

  /** Whether something has come in a slot since record, and nothing more comes. */
  over(): boolean {
    const slots = Object.entries(this.#recorders).filter(([name]) => name !== "sent");
    return slots.some(([, r]) => r.over) && slots.every(([, r]) => r.over || r.envelope.every((v) => v < silent));
  }

  /** How long a recording is, ms of its own clock. */
  recorded(name: string): number {
    return (this.#recorders[name]?.envelope.length ?? 0) * 10;
  }

  stop(): Record<string, Envelope> {
    const silence: Envelope = new Array(this.#before).fill(0);
    return Object.fromEntries(Object.entries(this.#recorders).map(([name, r]) => [name, [...silence, ...r.stop()]]));
  }

  /** mixed plays the same tone on two channels and returns the left loudness of each side of the mixer. */
  async mixed(channels: Record<string, Partial<ChannelAudio>>): Promise<Record<string, number>> {
    const { context, mixer } = this.engine;
    for (const [f, c] of Object.entries(channels)) this.engine.setChannel(f, c);
    const tones = ["154.755", "154.28"].map((f) => {
      const tone = new OscillatorNode(context, { frequency: 1000 });
      tone.connect(mixer.strip(f));
      mixer.live(f, 1);
      tone.start();
      return { f, tone };
    });
    const record = (): { s: "selected" | "unselected"; r: Recorder }[] =>
      (["selected", "unselected"] as const).map((s) => ({ s, r: new Recorder(context, mixer.side(s)) }));
    const full = async (of: ReturnType<typeof record>): Promise<void> => {
      while (of.some(({ r }) => r.envelope.length < 30)) await new Promise(requestAnimationFrame);
    };
    const gliding = record();
    await full(gliding); // after 300 ms of sound the volumes have settled
    for (const { r } of gliding) r.stop();
    const sides = record();
    await full(sides);
    const loud = (e: Envelope) => Math.sqrt(e.reduce((sum, v) => sum + v * v, 0) / e.length);
    const out = Object.fromEntries(sides.map(({ s, r }) => [s, loud(r.stop())]));
    for (const { f, tone } of tones) {
      tone.stop();
      tone.disconnect();
      mixer.live(f, -1);
    }
    return out;
  }

  /** decode returns what legacy packets sound like. */
  async decode(packets: string[]): Promise<Envelope> {
    const frames: Float32Array[] = [];
    const decoder = new AudioDecoder({
      output: (d) => {
        const f = new Float32Array(d.numberOfFrames);
        d.copyTo(f, { planeIndex: 0, format: "f32-planar" });
        frames.push(f);
        d.close();
      },
      error: (e) => {
        throw e;
      },
    });
    decoder.configure({ codec: "opus", sampleRate: 48_000, numberOfChannels: 1 });
    packets.forEach((p, i) => decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: i * 20_000, data: fromBase64(p)! })));
    await decoder.flush();
    decoder.close();
    return envelope(frames, 48_000);
  }
}

declare global {
  interface Window {
    open_: (o: Options) => Promise<void>;
    station: Station;
  }
}

window.open_ = async (o) => {
  window.station = await Station.open(o);
};
