/**
 * The time of a simulation: it begins at a moment and runs rate times as fast as the
 * computer's clock. Rate 0 is a pause.
 */
export class Clock {
  #rate = 1;
  /** Both clocks at the last change. */
  #here: number;
  #there: number;

  /** computer returns ms that never go back. */
  constructor(
    moment: number,
    private readonly computer: () => number = () => performance.now(),
  ) {
    this.#here = moment;
    this.#there = computer();
  }

  get rate(): number {
    return this.#rate;
  }

  /** Whole ms since the epoch. */
  now(): number {
    return Math.floor(this.#here + (this.computer() - this.#there) * this.#rate);
  }

  setRate(rate: number): void {
    this.#set(this.now());
    this.#rate = rate;
  }

  /** Goes on from a later moment; an earlier one changes nothing. */
  jump(moment: number): void {
    this.#set(Math.max(moment, this.now()));
  }

  #set(moment: number): void {
    this.#here = moment;
    this.#there = this.computer();
  }
}
