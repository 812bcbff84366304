// What the program around the sandbox does for it: goja in the service's program, or
// a page in a browser.

/** The program around the sandbox. */
export interface Host {
  /** A function of core.wasm: JSON text in, JSON text out; "tick" takes the moment. */
  core(name: string, json: string): string;
  /** Calls f from the outside, when everything that waits for promises is done. */
  later(f: () => void): void;
  /** Runs a script in the global scope, as if it were a file of that name. Throws what it throws. */
  script(name: string, source: string): void;
  /** Promises that were rejected, and that nobody has taken since the last question. */
  unhandled(): unknown[];
  /** Keeps an entry of the transcript, as JSON text. */
  note(entry: string): void;
}

/** What is to be run. */
export interface Job {
  slug: string;
  build: string;
  /** The theme's script, and its test; "": it has none. */
  script: string;
  test: string;
}

/** What came of it. The transcript is with the host. */
export interface Outcome {
  /** False: the theme threw, one of its tests failed, or something is left of it. */
  ok: boolean;
  /** Why not, in a sentence; "": it is. */
  why: string;
  tests: { name: string; ok: boolean }[];
}
