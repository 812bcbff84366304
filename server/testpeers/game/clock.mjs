// Time of the game. A test of rules moves a clock by hand; one against a running service
// follows the machine's.
export class HandClock {
  #now = 0;
  now = () => this.#now;
  advance(ms) {
    this.#now += ms;
  }
}

export class MachineClock {
  #start = performance.now();
  now = () => performance.now() - this.#start;
}
