// The radio of a simulation: the core in its Worker, driven by a clock and used by
// everybody in turn.

import type { RemoteCore } from "../link/wasm-remote";
import type { Actor, Answer, Hashes, Message, Route } from "../link/wasm";
import type { Program } from "./api";
import { Clock } from "./clock";

/** How often to look for what is due, ms: a frame of voice. */
const lookEvery = 20;
/** How often the console's voice is reported while it talks, ms of the radio: without a report the floor is held for 2 s. */
const voiceEvery = 1_000;
/** Moments in one stretch without a pause: a program that needs more has run wild. */
const maxMoments = 100_000;

/** What the radio asks of its core. */
export type Core = Pick<RemoteCore, "apply" | "call" | "tick" | "hash" | "view" | "close">;

/** Who listens to the radio. */
export interface Ears {
  message(m: Message, at: number): void;
  routes(rows: readonly Route[], at: number): void;
  /** The clock has gone on, or the program has changed. */
  passed(): void;
  failed(problem: string): void;
}

/**
 * Everything happens in the order of its moment, whatever the computer does
 * meanwhile: what is due by itself is done at its own moment, before anything else.
 * The core has one request at a time.
 */
export class Radio {
  clock = new Clock(Date.now());
  program: Program | null = null;
  routes: readonly Route[] = [];
  #at = 0;
  #wake = 0;
  #voiced = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking = false;

  constructor(
    private readonly core: Core,
    private readonly ears: Ears,
    /** The console's id. */
    private readonly me: () => number,
  ) {}

  /** The moment at which something is being done; otherwise the clock's time. */
  now(): number {
    return this.#at;
  }

  /** Starts anew, in a turn, from a start as JSON text. The program is made once the radio is there. */
  async begin(start: string, moment: number, program: () => Promise<Program>): Promise<void> {
    const begun = JSON.parse(await this.core.call("new", `{"start":${start}}`)) as Answer;
    if (begun.error) throw new Error(`radio: ${begun.error.message}`);
    const { rate } = this.clock;
    this.clock = new Clock(moment);
    this.clock.setRate(rate);
    this.#at = moment;
    this.#wake = 0;
    this.program = null;
    this.routes = [];
    this.ears.routes([], moment);
    this.program = await program();
    this.ears.passed();
  }

  run(): void {
    this.#timer ??= setInterval(() => {
      if (this.#looking || this.clock.rate === 0) return;
      this.#looking = true;
      this.turn(async () => undefined)
        .catch((e: unknown) => this.#failed(e))
        .finally(() => (this.#looking = false));
    }, lookEvery);
  }

  /** Runs work in its turn, after what was due before. Rejects as work does. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(async () => {
      await this.#advance(this.clock.now());
      return work();
    });
    this.#queue = done.catch(() => undefined).then(() => this.ears.passed()); // reported to its caller
    return done;
  }

  /** Goes to the next moment at which something happens by itself. */
  step(): Promise<void> {
    return this.turn(async () => {
      const next = this.happens();
      if (next === null) return;
      this.clock.jump(next);
      await this.#advance(next);
    });
  }

  /** Goes on to a later moment at once, through everything that is due until then. */
  to(moment: number): Promise<void> {
    return this.turn(async () => {
      this.clock.jump(moment);
      await this.#advance(this.clock.now());
    });
  }

  /** When something that can be noticed happens by itself, ms since the epoch; null: nothing will. */
  happens(): number | null {
    return this.#first(this.program?.happens() ?? null);
  }

  /** When something has to be done. */
  #next(): number | null {
    return this.#first(this.program?.next() ?? null, this.#voice());
  }

  #first(...more: (number | null)[]): number | null {
    const due = [...more, this.#wake || null].filter((t) => t !== null);
    return due.length === 0 ? null : Math.max(this.#at, Math.min(...due));
  }

  /** When the console's voice is reported next, as a service's media plane would do; null: it does not talk. */
  #voice(): number | null {
    const me = this.me();
    const talks = !this.program?.journal && this.routes.some((r) => r.talker === me && r.frequency !== "0");
    return talks ? this.#voiced + voiceEvery : null;
  }

  async #advance(to: number): Promise<void> {
    for (let moments = 0; ; moments++) {
      const next = this.#next();
      if (next === null || next > to) break;
      if (moments === maxMoments) throw new Error("the scenario does too much in too little time");
      this.#at = next;
      if (this.#wake !== 0 && this.#wake <= next) {
        this.#wake = 0;
        this.take(await this.core.tick(next));
      }
      const voice = this.#voice();
      if (voice !== null && voice <= next) {
        this.#voiced = next;
        const user = this.me();
        await this.order(JSON.stringify({ at: next, by: { user, surface: "core" }, command: "Heard", args: { User: user } }));
      }
      const own = this.program?.next() ?? null;
      if (own !== null && own <= next) await this.program?.act(next);
    }
    this.#at = Math.max(this.#at, to);
  }

  /** A request at this moment; only in a turn, or in the program's act. */
  async ask(by: Actor, what: { event: string } | { route: string }, payload?: unknown): Promise<Answer> {
    return this.take(await this.core.apply({ at: this.#at, by, ...what, ...(payload === undefined ? {} : { payload }) }));
  }

  /** An order as JSON text, so that a journal's numbers reach the core as they were written. */
  async order(text: string): Promise<Answer> {
    return this.take(JSON.parse(await this.core.call("command", text)) as Answer);
  }

  /** Lets time pass as in a journal. */
  async tick(at: number): Promise<Answer> {
    return this.take(await this.core.tick(at));
  }

  hash(): Promise<Hashes> {
    return this.core.hash();
  }

  view(kind: "status" | "config"): Promise<unknown> {
    return this.core.view(kind, this.#at);
  }

  /** Delivers an answer's messages and routes. */
  private take(a: Answer): Answer {
    this.#wake = this.program?.journal ? 0 : a.wake;
    if (a.routes) {
      this.routes = a.routes;
      this.program?.routes(a.routes, this.#at);
      this.ears.routes(a.routes, this.#at);
    }
    for (const m of a.messages) {
      this.program?.hear(m, this.#at);
      this.ears.message(m, this.#at);
    }
    return a;
  }

  #failed(e: unknown): void {
    this.ears.failed(e instanceof Error ? e.message : String(e));
  }

  close(): void {
    clearInterval(this.#timer);
    this.core.close();
  }
}
