// A journal of "serve --journal", played: JSON lines, described in
// server/replaycmd/journal.

import type { Playback as Shown, Program, View } from "./api";
import type { Radio } from "./radio";

interface Step {
  at: number;
  /** The line as it is, for a command; null: time passes. */
  order: string | null;
}

interface Journal {
  name: string;
  /** JSON, as it was written. */
  start: string;
  steps: Step[];
  /** Null: the service was killed, so there is no end. */
  state: string | null;
}

/** Whether a text says that it is a journal. */
export function isJournal(text: string): boolean {
  return text.slice(0, 200).includes('"squelch":"journal"');
}

/** Reads a journal. Errors name the line. */
export function readJournal(text: string, name: string): Journal {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const line = (n: number): Record<string, unknown> => {
    const value: unknown = JSON.parse(lines[n] ?? "");
    if (typeof value !== "object" || value === null) throw new Error("must be a JSON object");
    return value as Record<string, unknown>;
  };
  const head = read(0, line);
  if (head["version"] !== 1) throw new Error(`line 1: the journal has version ${String(head["version"])}; this panel plays version 1`);
  const start = lines[0]!.slice(lines[0]!.indexOf('"start":') + '"start":'.length, -1); // its last field
  const journal: Journal = { name, start, steps: [], state: null };
  for (let n = 1; n < lines.length; n++) {
    let o: Record<string, unknown>;
    try {
      o = read(n, line);
    } catch (e) {
      if (n === lines.length - 1) break; // its last line was cut off
      throw e;
    }
    if (o["end"] === true) {
      if (o["orders"] !== journal.steps.length || n !== lines.length - 1) {
        throw new Error(`line ${n + 1}: the journal had ${String(o["orders"])} steps; this file has ${journal.steps.length}`);
      }
      journal.state = String(o["state"]);
    } else if (typeof o["at"] === "number") {
      journal.steps.push({ at: o["at"], order: "command" in o ? lines[n]! : null });
    } else {
      throw new Error(`line ${n + 1}: at is missing`);
    }
  }
  return journal;
}

function read(n: number, line: (n: number) => Record<string, unknown>): Record<string, unknown> {
  try {
    return line(n);
  } catch (e) {
    throw new Error(`line ${n + 1}: ${e instanceof Error ? e.message : String(e)}`);
  }
}

/** Gives the radio a journal's steps, each at its moment, and says at the end whether the radio is the same. */
export class Playback implements Program {
  readonly journal = true;
  #done = 0;
  #hash: string | null = null;

  constructor(
    private readonly content: Journal,
    private readonly radio: Radio,
  ) {}

  /** The moment of the first step; a journal without steps is over at once. */
  static begin(r: Journal): number {
    return r.steps[0]?.at ?? Date.now();
  }

  next(): number | null {
    const { steps } = this.content;
    if (this.#done < steps.length) return steps[this.#done]!.at;
    return this.#hash === null ? (steps.at(-1)?.at ?? 0) : null;
  }

  /** The next command; ticks are skipped. */
  happens(): number | null {
    const { steps } = this.content;
    for (let i = this.#done; i < steps.length; i++) if (steps[i]!.order !== null) return steps[i]!.at;
    return this.next();
  }

  async act(now: number): Promise<void> {
    const { steps } = this.content;
    for (let s = steps[this.#done]; s !== undefined && s.at <= now; s = steps[this.#done]) {
      this.#done++;
      if (s.order !== null) await this.radio.order(s.order);
      else await this.radio.tick(s.at);
    }
    if (this.#done === steps.length) this.#hash ??= (await this.radio.hash()).state;
  }

  hear(): void {}
  routes(): void {}
  did(): void {}

  over(): boolean {
    return this.#hash !== null;
  }

  async deed(): Promise<void> {
    throw new Error("A journal is playing: it takes no commands");
  }

  show(): Pick<View, "scenario" | "about" | "units" | "captions" | "score" | "playback" | "problem"> {
    const { name, steps, state } = this.content;
    const hash = this.#hash;
    const playback: Shown = { name, orders: this.#done, of: steps.length, hash, same: hash === null || state === null ? null : hash === state };
    return { scenario: name, about: "", units: [], captions: [], score: null, playback, problem: "" };
  }
}
