import { homeOf, type Radio } from "./radio";

/** The configured channel that a user speaks on; null: none. */
export function placeOf(radio: Radio, id: number): string | null {
  const homes = Object.values(radio.live).filter((l) => l.speakers.includes(id)).map((l) => homeOf(radio, l.frequency));
  return homes.find((f) => radio.channels[f]) ?? null;
}
