import type { Language } from "../../state/desk";
import { type Text, textIn } from "../text";
import { type Catalogue, en, type Key } from "./en";

let catalogue = $state.raw<Catalogue>(en);
let spoken = $state.raw<Language>("en");
let wanted: Language = "en";

/** Switches the bar to that language as soon as its texts are loaded. */
export async function speak(language: Language): Promise<void> {
  wanted = language;
  const found = language === "en" ? en : (await import("./de")).de;
  if (wanted !== language) return; // somebody has changed it meanwhile
  catalogue = found;
  spoken = language;
}

/** A text of a scenario in the user's language. */
export function tell(text: Text): string {
  return textIn(spoken, text);
}

/** The bar's text for that key in the user's language. */
export function say(key: Key, fill: Record<string, string | number> = {}): string {
  return catalogue[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}
