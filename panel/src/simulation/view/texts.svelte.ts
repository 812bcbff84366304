import type { Language } from "../../state/desk";
import { type Catalogue, en, type Key } from "./en";

let catalogue = $state.raw<Catalogue>(en);
let wanted: Language = "en";

/** The bar speaks that language as soon as its catalogue is there. */
export async function speak(language: Language): Promise<void> {
  wanted = language;
  const found = language === "en" ? en : (await import("./de")).de;
  if (wanted === language) catalogue = found; // nobody has changed it meanwhile
}

/** The bar's text of that key in the user's language. */
export function say(key: Key, fill: Record<string, string | number> = {}): string {
  return catalogue[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}
