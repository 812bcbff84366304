import type { Scenario } from "./api";

/** Which steps and tasks of a scenario are still to come, and which never will. */
export class Story {
  readonly #open = new Set<string>();
  /** What begins with, or after, the end of something, by its key. */
  readonly #after = new Map<string, string[]>();

  constructor(scenario: Scenario) {
    scenario.steps.forEach((s, i) => {
      const key = stepKey(s.id, i);
      this.#open.add(key);
      if (s.after !== undefined) this.#after.set(s.after, [...(this.#after.get(s.after) ?? []), key]);
    });
    for (const t of scenario.tasks ?? []) {
      this.#open.add(t.id);
      if (typeof t.starts === "string") this.#after.set(t.starts, [...(this.#after.get(t.starts) ?? []), t.id]);
    }
  }

  done(key: string): void {
    this.#open.delete(key);
  }

  /** It will not be done: what comes after it will not come either. */
  never(key: string): void {
    this.#open.delete(key);
    for (const next of this.#after.get(key) ?? []) this.never(next);
  }

  get told(): boolean {
    return this.#open.size === 0;
  }
}

/** A step's id, or its place for one without. */
export function stepKey(id: string | undefined, place: number): string {
  return id ?? `steps[${place}]`;
}
