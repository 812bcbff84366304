// When the gate behind the encoder lets frames through. Pure; gate.worker.ts wraps it.

/** What the page says to the worker; close numbers the closing, last is how many of the last frames it wants. */
export type Asked = { open: true } | { open: false; close: number } | { last: number };

/** What the worker says: the number of a closing whose last frame has passed, or frames, oldest first. */
export type Passed = number | Uint8Array[];

/**
 * How old what was said before a release may be when its frame is encoded, in ms: one
 * block of the sound card, one of the encoder. The frame that comes after this is the last.
 */
export const depth = 10;

export class Passage {
  /** The closing whose last frame is awaited; null: open, or closed. */
  #closing: { number: number; at: number } | null = null;
  #open = false;

  /** passed is told the number of a closing when its last frame passes. */
  constructor(
    private readonly now: () => number,
    private readonly passed: (close: number) => void,
  ) {}

  open(): void {
    this.#open = true;
    this.#closing = null;
  }

  close(number: number): void {
    if (this.#open) this.#closing ??= { number, at: this.now() };
  }

  /** takes says whether the frame that comes now passes. */
  takes(): boolean {
    const closing = this.#closing;
    if (closing === null || this.now() - closing.at < depth) return this.#open;
    this.#open = false;
    this.#closing = null;
    this.passed(closing.number);
    return true;
  }
}

/** How many frames are kept: 2 s, longer than it takes to notice that nothing arrives any more. */
const kept = 100;

/** Kept are the last frames of the current talk that have passed, for a path that turns out to be dead. */
export class Kept {
  #frames: Uint8Array[] = [];

  add(frame: ArrayBuffer): void {
    this.#frames.push(new Uint8Array(frame.slice(0)));
    if (this.#frames.length > kept) this.#frames.shift();
  }

  clear(): void {
    this.#frames = [];
  }

  last(n: number): Uint8Array[] {
    return n > 0 ? this.#frames.slice(-n) : [];
  }
}
