import { io, type Socket } from "socket.io-client";
import { SquelchError } from "./error.js";
import type { Credentials, Desk } from "./login.js";
import { type Addresses, follow } from "./nodes.js";
import { Registrations } from "./registrations.js";
import { sendSpeech } from "./speech.js";
import type { ClientEvents, ConnectRefusal, ServerEvents } from "./wire.gen.js";

/** Settings of a {@link Link}. */
export interface LinkOptions {
  /** The dispatcher id to ask for, negative. Default: the service gives one. A bot that asks for the same id after a crash is itself again. */
  id?: number;
  /** Only these transports. Default: websocket, and polling where that is not possible. */
  transports?: ("websocket" | "polling")[];
}

/** What a link tells of itself, beside the service's events. */
export interface LinkEvents {
  /** The connection is back, and everything is registered again. */
  up: undefined;
  /** The connection is lost, with Socket.IO's reason. The link tries to get it back by itself. */
  down: string;
  /** The link has ended and does not come back: the service refuses it, or {@link Link.close} was called (null). */
  closed: SquelchError | null;
}

type Heard = ServerEvents & LinkEvents;
type Handler = (payload: never) => void;

/** Wait before another attempt, ms, after a refusal that does not say how long, or after the service ended the connection. */
const returnAfter = 1_000;
/** Refusals that do not pass by waiting, once credentials cannot be renewed. */
const final: ReadonlySet<string> = new Set(["bad_token", "bad_session", "bad_id", "bad_scope"]);

/**
 * A Socket.IO connection of a program to the radio. {@link Squelch.connect} makes one.
 *
 * What is registered with it (channels, scans, followed users, the armed group, names) is
 * registered again after a lost connection or a restart of the service. If several nodes share the radio and the
 * link's own is gone, it goes to another one. What was sent
 * while there is no connection is rejected, not queued: nobody wants a key-up of a minute
 * ago.
 */
export class Link {
  readonly #socket: Socket;
  readonly #timeout: number;
  readonly #desk: Desk;
  readonly #registered = new Registrations();
  readonly #handlers = new Map<string, Set<Handler>>();
  #who: Credentials = { token: "", session: "" };
  #id: number;
  #opened = false;
  #ended = false;
  #back: ReturnType<typeof setTimeout> | undefined;
  #renewed = false;

  /** Opens a link; programs call {@link Squelch.connect}. */
  static async open(addresses: Addresses, timeout: number, desk: Desk, options: LinkOptions): Promise<Link> {
    const link = new Link(addresses, timeout, desk, options);
    link.#who = await desk.credentials();
    await link.#first();
    return link;
  }

