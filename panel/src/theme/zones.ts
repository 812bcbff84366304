// The zones as themes see them: each channel with who is on it.

import { homeOf, type Live, nameOf, type Panic, type Radio, shown } from "../state/radio";
import type { ConfigChannel } from "../wire.gen";
import type { Channel, Zone, ZoneUser } from "./table.gen";

interface Known {
  config: ConfigChannel;
  live: readonly Live[];
  channel: Channel;
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean => a.length === b.length && a.every((x, i) => x === b[i]);

/**
 * Makes the zones, and remembers them: what has not changed is the same object again, so
 * that whoever asks on every change of a busy radio does little, and sees by the object
 * whether anything has changed.
 */
export class Zones {
  #radio: Radio | null = null;
  #zones: readonly Zone[] = [];
  #known = new Map<string, Known>();

  of(radio: Radio): readonly Zone[] {
    const before = this.#radio;
    if (before && before.zones === radio.zones && before.live === radio.live && before.users === radio.users && before.panics === radio.panics) return this.#zones;
    this.#radio = radio;
    const people = before?.users !== radio.users || before.panics !== radio.panics;
    const on = new Map<string, Live[]>();
    for (const l of Object.values(radio.live)) {
      const home = homeOf(radio, l.frequency);
      const there = on.get(home);
      if (there) there.push(l);
      else on.set(home, [l]);
    }
    const known = new Map<string, Known>();
    const zones = radio.zones.map((zone): Zone => ({
      id: zone.id,
      name: zone.name,
      channels: zone.channels.map((config) => {
        const live = on.get(config.frequency) ?? [];
        let now = known.get(config.frequency);
        if (!now) {
          const then = this.#known.get(config.frequency);
          const channel = then && !people && then.config === config && sameItems(then.live, live) ? then.channel : channelOf(radio, config, live);
          now = { config, live, channel: then && same(then.channel, channel) ? then.channel : channel };
          known.set(config.frequency, now);
        }
        return now.channel;
      }),
    }));
    this.#known = known;
    if (before?.zones !== radio.zones || zones.some((z, i) => !sameItems(z.channels, this.#zones[i]!.channels))) this.#zones = zones;
    return this.#zones;
  }
}

function channelOf(radio: Radio, config: ConfigChannel, live: readonly Live[]): Channel {
  const { frequency } = config;
  const talking = new Set(live.flatMap((l) => l.talkers.map((t) => t.id)));
  const speakers = [...new Set(live.flatMap((l) => l.speakers))].sort((a, b) => a - b);
  return {
    id: config.id,
    frequency,
    name: config.name,
    type: config.type as Channel["type"],
    canTransmit: config.canTransmit,
    listeners: new Set(live.flatMap((l) => l.listeners)).size,
    users: speakers.map((id) => userOf(radio, id, talking.has(id), panics(radio, frequency))),
    display: shown(radio, frequency),
  };
}

const panics = (radio: Radio, frequency: string): readonly Panic[] => radio.panics.filter((p) => homeOf(radio, p.frequency) === frequency);

function userOf(radio: Radio, id: number, transmitting: boolean, here: readonly Panic[]): ZoneUser {
  const { nacId = null, unitId = null } = radio.users[id] ?? {};
  return { id: String(id), name: nameOf(radio, id), nacId, unitId, transmitting, panic: here.some((p) => p.id === id) };
}

const same = (a: Channel, b: Channel): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
