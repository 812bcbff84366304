// The core of the radio as WebAssembly (core.wasm, built by "just wasm"): a radio
// without a service. It takes the same bodies and events as the service, and returns
// the messages that the service would send. Requests and replies are described in Go,
// in wasm/sim.

import { wasi, type Sources } from "./wasm-wasi";

/** Who asks; user is 0 for scripts and integrations. */
export interface Actor {
  user: number;
  surface?: "rest" | "socketio" | "lua" | "admin" | "core";
  /** With which credentials; if left out, a player has its token, and everybody else what the request needs. */
  kind?: "nobody" | "session" | "key" | "player" | "master";
  /** The login that owns its ids; if left out, all callers of the same name share one. */
  owner?: string;
  name?: string;
  nac?: string;
  scopes?: string[];
}

/** A Socket.IO event or a REST call, with what goes over the wire. */
export interface Request {
  at: number; // ms since the epoch
  by: Actor;
  event?: string; // "setTalking"; "connect", "disconnect" (a goodbye) and "lost" (it broke) stand for the link itself
  route?: string; // "POST /api/patch/create"
  payload?: unknown;
}

/** A command of the core by its Go name, with its fields. */
export interface Order {
  at: number;
  by: Actor;
  command: string;
  args: Record<string, unknown>;
}

/** Who gets a message: the union of the parts, each person once. */
export interface Audience {
  everyone?: boolean;
  dispatchers?: boolean;
  users?: number[];
}

/** One Socket.IO event as the service would send it. */
export interface Message {
  to: Audience;
  name: string;
  payload: unknown;
}

/** A talker on the frequency that was keyed, and who hears it why (receiveType of the voice event). */
export interface Route {
  talker: number;
  frequency: string;
  digital: boolean;
  legs: { user: number; frequency: string; receiveType: string; patchId?: string; signal?: number }[];
}

export interface Answer {
  error?: { kind: string; field?: string; message: string };
  status?: number; // of a REST route
  messages: Message[]; // to be delivered in order, also after a refusal
  closed?: number[]; // whose connections end, once they have their messages
  reply?: unknown; // the ack of an event, the body of a route
  routes?: Route[]; // who hears whom, if that has changed
  wake: number; // when to call tick, ms since the epoch; 0: no timer
}

/** What a radio starts from: a snapshot, or a configuration alone. */
export interface Start {
  config: unknown;
  data?: unknown;
  bytes?: Record<string, string>;
}

export interface Hashes {
  state: string;
  config: string;
  transcript?: string;
}

/** What a View may be asked for. */
export type Kind = "status" | "config" | "tones" | "patches" | "player";

type Calls = "new" | "apply" | "command" | "view" | "snapshot" | "hash";

type Exports = Record<Calls | "room", (n: number) => number> & {
  memory: WebAssembly.Memory;
  _initialize(): void;
  answer(): number;
  tick(now: number): number;
};

/** One module with at most one radio in it. A trap (an exception) ends it. */
export class Core {
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder();

  private constructor(private readonly wasm: Exports) {}

  /**
   * Starts a module. Unless given, clock and randomness are fixed ones: nothing that
   * a radio does depends on them.
   */
  static async load(source: Response | Promise<Response> | BufferSource | WebAssembly.Module, sources?: Sources): Promise<Core> {
    const memory: { at?: WebAssembly.Memory } = {};
    const imports = wasi(() => memory.at as WebAssembly.Memory, sources);
    let instance: WebAssembly.Instance;
    const from = await source;
    if (from instanceof WebAssembly.Module) {
      instance = await WebAssembly.instantiate(from, imports);
    } else if (from instanceof Response) {
      if (!from.ok) throw new Error(`${from.url}: ${from.status} ${from.statusText}`);
      // Some static servers do not send the type that streaming needs.
      const streams = from.headers.get("Content-Type") === "application/wasm";
      const made = streams ? WebAssembly.instantiateStreaming(from, imports) : WebAssembly.instantiate(await from.arrayBuffer(), imports);
      instance = (await made).instance;
    } else {
      instance = (await WebAssembly.instantiate(from, imports)).instance;
    }
    const wasm = instance.exports as unknown as Exports;
    memory.at = wasm.memory;
    wasm._initialize();
    return new Core(wasm);
  }

  /** Makes a radio in place of the one before. */
  start(start: Start, transcript = false): void {
    this.must(this.ask("new", { start, transcript }) as Answer);
  }

  apply(request: Request): Answer {
    return this.ask("apply", request) as Answer;
  }

  command(order: Order): Answer {
    return this.ask("command", order) as Answer;
  }

  /** Lets time pass until now, in ms since the epoch. */
  tick(now: number): Answer {
    return JSON.parse(this.read(this.wasm.tick(now))) as Answer;
  }

  /** Reads the radio; at counts for status, user for player. */
  view(kind: Kind, at = 0, user = 0): unknown {
    const reply = this.ask("view", { kind, at, user }) as { view: unknown; error?: Answer["error"] };
    this.must(reply);
    return reply.view;
  }

  snapshot(): Start {
    return this.ask("snapshot") as Start;
  }

  hash(): Hashes {
    return this.ask("hash") as Hashes;
  }

  /** Calls a function of the module with JSON text, and returns its JSON text. */
  call(name: Calls, json = ""): string {
    const bytes = this.encoder.encode(json);
    const at = this.wasm.room(bytes.length) >>> 0;
    if (at === 0) throw new Error(`a request of ${bytes.length} bytes is too large`);
    // The memory may have grown, so its buffer is looked up again after each call.
    new Uint8Array(this.wasm.memory.buffer).set(bytes, at);
    return this.read(this.wasm[name](bytes.length));
  }

  private ask(name: Calls, value?: unknown): unknown {
    return JSON.parse(this.call(name, value === undefined ? "" : JSON.stringify(value)));
  }

  private read(length: number): string {
    return this.decoder.decode(new Uint8Array(this.wasm.memory.buffer, this.wasm.answer() >>> 0, length >>> 0));
  }

  private must(reply: { error?: Answer["error"] }): void {
    if (reply.error) throw new Error(reply.error.message);
  }
}
