// Texts of one language: what the page's parts say it with. Only pure functions.
import type { AdminCatalogue, AdminKey } from "../i18n/admin/en";

export type Fill = Record<string, string | number>;

export interface Say {
  language: string;
  /** t is the text for that key, with {name} filled in. */
  t(key: AdminKey, fill?: Fill): string;
  /** tx is t for keys that are put together at run time; an unknown key gives or. */
  tx(key: string, or: string, fill?: Fill): string;
  /** n is the text for that many, of the keys that end with ".one" and ".other". */
  n(key: string, count: number, fill?: Fill): string;
  /** moment is a point in time, ms, as a reader of this language writes it. */
  moment(ms: number): string;
}

export function sayer(catalogue: AdminCatalogue, language: string): Say {
  const tx = (key: string, or: string, fill: Fill = {}): string => ((catalogue as Record<string, string>)[key] ?? or).replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
  const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  return {
    language,
    tx,
    t: (key, fill) => tx(key, key, fill),
    n: (key, count, fill) => tx(`${key}.${count === 1 ? "one" : "other"}`, key, { n: count, ...fill }),
    moment: (ms) => dates.format(ms),
  };
}
