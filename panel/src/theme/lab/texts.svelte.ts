import { type Text, textIn } from "../../simulation/text";
import type { Language } from "../../state/desk";
import { de } from "./de";
import { en, type Key } from "./en";

const catalogues = { en, de } as const;

let spoken = $state.raw<Language>("en");

/** The lab speaks that language from now on. */
export function speak(language: Language): void {
  spoken = language;
  document.documentElement.lang = language;
}

/** What a scene shows, in the author's language. */
export const tell = (text: Text): string => textIn(spoken, text);

/** The lab's text for that key in the author's language. */
export function say(key: Key, fill: Record<string, string | number> = {}): string {
  return catalogues[spoken][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}
