import { untrack } from "svelte";
import type { Language } from "../state/desk";
import { type Catalogue, en, type Key } from "./en";

/** English is always there; other languages are fetched when somebody wants them. */
const others: Record<Exclude<Language, "en">, () => Promise<Catalogue>> = {
  de: async () => (await import("./de")).de,
};

let catalogue = $state.raw<Partial<Catalogue>>(en);
let more = $state.raw<Partial<Catalogue>>({});

/** Dialogs and sound bring their English with them. */
export function addTexts(texts: Partial<Catalogue>): void {
  more = { ...untrack(() => more), ...texts };
}

export async function setLanguage(to: Language): Promise<void> {
  catalogue = to === "en" ? en : await others[to]();
  document.documentElement.lang = to;
}

/** The text of that key in the user's language. */
export function t(key: Key, fill: Record<string, string | number> = {}): string {
  const text = catalogue[key] ?? more[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}

/** For keys that are put together at run time; an unknown one stands for itself. */
export function tx(key: string, or: string = key): string {
  return key in catalogue || key in more ? t(key as Key) : or;
}
