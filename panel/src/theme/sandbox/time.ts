import { Dice } from "../../dice";
import type { Host } from "./host";

/** The moment at which every run begins: a Saturday afternoon. */
export const began = Date.UTC(2026, 2, 14, 14, 28);
/** ms between two frames. */
const frame = 16;

interface Timer {
  id: number;
  at: number;
  /** Null: only once. */
  every: number | null;
  run: () => void;
  owner: Owner;
}

/** Whose code is running: what the theme starts, it should end. */
export type Owner = "panel" | "theme";

/** A timer with a text is not run, as in a page whose policy forbids that. */
type Handler = ((...args: unknown[]) => void) | string;

/**
 * The time of a run. Nothing happens by itself: timers wait until time passes, which
 * takes no time at all, so every run is the same.
 */
export class Time {
  #now = began;
  #last = 0;
  #timers: Timer[] = [];
  #owner: Owner = "panel";

  constructor(
    private readonly host: Host,
    /** What a timer throws. */
    private readonly failed: (e: unknown) => void,
  ) {}

  /** ms since the epoch. */
  get now(): number {
    return this.#now;
  }

  /** ms since the beginning. */
  get elapsed(): number {
    return this.#now - began;
  }

  get owner(): Owner {
    return this.#owner;
  }

  /** Runs code of the panel or of the theme. */
  as<T>(owner: Owner, f: () => T): T {
    const before = this.#owner;
    this.#owner = owner;
    try {
      return f();
    } finally {
      this.#owner = before;
    }
  }

  /** Drops the timers of the theme that are waiting still, and returns how many there were. */
  dropTheme(): number {
    const all = this.#timers.length;
    this.#timers = this.#timers.filter((t) => t.owner === "panel");
    return all - this.#timers.length;
  }

  /** Drops every timer. */
  clear(): void {
    this.#timers = [];
  }

  #put(run: () => void, after: unknown, repeats: boolean): number {
    const wait = Math.max(1, Math.floor(Number(after) || 0));
    const id = ++this.#last;
    this.#arm({ id, at: this.#now + wait, every: repeats ? wait : null, run, owner: this.#owner });
    return id;
  }

  #arm(timer: Timer): void {
    let i = this.#timers.length;
    while (i > 0 && this.#timers[i - 1]!.at > timer.at) i--;
    this.#timers.splice(i, 0, timer);
  }

  drop(id: unknown): void {
    this.#timers = this.#timers.filter((t) => t.id !== id);
  }

  /** Waits until everything that waits for promises is done. */
  settle(): Promise<void> {
    return new Promise((done) => this.host.later(done));
  }

  /** Lets so many ms pass. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + Math.max(0, Math.round(ms));
    for (;;) {
      await this.settle();
      for (const e of this.host.unhandled()) this.failed(e);
      const next = this.#timers[0];
      if (!next || next.at > end) break;
      this.#now = next.at;
      this.#timers.shift();
      if (next.every !== null) this.#arm({ ...next, at: next.at + next.every });
      try {
        this.as(next.owner, next.run);
      } catch (e) {
        this.failed(e);
      }
    }
    this.#now = end;
  }

  /** Puts the clock, the timers and the random numbers of this run in the place of the real ones. */
  install(on: typeof globalThis): void {
    const time = this;
    const timer = (repeats: boolean) => (f: Handler, after?: number, ...args: unknown[]) =>
      this.#put(() => typeof f === "function" && f(...args), after, repeats);
    const clear = (id?: number): void => this.drop(id);
    const RealDate = on.Date;
    class VirtualDate extends RealDate {
      constructor(...args: []) {
        super(...(args.length === 0 ? ([time.now] as unknown as []) : args));
      }
      static override now(): number {
        return time.now;
      }
    }
    const replaced: Record<string, unknown> = {
      setTimeout: timer(false),
      setInterval: timer(true),
      clearTimeout: clear,
      clearInterval: clear,
      requestAnimationFrame: (f: (at: number) => void) => this.#put(() => f(this.elapsed), frame - (this.elapsed % frame), false),
      cancelAnimationFrame: clear,
      Date: VirtualDate,
      performance: { now: () => this.elapsed, timeOrigin: began, mark: () => undefined, measure: () => undefined },
    };
    for (const [name, value] of Object.entries(replaced)) Object.defineProperty(on, name, { value, configurable: true, writable: true });
    const dice = new Dice(1);
    on.Math.random = () => dice.next();
  }
}
