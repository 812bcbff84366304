// When the gate behind the encoder lets frames through. Pure; gate.worker.ts wraps it.

/** What the page says to the worker; close numbers the closing. */
export type Asked = { open: true } | { open: false; close: number };

/** What the worker says: the number of a closing whose last frame has passed. */
export type Passed = number;

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
    private readonly passed: (close: Passed) => void,
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
