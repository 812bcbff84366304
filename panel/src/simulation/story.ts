import type { Scenario } from "./api";

/** The key of a step or task: its id or, for a step without one, its place. */
export type Key = string | number;

/** Which steps and tasks of a scenario are still to come, and which never will. */
export class Story {
  readonly #open = new Set<Key>();
  /** What begins with, or after, something. */
  readonly #after = new Map<Key, Key[]>();

  constructor(scenario: Scenario) {
    scenario.steps.forEach((s, i) => {
      const key = s.id ?? i;
      this.#open.add(key);
      if (s.after !== undefined) this.#after.set(s.after, [...(this.#after.get(s.after) ?? []), key]);
    });
    for (const t of scenario.tasks ?? []) {
      this.#open.add(t.id);
      if (typeof t.starts === "string") this.#after.set(t.starts, [...(this.#after.get(t.starts) ?? []), t.id]);
    }
  }

  done(key: Key): void {
    this.#open.delete(key);
  }

  /** It will not be done, so what comes after it will not happen either. */
  never(key: Key): void {
    this.#open.delete(key);
    for (const next of this.#after.get(key) ?? []) this.never(next);
  }

  get told(): boolean {
    return this.#open.size === 0;
  }
}
