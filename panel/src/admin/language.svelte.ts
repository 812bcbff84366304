// The page's language. English is always there; German is fetched when it is needed.
import { type AdminKey, en } from "../i18n/admin/en";
import type { Language } from "../state/desk";
import { type Fill, type Say, sayer } from "./say";

let spoken = $state.raw<Say>(sayer(en, "en"));

/** setLanguage returns false if the texts could not be fetched: then the language stays as it is. */
export async function setLanguage(to: Language): Promise<boolean> {
  const texts = to === "en" ? en : await import("../i18n/admin/de").then((m) => m.de).catch(() => undefined);
  if (texts === undefined) return false;
  spoken = sayer(texts, to);
  document.documentElement.lang = to;
  return true;
}

/** say is the language that is shown. */
export const say = (): Say => spoken;
export const t = (key: AdminKey, fill?: Fill): string => spoken.t(key, fill);
export const tx = (key: string, or: string, fill?: Fill): string => spoken.tx(key, or, fill);
export const n = (key: string, count: number, fill?: Fill): string => spoken.n(key, count, fill);
export const moment = (ms: number): string => spoken.moment(ms);
