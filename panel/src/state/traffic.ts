import { channelName, nameOf, type Radio, type Transmission, unitOf } from "./radio";

/** The log's entries in which every word of the filter occurs: name, unit, channel, frequency. */
export function filtered(radio: Radio, filter: string): Transmission[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return radio.log;
  return radio.log.filter((x) => {
    const text = `${x.name} ${x.unitId ?? ""} ${channelName(radio, x.frequency)} ${x.frequency}`.toLowerCase();
    return words.every((w) => text.includes(w));
  });
}

export interface UnitOnAir {
  id: number;
  frequency: string | null;
  talking: boolean;
}

/** Everybody on the air, players first, by name. */
export function unitsOnAir(radio: Radio, filter: string): UnitOnAir[] {
  const at = new Map<number, UnitOnAir>();
  for (const l of Object.values(radio.live)) {
    for (const id of l.speakers) {
      const talking = l.talkers.some((t) => t.id === id);
      const known = at.get(id);
      // If a user is on both a talkgroup and its working frequency, the latter says
      // more.
      if (known?.frequency == null || l.control) at.set(id, { id, frequency: l.frequency, talking: talking || known?.talking === true });
    }
    for (const id of l.listeners) if (!at.has(id)) at.set(id, { id, frequency: null, talking: false });
  }
  const want = filter.trim().toLowerCase();
  return [...at.values()]
    .filter((u) => !want || `${nameOf(radio, u.id)} ${unitOf(radio, u.id)} ${channelName(radio, u.frequency)}`.toLowerCase().includes(want))
    .sort((a, b) => Number(a.id < 0) - Number(b.id < 0) || nameOf(radio, a.id).localeCompare(nameOf(radio, b.id)));
}
