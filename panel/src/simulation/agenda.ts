/** Something to be done at a moment, in ms since the epoch. */
export interface Entry {
  readonly at: number;
  readonly run: (now: number) => Promise<void> | void;
  /** Nothing that anybody notices: a single step does not stop at it. */
  readonly silent: boolean;
}

/** What is to be done when. Entries for the same moment run in the order in which they were put. */
export class Agenda {
  #entries: Entry[] = [];

  put(at: number, run: Entry["run"], silent = false): Entry {
    const entry = { at, run, silent };
    let i = this.#entries.length;
    while (i > 0 && (this.#entries[i - 1] as Entry).at > at) i--;
    this.#entries.splice(i, 0, entry);
    return entry;
  }

  drop(entry: Entry | null): void {
    if (entry) this.#entries = this.#entries.filter((e) => e !== entry);
  }

  clear(): void {
    this.#entries = [];
  }

  next(): number | null {
    return this.#entries[0]?.at ?? null;
  }

  happens(): number | null {
    return this.#entries.find((e) => !e.silent)?.at ?? null;
  }

  /** Does what is due, including what becomes due meanwhile. */
  async act(now: number): Promise<void> {
    for (let e = this.#entries[0]; e && e.at <= now; e = this.#entries[0]) {
      this.drop(e);
      await e.run(now);
    }
  }
}
