import { isObject } from "./fields";

interface Channel {
  name: string;
  frequency: string;
  display?: string;
}

/** What people call the channels and alerts of a radio, in upper or lower case. */
export class Names {
  readonly #frequencies = new Map<string, string>();
  readonly #alerts: ReadonlySet<string>;
  /** Their names as the radio writes them. */
  readonly channels: readonly string[];
  readonly alerts: readonly string[];

  constructor({ zones, alerts }: { zones: readonly { channels: readonly Channel[] }[]; alerts: readonly { name: string }[] }) {
    this.alerts = alerts.map((a) => a.name);
    this.#alerts = new Set(this.alerts.map((a) => a.toLowerCase()));
    const channels = zones.flatMap((z) => z.channels);
    this.channels = channels.map((c) => c.name);
    for (const c of channels) {
      for (const name of [c.name, c.frequency, c.display ?? c.frequency, String(Number(c.frequency))]) this.#frequencies.set(name.toLowerCase(), c.frequency);
    }
  }

  /** The names in a radio of a scenario, before the core has read it; null: only the core can tell. */
  static of(radio: unknown): Names | null {
    if (!isObject(radio)) return null;
    const { zones, alerts = [] } = radio;
    const named = (x: unknown): boolean => isObject(x) && typeof x["name"] === "string";
    const channel = (x: unknown): boolean => named(x) && typeof (x as Record<string, unknown>)["frequency"] === "string";
    const zone = (x: unknown): boolean => isObject(x) && Array.isArray(x["channels"]) && x["channels"].every(channel);
    if (!Array.isArray(zones) || !zones.every(zone) || !Array.isArray(alerts) || !alerts.every(named)) return null;
    return new Names({ zones: zones as { channels: Channel[] }[], alerts: alerts as { name: string }[] });
  }

  /** The frequency of a channel by its name, or by its frequency in any spelling; null: there is none. */
  channel(named: string): string | null {
    return this.#frequencies.get(named.toLowerCase()) ?? this.#frequencies.get(String(Number(named))) ?? null;
  }

  /** What a channel is called; empty: there is none. */
  nameOf(frequency: string): string {
    return this.channels.find((name) => this.channel(name) === frequency) ?? "";
  }

  alert(named: string): boolean {
    return this.#alerts.has(named.toLowerCase());
  }
}
