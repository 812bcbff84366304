import type { Language } from "../state/desk";

/** What somebody reads: one text for everybody, or one in each language. */
export type Text = string | Readonly<Record<Language, string>>;

export function textIn(language: Language, text: Text): string {
  return typeof text === "string" ? text : text[language];
}
