import { Manager, type Socket } from "socket.io-client";
import type { Engine } from "../audio/engine";
import type { Ack, ConnectRefusal, Handshake, Nodes, Routes } from "../wire.gen";
import type { RadioEvent } from "../state/event";
import type { Timeline } from "../timeline/api";
import { IoSocket } from "./io";
import { type Link, type LinkEvents, Refusal } from "./link";
import { ask, at, replyOf, send } from "./rest";
import { type Credentials, renewAfter } from "./session";
import type { ClientEvent, Sent } from "./socket";
import type { Voice } from "./voice/api";

/** How often a heartbeat asks whether the service is there, ms. */
const heartbeatEvery = 2_000;
/** How long an event may wait for its answer, ms. */
const answerTime = 8_000;
/** Wait before a connection that the service ended is opened again, ms. */
const returnAfter = 1_000;
/** Wait after the service has refused a connection or a new session, ms, if it does not say how long. */
const refusedAfter = 5_000;
/** How often the service's health is asked for, ms: freeing a disk takes longer. */
const healthEvery = 30_000;

/** The link to a running service: REST, Socket.IO, and a session that renews itself. */
export class Live implements Link {
  readonly socket: IoSocket;
  readonly #io: Socket;
  /** Null before the start: nothing happens until then. */
  #on: LinkEvents | null = null;
  #who: Credentials | null = null;
  #want = -1;
  #beats: number[] = [];
  #timer = 0;
  #renewing: Promise<void> | null = null;
  /** When a session may be renewed again after a refusal, ms since the epoch. */
  #renewAt = 0;
  #look = 0;

