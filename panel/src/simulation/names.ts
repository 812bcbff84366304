import type { ConfigBody } from "../wire.gen";

/** What people call the channels and alerts of a radio, in upper or lower case. */
export class Names {
  readonly #channels = new Map<string, string>();
  readonly #alerts: ReadonlySet<string>;

  constructor({ zones, alerts }: Pick<ConfigBody, "zones" | "alerts">) {
    this.#alerts = new Set(alerts.map((a) => a.name.toLowerCase()));
    for (const c of zones.flatMap((z) => z.channels)) {
      for (const name of [c.name, c.frequency, c.display ?? c.frequency]) this.#channels.set(name.toLowerCase(), c.frequency);
    }
  }

  /** The frequency of a channel by its name, or by its frequency in either spelling; null: there is none. */
  channel(named: string): string | null {
    return this.#channels.get(named.toLowerCase()) ?? null;
  }

  alert(named: string): boolean {
    return this.#alerts.has(named.toLowerCase());
  }
}
