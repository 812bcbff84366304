/** How many mistakes are told at once: more than that nobody corrects in one go. */
const most = 20;

/** One mistake in a file: in which field, and what is expected there. */
export interface Mistake {
  /** Such as "steps[3].for"; lists are counted from 0. */
  readonly field: string;
  readonly says: string;
}

/** What is wrong with a file, each mistake on a line of the message. */
export class Mistaken extends Error {
  constructor(
    readonly list: readonly Mistake[],
    /** Mistakes beyond those in the list. */
    readonly more = 0,
  ) {
    super([...list.map((m) => `${m.field}: ${m.says}`), ...(more > 0 ? [`and ${more} more`] : [])].join("\n"));
  }
}

/** Collects the mistakes of a file. */
export class Mistakes {
  readonly #all: Mistake[] = [];
  readonly #fields = new Set<string>();

  add(field: string, says: string): void {
    this.#all.push({ field, says });
    // A mistake is also one of everything around it.
    for (let f = field; f !== ""; f = f.slice(0, Math.max(0, f.lastIndexOf("."), f.lastIndexOf("[")))) this.#fields.add(f);
  }

  /** Whether a field itself has a mistake, and not only something in it. */
  has(field: string): boolean {
    return this.#all.some((m) => m.field === field);
  }

  /** Whether a field, and all that is in it, has no mistake. */
  sound(field: string): boolean {
    return !this.#fields.has(field);
  }

  /** Throws Mistaken if there are any. */
  raise(): void {
    if (this.#all.length > 0) throw new Mistaken(this.#all.slice(0, most), Math.max(0, this.#all.length - most));
  }
}
