import type { Host } from "./host";
import type { Time } from "./time";

/** Entries that are kept. Origin: ten times what the built-in themes make. */
const maxEntries = 5_000;
/** Characters of one text. */
const maxText = 500;

/** The files of a theme as they are called in errors. */
export const scriptFile = "theme.js";
export const testFile = "theme.test.js";

export type Kind =
  | "radio" // what happens around the theme
  | "variable"
  | "class"
  | "ui" // the default UI: hidden, shown
  | "action" // what it asks of dispatch
  | "container" // what is in its container
  | "console"
  | "warning" // of the API, about a mistake that it ignores
  | "error" // what it throws
  | "check" // one of its test that does not hold
  | "test"
  | "left"; // what it has left behind

export interface Entry {
  /** ms since the run began. */
  at: number;
  kind: Kind;
  text: string;
  /** What an action gave. */
  result?: string;
  /** Where an error comes from, in the theme's own numbering. */
  file?: string;
  line?: number;
}

/** Everything that a theme does, in order. */
export class Transcript {
  #count = 0;
  /** Errors so far. */
  errors = 0;

  constructor(
    private readonly host: Host,
    private readonly time: Time,
  ) {}

  note(kind: Kind, text: string, more: Partial<Entry> = {}): void {
    if (kind === "error") this.errors++;
    if (this.#count > maxEntries) return;
    const full = this.#count++ === maxEntries;
    const entry: Entry = full
      ? { at: this.time.elapsed, kind: "warning", text: `there is more than the ${maxEntries} entries that are kept` }
      : { at: this.time.elapsed, kind, text: cut(text), ...more, ...(more.result === undefined ? {} : { result: cut(more.result) }) };
    this.host.note(JSON.stringify(entry));
  }

  /** Something that the theme's code has thrown. */
  error(where: string, e: unknown): void {
    this.note("error", `${where}: ${words(e)}`, place(e));
  }
}

/** A text, not too long. */
export function cut(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

/** An error in words that do not depend on the engine, as far as it has chosen them itself. */
export function words(e: unknown): string {
  return e instanceof Error ? `${e.name}: ${e.message}` : show(e);
}

/** Where in the theme's files an error was made: both are wrapped in one line of their own. */
function place(e: unknown): Pick<Entry, "file" | "line"> {
  const stack = e instanceof Error ? String(e.stack) : "";
  const found = /\b(theme(?:\.test)?\.js):(\d+)/.exec(stack);
  return found ? { file: found[1]!, line: Number(found[2]) - 1 } : {};
}

/** A value, short. */
export function show(value: unknown): string {
  if (typeof value === "function") return "function";
  if (typeof value === "undefined" || typeof value === "symbol" || typeof value === "bigint") return String(value);
  const name = (value as { nodeName?: unknown } | null)?.nodeName;
  if (typeof name === "string") return `<${name.toLowerCase()}>`;
  try {
    return cut(JSON.stringify(value) ?? String(value));
  } catch {
    return "an object that holds itself";
  }
}

/** As a browser's console would show it: texts as they are. */
export function line(values: readonly unknown[]): string {
  return values.map((v) => (typeof v === "string" ? v : v instanceof Error ? words(v) : show(v))).join(" ");
}
