import { SquelchError } from "./error.js";
import { Addresses } from "./nodes.js";
import { Link, type LinkOptions } from "./link.js";
import { type Credentials, Desk, type Login } from "./login.js";
import type { AuthReply, FileRoutes, Routes } from "./wire.gen.js";

/** Settings of a {@link Squelch}. */
export type SquelchOptions = Login & {
  /** Where the service is: "http://127.0.0.1:7777". A path is kept, for a service behind a proxy. */
  url: string;
  /** How long a request, or an event's ack, may take, ms. Default 10 000. */
  timeout?: number;
};

/** What a call may set for itself. */
export interface CallOptions {
  /** How long this call may take, ms. Give a long poll (`wait`) more than it waits for. */
  timeout?: number;
  /** Ends the call early. */
  signal?: AbortSignal;
}

type Table = Record<keyof AllRoutes, { parts: unknown; query: unknown; body: unknown; reply: unknown }>;
type AllRoutes = Routes & FileRoutes;
type Given<T> = { [K in keyof T as [T[K]] extends [never] ? never : K]: T[K] };

/** What a route takes: `body`, `query` and `parts` (of its path), those that it has. */
export type Input<R extends keyof AllRoutes> = Given<Pick<AllRoutes[R], "parts" | "body">> &
  Partial<Given<Pick<AllRoutes[R], "query">>> &
  CallOptions;

/** A route without body and parts may be called without input. */
type Arguments<R extends keyof AllRoutes> = CallOptions extends Input<R> ? [input?: Input<R>] : [input: Input<R>];

/** Input as it is at run time, whatever the route. */
interface Loose extends CallOptions {
  parts?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

const defaultTimeout = 10_000;

/**
 * A radio service, and one login to it.
 *
 * @example
 * const radio = new Squelch({ url: "http://127.0.0.1:7777", key: process.env.SQUELCH_KEY! });
 * const { users } = await radio.rest("GET /radio/dispatch/status");
 * await radio.rest("POST /radio/dispatch/switchChannel", { body: { serverId: 7, frequency: "154.755" } });
 */
export class Squelch {
  /** The service's address, without a slash at its end. */
  readonly url: string;
  /** How long a request, or an event's ack, may take, ms. */
  readonly timeout: number;
  readonly #desk: Desk;
  readonly #addresses: Addresses;

  constructor(options: SquelchOptions) {
    if (!/^https?:\/\//.test(options.url)) throw new TypeError(`url is ${JSON.stringify(options.url)}, expected an address such as "http://127.0.0.1:7777"`);
    if ("key" in options && !options.key.startsWith("sqk_")) throw new TypeError('key is no API key, expected one that begins with "sqk_"');
    this.url = options.url.replace(/\/+$/, "");
    this.#addresses = new Addresses(this.url);
    this.timeout = options.timeout ?? defaultTimeout;
    this.#desk = new Desk(options, async (route, body, token = "") =>
      (await (await this.#send(route, { body }, { token, session: "" })).json()) as AuthReply);
  }

  /**
   * Calls a route that answers JSON. It rejects with a {@link SquelchError} if the service
   * refuses, is not there, or has not answered within the timeout. A session that has
   * ended is renewed, and the call repeated once.
   *
   * @example
   * const page = await radio.rest("GET /api/timeline", { query: { kind: "alert", limit: 20 } });
   */
  async rest<R extends keyof Routes>(route: R, ...[input]: Arguments<R>): Promise<Routes[R]["reply"]> {
    return (await (await this.#ask(route, input as Loose | undefined)).json()) as Routes[R]["reply"];
  }

  /**
   * Calls a route that answers a file, and returns fetch's Response. It rejects as
   * {@link Squelch.rest} does; the timeout covers the time until the file begins.
   *
   * @example
   * const file = await radio.file("GET /api/recordings/{file}", { parts: { file: `${id}.ogg` } });
   * const bytes = new Uint8Array(await file.arrayBuffer());
   */
  file<R extends keyof FileRoutes>(route: R, ...[input]: Arguments<R>): Promise<Response> {
    return this.#ask(route, input as Loose | undefined);
  }

  /**
   * Opens a Socket.IO connection: events, push-to-talk and voice. It resolves when the
   * service has let the program in, and rejects with a {@link SquelchError} if it refuses
   * or is not reached within the timeout.
   *
   * @example
   * const link = await radio.connect();
   * link.on("talkingState", (t) => console.log(t.serverId, t.state));
   * await link.emit("addListeningChannel", "154.755");
   */
  connect(options: LinkOptions = {}): Promise<Link> {
    return Link.open(this.#addresses, this.timeout, this.#desk, options);
  }

  async #ask(route: keyof Table, input: Loose = {}): Promise<Response> {
    const who = await this.#desk.credentials();
    try {
      return await this.#send(route, input, who);
    } catch (e) {
      if (!this.#desk.renews || !(e instanceof SquelchError) || e.status !== 401) throw e;
      return this.#send(route, input, await this.#desk.renew(who));
    }
  }

  async #send(route: string, input: Loose, who: Credentials): Promise<Response> {
    const [method = "", path = ""] = route.split(" ");
    const headers: Record<string, string> = {};
    if (who.token) headers["authorization"] = `Bearer ${who.token}`;
    if (who.session) headers["x-session-id"] = who.session;
    let body: BodyInit | undefined;
    if (input.body instanceof Blob) {
      body = input.body;
      headers["content-type"] = input.body.type || "application/zip"; // themes are the one upload
    } else if (input.body !== undefined) {
      body = JSON.stringify(input.body);
      headers["content-type"] = "application/json";
    }
    const timeout = input.timeout ?? this.timeout;
    const late = AbortSignal.timeout(timeout);
    const signal = input.signal ? AbortSignal.any([input.signal, late]) : late;
    const at = this.#addresses;
    let bases = [at.here];
    for (let i = 0; ; i++) {
      try {
        const reply = await fetch(bases[i] + filled(path, input.parts) + queryOf(input.query), { method, headers, body: body ?? null, signal });
        at.moved(bases[i]!);
        if (!reply.ok) throw await refused(route, reply);
        return reply;
      } catch (e) {
        if (input.signal?.aborted || e instanceof SquelchError) throw e;
        if (i === 0 && !late.aborted) bases = [at.here, ...at.after(e)];
        if (i + 1 < bases.length && !late.aborted && at.after(e).length > 0) continue;
        const refusal = late.aborted ? `no answer within ${timeout} ms` : `the service at ${bases[0]} cannot be reached`;
        throw new SquelchError({ what: route, status: 0, refusal }, { cause: e });
      }
    }
  }
}

function filled(path: string, parts: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
}

function queryOf(query: Loose["query"] = {}): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) q.set(name, String(value));
  return q.size ? `?${q.toString()}` : "";
}

async function refused(what: string, reply: Response): Promise<SquelchError> {
  const text = await reply.text().catch(() => "");
  let refusal = reply.statusText || `status ${reply.status}`;
  try {
    const said = JSON.parse(text) as { error?: unknown };
    if (typeof said.error === "string") refusal = said.error;
  } catch {
    // A proxy answers in HTML: the status says enough.
  }
  const retryAfter = Number(reply.headers.get("retry-after")) || undefined;
  return new SquelchError({ what, status: reply.status, refusal, retryAfter });
}
