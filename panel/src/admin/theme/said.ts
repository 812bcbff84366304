// What the service says of a theme, in the page's language. Only fixed sentences: what
// names something of the theme stays as the service says it.
import { en, type AdminKey } from "../../i18n/admin/en";
import type { Say } from "../say";

const known = new Map((Object.keys(en) as AdminKey[]).filter((k) => k.startsWith("said.")).map((k) => [en[k] as string, k]));

/** keyOf is the key of a sentence of the service; undefined: this page does not know it. */
export const keyOf = (text: string): AdminKey | undefined => known.get(text);

/** said is a sentence of the service in the page's language, or as it is. */
export function said(say: Say, text: string): string {
  const key = known.get(text);
  return key === undefined ? text : say.t(key);
}
