import type { Mistake } from "../mistakes";

/** What the bar opens below it. */
export const tabs = ["scenarios", "units", "captions", "report"] as const;
export type Tab = (typeof tabs)[number];

/** What is wrong with what was opened last; name "": nothing. */
export interface Refused {
  name: string;
  /** Of a scenario file. */
  list: readonly Mistake[];
  /** Mistakes beyond those. */
  more: number;
  /** In other words, for what is no list. */
  why: string;
}

export const blank: Refused = { name: "", list: [], more: 0, why: "" };
