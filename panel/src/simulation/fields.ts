// Checks parsed JSON. Every mistake names its field and says what is expected there:
// "steps[3].chanel: unknown field; did you mean channel?".

import { languages } from "../state/desk";
import type { Mistakes } from "./mistakes";
import { nearest } from "./nearest";

/** Reports what is wrong with the value of a field. */
export type Check = (value: unknown, field: string, wrong: Mistakes) => void;

/** The fields that an object may have. Any other is a mistake, because it would be ignored. */
export type Shape = Record<string, Check | { optional: Check }>;

/** Characters of a wrong value that are repeated. */
const mostShown = 40;

export const optional = (check: Check): { optional: Check } => ({ optional: check });

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** "must be …, not …" */
export function mustBe(what: string, value: unknown): string {
  return `must be ${what}, not ${shown(value)}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  return JSON.stringify(typeof value === "string" && value.length > mostShown ? `${value.slice(0, mostShown)}…` : value) ?? String(value);
}

/** "; did you mean …?", or what there is when nothing is near. */
export function meant(word: string, known: readonly string[], what: string): string {
  const near = nearest(word, known);
  if (near !== null) return `; did you mean ${near}?`;
  if (known.length === 0) return `; there are no ${what}`;
  return `; ${what} are ${known.slice(0, 20).join(", ")}${known.length > 20 ? ", …" : ""}`;
}

/** The name of a field of an object. */
export function inside(field: string, key: string): string {
  if (!/^[\w$]+$/.test(key) || key.length > mostShown) return `${field}[${shown(key)}]`;
  return field === "" ? key : `${field}.${key}`;
}

export function object(shape: Shape): Check {
  return (value, field, wrong) => {
    if (!isObject(value)) return wrong.add(field, mustBe("an object", value));
    const known = Object.keys(shape);
    /** Fields that are there under a wrong name. */
    const misspelt = new Set<string | null>();
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(shape, key)) continue;
      const unused = known.filter((k) => value[k] === undefined);
      misspelt.add(nearest(key, unused));
      wrong.add(inside(field, key), `unknown field${meant(key, nearest(key, unused) ? unused : known, "fields here")}`);
    }
    for (const [key, check] of Object.entries(shape)) {
      if (value[key] !== undefined) (typeof check === "function" ? check : check.optional)(value[key], inside(field, key), wrong);
      else if (typeof check === "function" && !misspelt.has(key)) wrong.add(inside(field, key), "is missing");
    }
  };
}

export function list(item: Check, least: number, most: number): Check {
  return (value, field, wrong) => {
    if (!Array.isArray(value)) return wrong.add(field, mustBe("a list", value));
    if (value.length < least) wrong.add(field, `must have at least ${least} ${least === 1 ? "entry" : "entries"}, not ${value.length}`);
    if (value.length > most) return wrong.add(field, `must have at most ${most} entries, not ${value.length}`);
    value.forEach((v, i) => item(v, `${field}[${i}]`, wrong));
  };
}

export function word(most: number): Check {
  return (value, field, wrong) => {
    if (typeof value !== "string") wrong.add(field, mustBe("a text", value));
    else if (value.trim() === "") wrong.add(field, "must not be empty");
    else if (value.length > most) wrong.add(field, `must have at most ${most} characters, not ${value.length}`);
  };
}

/** What somebody reads: a text, or one in each language. */
export function text(most: number): Check {
  const each = word(most);
  const all = object(Object.fromEntries(languages.map((l) => [l, each])));
  return (value, field, wrong) => {
    if (isObject(value)) all(value, field, wrong);
    else if (typeof value !== "string") wrong.add(field, mustBe(`a text or {${languages.map((l) => ` "${l}": …`).join(",")} }`, value));
    else each(value, field, wrong);
  };
}

export function oneOf(...words: string[]): Check {
  return (value, field, wrong) => {
    if (typeof value === "string" && words.includes(value)) return;
    const near = typeof value === "string" ? nearest(value, words) : null;
    wrong.add(field, mustBe(words.join(" or "), value) + (near === null ? "" : `; did you mean ${near}?`));
  };
}

export const flag: Check = (value, field, wrong) => {
  if (typeof value !== "boolean") wrong.add(field, mustBe("true or false", value));
};

export function number(least: number, most: number, what = "a number"): Check {
  return (value, field, wrong) => {
    if (typeof value !== "number" || !(value >= least && value <= most)) wrong.add(field, mustBe(`${what} from ${least} to ${most}`, value));
  };
}

export function whole(least: number, most: number): Check {
  return (value, field, wrong) => {
    const fits = Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
    if (!fits) wrong.add(field, mustBe(`a whole number from ${least} to ${most}`, value));
  };
}

/** A span of time, in seconds. */
export function span(most: number): Check {
  return (value, field, wrong) => {
    if (typeof value !== "number" || !(value > 0)) wrong.add(field, mustBe("a number of seconds above 0", value));
    else if (value > most) wrong.add(field, `must be at most ${most} seconds, not ${value}`);
  };
}

/** [shortest, longest], in seconds. */
export function spans(most: number): Check {
  const two = list(span(most), 2, 2);
  return (value, field, wrong) => {
    two(value, field, wrong);
    if (!wrong.sound(field)) return;
    const [a, b] = value as [number, number];
    if (a > b) wrong.add(field, `must be [shortest, longest], not [${a}, ${b}]`);
  };
}