  private constructor(addresses: Addresses, timeout: number, desk: Desk, options: LinkOptions) {
    const at = new URL(addresses.here);
    this.#timeout = timeout;
    this.#desk = desk;
    this.#id = options.id ?? -1;
    this.#socket = io(at.origin, {
      path: `${at.pathname.replace(/\/$/, "")}/socket.io/`,
      autoConnect: false,
      forceNew: true,
      transports: options.transports ?? ["websocket", "polling"],
      tryAllTransports: true,
      timeout,
      reconnectionDelay: 500,
      reconnectionDelayMax: 5_000,
      auth: (give) => give({ authToken: this.#who.token, sessionId: this.#who.session, serverId: this.#id }),
    });
    const nodes = follow(this.#socket, addresses);
    this.#socket.onAny((name: string, payload: unknown) => {
      if (name === "identity") this.#id = (payload as ServerEvents["identity"]).serverId;
      if (name === "nodes") nodes(payload as ServerEvents["nodes"]);
      this.#tell(name, payload);
    });
  }

  /** This program's id on the radio, negative. A restart of the service may change it. */
  get id(): number {
    return this.#id;
  }

  /** Whether there is a connection now. */
  get connected(): boolean {
    return this.#socket.connected;
  }

  /**
   * Calls the handler at every event of the service, or of the link (`up`, `down`,
   * `closed`), until the function that it returns is called.
   *
   * @example
   * const off = link.on("dispatchNotification", (n) => n.type === "alert" && console.log(n.alertConfig?.name));
   */
  on<N extends keyof Heard>(name: N, handler: (payload: Heard[N]) => void): () => void {
    const all = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, all.add(handler as Handler));
    return () => void all.delete(handler as Handler);
  }

  /**
   * Sends an event and returns what its ack carries. It rejects with a
   * {@link SquelchError} if the service refuses, there is no connection, or the ack has
   * not come within the timeout.
   *
   * @example
   * await link.emit("setSpeakerChannel", "154.755");
   * const { emergency } = await link.emit("acknowledgeEmergency", { id });
   */
  async emit<N extends keyof ClientEvents>(name: N, payload: ClientEvents[N]["payload"]): Promise<ClientEvents[N]["ack"]> {
    if (!this.#socket.connected) throw new SquelchError({ what: name, status: 0, refusal: "there is no connection" });
    let ack: { error?: string; currentTalker?: number };
    try {
      ack = await this.#socket.timeout(this.#timeout).emitWithAck(name, payload);
    } catch (e) {
      throw new SquelchError({ what: name, status: 0, refusal: `no ack within ${this.#timeout} ms` }, { cause: e });
    }
    if (ack?.error) throw new SquelchError({ what: name, status: 0, refusal: ack.error, currentTalker: ack.currentTalker });
    this.#registered.note(name, payload);
    return ack as ClientEvents[N]["ack"];
  }

  /** Sends an event without waiting for an ack, for voice frames. Without a connection it is dropped. */
  tell<N extends keyof ClientEvents>(name: N, payload: ClientEvents[N]["payload"]): void {
    if (this.#socket.connected) this.#socket.emit(name, payload);
  }

  /**
   * Takes the floor of a channel, sends Opus packets at the pace at which they are spoken,
   * and releases. The program should be on the channel (`setSpeakerChannel`). It rejects
   * with a {@link SquelchError} if the channel is busy (`currentTalker` says who talks), and
   * ends early if the floor or the connection is lost. It returns how many packets were sent.
   *
   * @example
   * await link.speak("154.755", opusPackets(await readFile("answer.ogg")));
   */
  async speak(frequency: string | number, packets: readonly Uint8Array[]): Promise<number> {
    await this.emit("setTalking", { state: true, frequency });
    let on = true;
    const stops = [
      this.on("talkingState", (t) => {
        if (t.serverId === this.#id && !t.state && Number(t.frequency) === Number(frequency)) on = false;
      }),
      this.on("down", () => (on = false)),
    ];
    try {
      return await sendSpeech(packets, (data) => on && this.#speakOne(data, frequency));
    } finally {
      for (const stop of stops) stop();
      if (this.connected) await this.emit("setTalking", { state: false, frequency });
    }
  }

  #speakOne(data: string, frequency: string | number): boolean {
    this.tell("voice", { data, frequency });
    return this.connected;
  }

  /** Leaves the radio. The id is free at once. */
  close(): void {
    this.#end(null);
  }

  #tell(name: string, payload: unknown): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) (handler as (p: unknown) => void)(payload);
  }

  /** The first connection: its refusal is the caller's. */
  #first(): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#end(new SquelchError({ what: "connect", status: 0, refusal: `no connection within ${this.#timeout} ms` }));
      }, this.#timeout);
      const stop = this.on("closed", (e) => {
        clearTimeout(late);
        reject(e); // nobody can close it before it is open
      });
      this.#socket.on("connect", () => {
        void this.#entered().then(() => {
          clearTimeout(late);
          stop();
          resolve();
        });
      });
      this.#socket.on("disconnect", (reason) => this.#lost(reason));
      this.#socket.on("connect_error", (e) => this.#refused(e));
      this.#socket.connect();
    });
  }

  async #entered(): Promise<void> {
    this.#renewed = false;
    const again = this.#opened;
    this.#opened = true;
    if (!this.#socket.recovered) { // recovered: the service has kept everything
      if (this.#who.session) await this.#renewal("setDispatchSession", this.#who.session);
      for (const [name, payload] of this.#registered.all()) await this.#renewal(name, payload);
    }
    if (again && this.#socket.connected) this.#tell("up", undefined);
  }

  /** One that is refused now (a channel that is gone) does not keep the others back; the service tells why (`refused`). */
  async #renewal<N extends keyof ClientEvents>(name: N, payload: ClientEvents[N]["payload"]): Promise<void> {
    await this.emit(name, payload).catch(() => undefined);
  }

  #lost(reason: string): void {
    if (this.#ended) return;
    this.#tell("down", reason);
    // Socket.IO itself does not come back from this one. A revoked key is refused then.
    if (reason === "io server disconnect") this.#return(returnAfter);
  }

  #return(after: number): void {
    clearTimeout(this.#back);
    this.#back = setTimeout(() => void (this.#ended || this.#socket.connect()), after);
  }

  #refused(e: Error & { data?: Partial<ConnectRefusal> }): void {
    const code = e.data?.code;
    if (!code || this.#ended) return; // not reached: Socket.IO tries again by itself
    const error = new SquelchError({ what: "connect", status: 0, refusal: e.data?.error ?? e.message, code, retryAfter: e.data?.retryAfter });
    if (this.#desk.renews && !this.#renewed && (code === "bad_token" || code === "bad_session")) {
      this.#renewed = true;
      this.#desk.renew(this.#who).then(
        (who) => {
          this.#who = who;
          this.#return(0);
        },
        (why: unknown) => (why instanceof SquelchError && why.status === 401 ? this.#end(why) : this.#again()),
      );
      return;
    }
    if (final.has(code) || !this.#opened) return this.#end(error);
    this.#return(error.retryAfter ? error.retryAfter * 1000 : returnAfter);
  }

  /** Another attempt to renew, when the service can be reached. */
  #again(): void {
    this.#renewed = false;
    this.#return(returnAfter);
  }

  #end(why: SquelchError | null): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#back);
    this.#socket.disconnect();
    this.#tell("closed", why);
  }
}
