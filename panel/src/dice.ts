/** A seeded source of chance: the same seed, the same throws (mulberry32, public domain). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  between(a: number, b: number): number {
    return a + (b - a) * this.next();
  }

  pick<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.next() * of.length)];
  }
}
