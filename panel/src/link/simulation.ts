import type { Engine } from "../audio/engine";
import type { Ack, ConfigBody, Routes } from "../wire.gen";
import type { RadioEvent } from "../state/event";
import type { Radio } from "../simulation/radio";
import type { Timeline } from "../timeline/api";
import { noTimeline } from "../timeline/none";
import type { LocalTimeline } from "../timeline/local";
import { SimulatedVoice } from "../simulation/voice";
import { Emitter } from "./emitter";
import { type Link, type LinkEvents, Refusal } from "./link";
import type { Credentials } from "./session";
import type { ClientEvent, Sent, VoiceSocket } from "./socket";
import type { Voice } from "./voice/api";
import type { Actor, Answer, Message } from "./wasm";

/** How often the health of the link is measured, ms, as on a live one. */
const heartbeatEvery = 2_000;

/** A socket to a radio in this page. */
class Socket extends Emitter implements VoiceSocket {
  connected = false;

  constructor(private readonly send: (name: string, payload: unknown) => Promise<Ack>) {
    super();
  }

  emit(name: string, payload: unknown, answered?: (answer: Ack) => void): void {
    if (this.connected) void this.send(name, payload).then((answer) => answered?.(answer));
  }
}

/** The link to a simulated radio: the same questions and answers as of a service, without one. */
export class Simulation implements Link {
  readonly socket = new Socket((name, payload) => this.#emit(name, payload));
  /** Null before the start: nothing happens until then. */
  #on: LinkEvents | null = null;
  #radio: Radio | null = null;
  #past: LocalTimeline | null = null;
  #voice: SimulatedVoice | null = null;
  #callsign = "";
  #want = -1;
  #beats: ReturnType<typeof setInterval> | undefined;

  /** left is called when the user logs out. themes gives those that are beside the page: the radio itself has none. */
  constructor(private readonly left: () => void, private readonly themes: () => Promise<Partial<ConfigBody>> = async () => ({})) {}

  /** The own id. */
  get me(): number {
    return this.#want;
  }

  get connected(): boolean {
    return this.socket.connected;
  }

  now(): number {
    return this.#radio?.clock.now() ?? Date.now();
  }

  /** Puts the link on a radio and its past; connect comes next. */
  attach(radio: Radio, past: LocalTimeline): void {
    this.#radio = radio;
    this.#past = past;
  }

  async logout(): Promise<void> {
    this.stop();
  }

  start(c: Credentials, on: LinkEvents): void {
    this.#on = on;
    this.#callsign = c.callsign;
    clearInterval(this.#beats);
    this.#beats = setInterval(() => void this.#beat(), heartbeatEvery);
  }

  stop(): void {
    clearInterval(this.#beats);
    this.left();
  }

  /** The console as the radio knows it: one login, whatever its present callsign. */
  #by(): Actor {
    return { user: this.#want, kind: "session", owner: "console", name: this.#callsign };
  }

  /** In a turn of the radio: the console comes on the air, with the id that it had. */
  async connect(): Promise<void> {
    const radio = this.#radio;
    if (!radio || this.connected) return;
    if (!radio.program?.journal) {
      const a = await radio.ask(this.#by(), { event: "connect" }, { serverId: this.#want, name: this.#callsign });
      if (a.error) throw new Error(a.error.message);
      this.#want = (a.reply as { serverId: number }).serverId;
      await radio.ask(this.#by(), { event: "updateUserInfo" }, { name: this.#callsign });
    }
    this.socket.connected = true;
    this.#on?.connected(this.#want);
    this.socket.tell("connect");
  }

  /** In a turn of the radio: the link is lost, and the radio is told. */
  async disconnect(): Promise<void> {
    const radio = this.#radio;
    if (!radio || !this.connected) return;
    this.drop();
    if (!radio.program?.journal) await radio.ask(this.#by(), { event: "lost" });
  }

  /** The link is lost: the radio has ended, or disconnect tells it. */
  drop(): void {
    if (!this.connected) return;
    this.socket.connected = false;
    this.#on?.disconnected();
    this.socket.tell("disconnect");
  }

  /** A message of the radio, if it is for this console. */
  hear(m: Message, at: number): void {
    const { everyone, dispatchers, users } = m.to;
    if (!this.connected || !(everyone || dispatchers || users?.includes(this.#want))) return;
    this.#on?.event({ name: m.name, payload: m.payload, at } as RadioEvent);
    this.socket.tell(m.name, m.payload);
  }

  request = async <R extends keyof Routes>(route: R, body: Routes[R]["body"]): Promise<Routes[R]["reply"]> => {
    const reply = await this.#request(route, body);
    return route === "GET /radio/dispatch/config" ? { ...(reply as object), ...(await this.themes()) } as typeof reply : reply;
  };

  async #request<R extends keyof Routes>(route: R, body: Routes[R]["body"]): Promise<Routes[R]["reply"]> {
    const radio = this.#radio;
    if (!radio || !this.connected) throw new Refusal(0, "unreachable");
    if (radio.program?.journal) return this.#look(radio, route) as Promise<Routes[R]["reply"]>;
    const a = await radio.turn(async () => {
      const a = await radio.ask(this.#by(), { route }, body);
      if (!a.error) radio.program?.did({ route, payload: body }, radio.now());
      return a;
    });
    if (a.error) throw new Refusal(a.status ?? 400, a.error.message);
    return a.reply as Routes[R]["reply"];
  }

  /** A playing journal can be watched, not changed. */
  async #look(radio: Radio, route: string): Promise<unknown> {
    const kind = { "GET /radio/dispatch/config": "config", "GET /radio/dispatch/status": "status" }[route];
    if (kind !== "config" && kind !== "status") throw new Refusal(400, watched);
    return radio.turn(() => radio.view(kind));
  }

  async send<N extends ClientEvent>(name: N, payload: Sent<N>): Promise<Ack> {
    if (!this.connected) throw new Refusal(0, "unreachable");
    const answer = await this.#emit(name, payload);
    if (answer.error) throw new Refusal(400, answer.error);
    return answer;
  }

  tell<N extends ClientEvent>(name: N, payload: Sent<N>): void {
    this.socket.emit(name, payload);
  }

  async #emit(event: string, payload: unknown): Promise<Ack> {
    const radio = this.#radio;
    if (!radio || radio.program?.journal) return this.#refuse(event);
    if (event === "updateUserInfo") this.#callsign = (payload as Sent<"updateUserInfo">).name ?? this.#callsign;
    const a: Answer = await radio.turn(async () => {
      const a = await radio.ask(this.#by(), { event }, payload ?? null);
      if (!a.error) radio.program?.did({ event, payload }, radio.now());
      return a;
    });
    return (a.reply ?? {}) as Ack;
  }

  /** A journal takes no commands; a key-up is refused with the reason. */
  #refuse(event: string): Ack {
    if (event === "setTalking") {
      const payload = { action: event, frequency: null, error: watched };
      this.#on?.event({ name: "refused", payload, at: this.now() });
      this.socket.tell("refused", payload);
    }
    return { error: watched };
  }

  async voice(engine: Engine): Promise<Voice> {
    this.#voice = new SimulatedVoice(engine, {
      me: () => this.#want,
      rate: () => this.#radio?.clock.rate ?? 0,
      pitch: (id) => this.#radio?.program?.pitch?.(id),
      muted: (id) => this.#radio?.program?.muted?.(id) ?? false,
      since: (id) => this.#past?.since(id) ?? this.now(),
    });
    this.#voice.routes(this.#radio?.routes ?? []);
    return this.#voice;
  }

  /** Who hears whom, for the loudspeakers. */
  routes(rows: Radio["routes"]): void {
    this.#voice?.routes(rows);
  }

  async timeline(): Promise<Timeline> {
    return this.#past ?? noTimeline;
  }

  /** Tones are synthesised: there is no server to fetch them from. */
  toneAddress(): undefined {
    return undefined;
  }

  async #beat(): Promise<void> {
    const radio = this.#radio;
    if (!radio || !this.connected) return;
    const sent = performance.now();
    await radio.turn(() => radio.view("config"));
    if (this.connected) this.#on?.heartbeat(performance.now() - sent);
  }
}

const watched = "A journal is played: it can be watched, not changed";
