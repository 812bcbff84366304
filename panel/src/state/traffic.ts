import { openEmergency } from "./log";
import { channelName, type Live, nameOf, type Radio, unitOf } from "./radio";

export interface UnitOnAir {
  id: number;
  frequency: string | null;
  talking: boolean;
}

const known = new WeakMap<Radio["live"], ReadonlyMap<number, UnitOnAir>>();

/** Everybody on the air, by id. The same map as long as nobody comes, goes or talks. */
export function onAir(live: Radio["live"]): ReadonlyMap<number, UnitOnAir> {
  let at = known.get(live);
  if (!at) known.set(live, (at = find(live)));
  return at;
}

function find(live: Radio["live"]): Map<number, UnitOnAir> {
  const at = new Map<number, UnitOnAir>();
  const place = (l: Live, id: number): void => {
    const talking = l.talkers.some((t) => t.id === id);
    const known = at.get(id);
    // If a user is on both a talkgroup and its working frequency, the latter says
    // more.
    if (known?.frequency == null || l.control) at.set(id, { id, frequency: l.frequency, talking: talking || known?.talking === true });
  };
  for (const l of Object.values(live)) {
    for (const id of l.speakers) place(l, id);
    for (const id of l.listeners) if (!at.has(id)) at.set(id, { id, frequency: null, talking: false });
  }
  return at;
}

const collator = new Intl.Collator();

/**
 * Everybody on the air: those with an open emergency first, then players, by name. Who
 * talks keeps the place: a list that moves under the pointer cannot be used.
 */
export function unitsOnAir(radio: Radio, filter: string): UnitOnAir[] {
  const want = filter.trim().toLowerCase();
  return [...onAir(radio.live).values()]
    .map((u) => ({ u, name: nameOf(radio, u.id), calls: Number(!openEmergency(radio, u.id)) }))
    .filter(({ u, name }) => !want || `${name} ${unitOf(radio, u.id)} ${channelName(radio, u.frequency)}`.toLowerCase().includes(want))
    .sort((a, b) => a.calls - b.calls || Number(a.u.id < 0) - Number(b.u.id < 0) || collator.compare(a.name, b.name))
    .map(({ u }) => u);
}