  constructor() {
    // Without io(), which parses addresses that this page does not have.
    this.#io = new Manager({
      autoConnect: false,
      path: location.pathname.replace(/[^/]*$/, "socket.io"),
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      reconnectionDelay: 500,
      reconnectionDelayMax: 3_000,
    }).socket("/", {
      auth: (give: (auth: Handshake) => void) => {
        give({ authToken: this.#who?.authToken ?? "", sessionId: this.#who?.sessionId ?? "", serverId: this.#want });
      },
    });
    this.socket = new IoSocket(this.#io);
    this.#io.on("connect", () => this.#connected());
    this.#io.on("disconnect", (reason) => this.#disconnected(reason));
    this.#io.on("connect_error", (error) => this.#refused(error));
    // Leaving the page is a clean goodbye: nobody sees the console as still connected.
    window.addEventListener("pagehide", () => this.#io.disconnect());
    window.addEventListener("pageshow", (e) => e.persisted && this.#return(0));
    this.#io.once("nodes", (n: Nodes) => import("./nodes").then((m) => m.follow(this.#io, n)));
    this.#io.onAny((name: string, payload: unknown) => {
      this.#hear({ name, payload, at: Date.now() } as RadioEvent);
    });
  }

  start(c: Credentials, on: LinkEvents): void {
    this.#on = on;
    this.#who = c;
    this.#want = c.me ?? this.#want;
    clearInterval(this.#timer);
    this.#timer = window.setInterval(() => this.#beat(), heartbeatEvery);
    if (Date.now() - c.since > renewAfter) this.#renewAndReturn();
    else this.#io.connect();
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#look);
    this.#who = null;
    this.#want = -1;
    this.#io.disconnect();
  }

  logout(): Promise<unknown> {
    const who = this.#who;
    this.stop();
    return ask("POST /radio/dispatch/logout", undefined, who);
  }

  request = async <R extends keyof Routes>(route: R, body: Routes[R]["body"]): Promise<Routes[R]["reply"]> =>
    (await replyOf(await this.fetch(route, body))) as Routes[R]["reply"];

  /** A request with a query, or with a reply that is no JSON; signal ends it early. Rejects as request does. */
  fetch = async (route: string, body?: unknown, signal?: AbortSignal): Promise<Response> => {
    try {
      return await send(route, body, this.#who, signal);
    } catch (e) {
      if (e instanceof Refusal && e.status === 503) void this.#health();
      if (!(e instanceof Refusal) || e.status !== 401) throw e;
      await this.#renew();
      return send(route, body, this.#who, signal);
    }
  };

  async send<N extends ClientEvent>(name: N, payload: Sent<N>): Promise<Ack> {
    const answer: Ack = await this.#io.timeout(answerTime).emitWithAck(name, payload).catch(() => {
      throw new Refusal(0, "unreachable");
    });
    if (answer.error) throw new Refusal(400, answer.error);
    return answer;
  }

  tell<N extends ClientEvent>(name: N, payload: Sent<N>): void {
    this.#io.emit(name, payload);
  }

  now(): number {
    return Date.now();
  }

  voice(engine: Engine): Promise<Voice> {
    return import("./voice/voice").then((m) => new m.VoiceLink(engine));
  }

  timeline(): Promise<Timeline> {
    return import("../timeline/service").then((m) => new m.ServiceTimeline(this.fetch));
  }

  toneAddress(file: string): string {
    return `${at.base || "."}/radio/tones/${encodeURIComponent(file)}`;
  }

  #connected(): void {
    if (!this.#who) return;
    this.#beats = [];
    this.tell("setDispatchSession", this.#who.sessionId);
    this.#on?.connected(this.#want);
    this.#beat();
    void this.#health();
  }

  /** Asks the service how it is, as long as there is a connection. */
  async #health(): Promise<void> {
    clearTimeout(this.#look);
    this.#look = window.setTimeout(() => this.#io.connected && this.#health(), healthEvery);
    try {
      const h = await ask("GET /api/health", undefined, null);
      this.#on?.degraded(h.status === "degraded" ? h.reason || h.status : "");
    } catch {
      // The heartbeat shows whether the service is there at all.
    }
  }

  #disconnected(reason: string): void {
    this.#on?.disconnected();
    if (reason === "io server disconnect") this.#return(returnAfter);
  }

  #return(after: number): void {
    setTimeout(() => {
      if (this.#who && !this.#io.connected) this.#io.connect();
    }, after);
  }

  /** A refused handshake: renew the session if that is the reason, else try later. */
  #refused({ data }: Error & { data?: Partial<ConnectRefusal> }): void {
    const code = data?.code;
    if (!code) return; // the service was not reached: the client tries again by itself
    if (code === "bad_session" || code === "bad_token") return this.#renewAndReturn();
    const wait = data.retryAfter ? data.retryAfter * 1000 : refusedAfter;
    this.#on?.barred({ code, error: data.error ?? code, until: Date.now() + wait });
    this.#return(wait);
  }

  /** A new session belongs to the same login: an open socket goes on with it. */
  #renewAndReturn(): void {
    this.#renew().then(
      () => {
        if (this.#io.connected) this.tell("setDispatchSession", this.#who!.sessionId);
        else this.#return(0);
      },
      () => undefined, // reported where it failed
    );
  }

  /** Reauth: a new session for the token. One at a time. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#reauth().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #reauth(): Promise<void> {
    const who = this.#who;
    if (!who) throw new Refusal(401, "logged out");
    try {
      const reply = await ask("POST /radio/dispatch/reauth", { callsign: who.callsign || "DISPATCH" }, { ...who, sessionId: "" });
      this.#who = { ...who, sessionId: reply.sessionId, authToken: reply.authToken, since: Date.now() };
      this.#on?.renewed(this.#who);
    } catch (e) {
      if (e instanceof Refusal && e.status === 401) {
        this.stop();
        this.#on?.loggedOut(e.message);
      } else {
        // Until then the old one may well be good.
        const wait = (e instanceof Refusal && e.retryAfter * 1000) || refusedAfter;
        this.#renewAt = Date.now() + wait;
        this.#return(wait);
      }
      throw e;
    }
  }

  #beat(): void {
    if (!this.#io.connected || !this.#who) return;
    if (Date.now() - this.#who.since > renewAfter && Date.now() > this.#renewAt) this.#renewAndReturn();
    this.#beats.push(performance.now());
    this.tell("heartbeat", Date.now());
  }

  #hear(e: RadioEvent): void {
    if (e.name === "identity") this.#known(e.payload.serverId);
    if (e.name === "heartbeat_response") {
      const sent = this.#beats.shift();
      if (sent !== undefined) this.#on?.heartbeat(performance.now() - sent);
      return;
    }
    this.#on?.event(e);
  }

  /** The own id on the radio; a reconnect asks for the same one. */
  #known(me: number): void {
    this.#want = me;
    if (!this.#who || this.#who.me === me) return;
    this.#who = { ...this.#who, me };
    this.#on?.renewed(this.#who);
  }
}
