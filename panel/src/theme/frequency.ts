import { homeOf, type Radio } from "../state/radio";

/** The configured channel that a theme means: 460.25, "460.25" and "460.250" are one. Null: there is none. */
export function frequencyOf(radio: Radio, meant: unknown): string | null {
  if (typeof meant !== "string" && typeof meant !== "number") return null;
  const text = String(meant).trim();
  const home = homeOf(radio, text);
  if (radio.channels[home]) return home;
  const number = text === "" ? NaN : Number(text);
  return Object.keys(radio.channels).find((f) => Number(f) === number || radio.channels[f]!.display === text) ?? null;
}
