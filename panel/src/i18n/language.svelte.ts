import { untrack } from "svelte";
import type { Language } from "../state/desk";
import { type Catalogue, en, type Key } from "./en";

/** English is always there; other languages are fetched when needed. */
const others: Record<Exclude<Language, "en">, () => Promise<Catalogue>> = {
  de: async () => (await import("./de")).de,
};

let catalogue = $state.raw<Partial<Catalogue>>(en);
let more = $state.raw<Partial<Catalogue>>({});

/** Dialogs and sound bring their English with them. */
export function addTexts(texts: Partial<Catalogue>): void {
  more = { ...untrack(() => more), ...texts };
}

/** Returns false if the texts could not be fetched: then the language stays as it is. */
export async function setLanguage(to: Language): Promise<boolean> {
  const texts = to === "en" ? en : await others[to]().catch(() => null);
  if (!texts) return false;
  catalogue = texts;
  document.documentElement.lang = to;
  return true;
}

/** The text for that key in the user's language. */
export function t(key: Key, fill: Record<string, string | number> = {}): string {
  const text = catalogue[key] ?? more[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}

/** Keys that have a text for one and a text for any other number. */
export type Counted = Key extends infer K ? (K extends `${infer Stem}.one` ? Stem : never) : never;

/** The text for that many; {n} is the number. Both languages have one form for 1 and one for the rest. */
export function tn(key: Counted, n: number, fill: Record<string, string | number> = {}): string {
  return t(`${key}.${n === 1 ? "one" : "other"}`, { n, ...fill });
}

/** For keys that are put together at run time; an unknown key is shown as it is. */
export function tx(key: string, or: string = key): string {
  return key in catalogue || key in more ? t(key as Key) : or;
}
