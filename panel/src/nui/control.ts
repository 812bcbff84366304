// A session over the data channel of the media connection: the events of Socket.IO as
// JSON arrays, [name, payload] and, where an answer is wanted, [name, payload, id].

import { Emitter } from "../link/emitter";
import type { VoiceSocket } from "../link/socket";

/** The part of RTCDataChannel that is needed. */
export type Channel = Pick<RTCDataChannel, "readyState" | "send" | "onopen" | "onclose" | "onmessage" | "bufferedAmount">;

/** Names that are no events: the answer to an id, and the goodbye. */
const answer = "#ack";
const goodbye = "#bye";
/** How often a heartbeat asks whether the service is there, ms. */
const beatEvery = 2_000;
/** A service that was silent for this long is gone, ms: three heartbeats, and a second for a bad line. */
const silence = 7_000;
/** How long a service has to answer when its node may be gone, ms. */
const probeTime = 700;
/** How long a goodbye may take to leave the machine, ms. */
const parting = 300;

/** The session's socket, as push-to-talk and voice see it. */
export class Control extends Emitter implements VoiceSocket {
  #channel: Channel | null = null;
  #answers = new Map<number, (reply: never) => void>();
  #asked = 0;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** When the heartbeat was sent whose answer is awaited; null: none is. */
  #sent: number | null = null;
  #heard = 0;
  /** Called with the ms that a heartbeat took. */
  onpulse: (roundTrip: number) => void = () => undefined;
  /** Called when the session ended although nobody wanted that. */
  onlost: (why: string) => void = () => undefined;
  /** Called with every event of the service. */
  onany: (name: string, payload: unknown) => void = () => undefined;

  get connected(): boolean {
    return this.#channel?.readyState === "open";
  }

  /** use makes a new channel the session; what the old one still says is not heard. */
  use(channel: Channel): void {
    this.#leave("");
    this.#channel = channel;
    channel.onopen = () => {
      this.#heard = performance.now();
      this.#beat = setInterval(() => this.#pulse(), beatEvery);
      this.tell("connect");
      this.#pulse();
    };
    channel.onmessage = (e: MessageEvent) => this.#take(e.data);
    channel.onclose = () => this.#leave("closed");
  }

  /** emit sends an event; without a connection it is lost. */
  emit(name: string, payload?: unknown, reply?: (answer: never) => void): void {
    if (!this.connected) return;
    if (reply === undefined) return this.#send([name, payload ?? null]);
    this.#answers.set(++this.#asked, reply);
    this.#send([name, payload ?? null, this.#asked]);
  }

  /** bye ends the session cleanly: nobody sees the radio as still connected. Resolves when that was sent. */
  async bye(): Promise<void> {
    const channel = this.#channel;
    if (channel?.readyState === "open") {
      this.#send([goodbye]);
      const until = performance.now() + parting;
      while (channel.readyState === "open" && channel.bufferedAmount > 0 && performance.now() < until) {
        await new Promise((done) => setTimeout(done, 10));
      }
    }
    this.#leave("");
  }

  /** probe gives up a service that does not answer at once. */
  probe(lost: () => void): void {
    const [channel, heard] = [this.#channel, this.#heard];
    if (!this.connected) return;
    this.#sent ??= performance.now();
    this.emit("heartbeat", Date.now());
    setTimeout(() => {
      if (this.#channel !== channel || this.#heard !== heard) return;
      this.#leave("silent");
      lost();
    }, probeTime);
  }

  #send(message: unknown[]): void {
    try {
      this.#channel!.send(JSON.stringify(message));
    } catch {
      this.#leave("closed"); // it has just closed, or its buffer is full
    }
  }

  #take(data: unknown): void {
    this.#heard = performance.now();
    let message: unknown;
    try {
      message = JSON.parse(String(data));
    } catch {
      return; // not of this session
    }
    if (!Array.isArray(message) || typeof message[0] !== "string") return;
    const [name, payload, reply] = message as [string, unknown, unknown];
    if (name === answer) {
      const done = this.#answers.get(Number(payload));
      this.#answers.delete(Number(payload));
      return done?.(reply as never);
    }
    if (name === goodbye) return this.#leave(typeof payload === "string" ? payload : "closed");
    if (name === "heartbeat_response") {
      if (this.#sent !== null) this.onpulse(performance.now() - this.#sent);
      this.#sent = null;
      return;
    }
    this.tell(name, payload);
    this.onany(name, payload);
  }

  #pulse(): void {
    if (performance.now() - this.#heard > silence) return this.#leave("silent");
    this.#sent ??= performance.now();
    this.emit("heartbeat", Date.now());
  }

  /** leave ends the session; why is told unless it is empty. */
  #leave(why: string): void {
    const channel = this.#channel;
    if (channel === null) return;
    const was = this.#beat !== undefined;
    this.#channel = null;
    channel.onopen = channel.onmessage = channel.onclose = null;
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#answers.clear(); // no answer will come
    this.#sent = null;
    if (was) this.tell("disconnect");
    if (why !== "") this.onlost(why);
  }
}
