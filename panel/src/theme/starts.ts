// How the starts of themes went, kept in the browser: a theme that fails twice is
// switched off, also one with which the page dies.

/** Where it is kept. */
const key = "squelch.themes";
/** So many failed starts switch a theme off. */
const most = 2;
/** A start in another tab that is younger than this may still be under way, ms. */
const underWay = 5_000;

interface Kept {
  build: string;
  failed: number;
  /** Why it failed last. */
  why: string;
  /** The tab that is starting it, and since when. */
  by?: string;
  at?: number;
}

export class Starts {
  /** tab is the same after a reload. died: what is said of a start during which the page ended. */
  constructor(
    private readonly memory: Pick<Storage, "getItem" | "setItem">,
    private readonly tab: string,
    private readonly now: () => number,
    private readonly died: () => string,
  ) {}

  /** Why this build is switched off; null: it is not. */
  off(slug: string, build: string): string | null {
    const kept = this.#settled(slug, build);
    return kept && kept.failed >= most ? kept.why : null;
  }

  begin(slug: string, build: string): void {
    const kept = this.#settled(slug, build) ?? { build, failed: 0, why: "" };
    this.#keep(slug, { ...kept, by: this.tab, at: this.now() });
  }

  failed(slug: string, build: string, why: string): void {
    const kept = this.#all()[slug];
    this.#keep(slug, { build, failed: (kept?.build === build ? kept.failed : 0) + 1, why });
  }

  /** It has started, and whatever was before is forgotten. */
  done(slug: string): void {
    this.#keep(slug, null);
  }

  /** The page, or the console, goes while a theme starts: that is not its fault. */
  leave(): void {
    for (const [slug, kept] of Object.entries(this.#all())) if (kept.by === this.tab) this.#keep(slug, kept.failed > 0 ? { build: kept.build, failed: kept.failed, why: kept.why } : null);
  }

  /** What is known of this build. A start that was never over has failed: the page died of it. */
  #settled(slug: string, build: string): Kept | null {
    const kept = this.#all()[slug];
    if (!kept || kept.build !== build) return null;
    if (kept.by === undefined || (kept.by !== this.tab && this.now() - (kept.at ?? 0) < underWay)) return kept;
    this.failed(slug, build, this.died());
    return this.#all()[slug] ?? null;
  }

  #all(): Record<string, Kept> {
    try {
      const all: unknown = JSON.parse(this.memory.getItem(key) ?? "{}");
      const entries = Object.entries(typeof all === "object" && all !== null ? all : {}) as [string, Partial<Kept> | null][];
      return Object.fromEntries(entries.filter(([, k]) => typeof k?.build === "string" && typeof k.failed === "number" && typeof k.why === "string")) as Record<string, Kept>;
    } catch {
      return {}; // not written by the panel
    }
  }

  #keep(slug: string, kept: Kept | null): void {
    const { [slug]: _, ...others } = this.#all();
    try {
      this.memory.setItem(key, JSON.stringify(kept ? { ...others, [slug]: kept } : others));
    } catch {
      // a browser that keeps nothing
    }
  }
}
