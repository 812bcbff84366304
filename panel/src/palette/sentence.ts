// Takes a sentence apart: what follows the verb fills the verb's blanks. Verbs and
// things are matched by themselves, so that no list of all sentences is ever made.

import { actions } from "../action/registry";
import type { Args } from "../action/schema";
import type { Language } from "../state/desk";
import { best, choicesOf, plain, type Thing, type Things } from "./find";
import { type Verb, verbs } from "./verbs";

/** How many things are tried for a blank in the middle, and for the last one. */
const tried = 4;
const last = 8;

/** The blanks of a verb, filled as far as the sentence goes. */
export interface Filled {
  args: Args;
  /** How well all of it is meant, 0 to 100. */
  rank: number;
  /** The sentence as far as it is clear, to be written on; null: it is complete. */
  more: string | null;
}

type Blank = Verb["slots"][number];

/** What the palette writes: the sentence so far, and in which language it goes on. */
interface Written {
  text: string;
  language: Language;
}

/** typed is what follows the verb, as it was typed. */
export function fill(verb: Verb, said: Written, typed: string, things: Things): Filled[] {
  const rest = typed.trim();
  return walk(verb, verb.slots, rest, things, said).filter((f) => f.rank > 0);
}

/** The beginning of a sentence about that, to be written on. */
export function begin(verb: Verb, language: Language, name?: string): string {
  const said = verb.said[language][0] ?? "";
  return name === undefined ? `${said} ` : `${said} ${name}${joint(verb, language)} `;
}

function walk(verb: Verb, slots: readonly Blank[], rest: string, things: Things, written: Written): Filled[] {
  const [slot, ...others] = slots;
  if (!slot) return rest === "" ? [{ args: {}, rank: 100, more: null }] : [];
  const typed = unjoined(verb, rest);
  if (slot.slot === "channels") return list(verb, slot, typed, things, written);
  if (typed === "") {
    if (slots.every((s) => s.optional)) return [{ args: {}, rank: 100, more: null }];
    return [{ args: {}, rank: 100, more: `${written.text} ` }];
  }
  const found = [...splits(verb, typed, others.length > 0)].flatMap(([here, after, colon]) => {
    const parted = colon === true || unjoined(verb, after) !== after;
    return values(verb, slot, here, things, others.length > 0 ? tried : last).flatMap(({ value, name, rank }) =>
      walk(verb, others, after, things, { ...written, text: `${written.text} ${name}${others.length > 0 ? joint(verb, written.language) : ""}` }).map((f) => ({
        args: { [slot.arg]: value, ...f.args },
        // Where no word parts the two, they may be one name.
        rank: Math.min(rank, f.rank) * (parted || after === "" ? 1 : 0.7),
        more: f.more,
      })),
    );
  });
  // What is not this blank may be the next one: "replay 30".
  if (slot.optional) found.push(...walk(verb, others, rest, things, written));
  return unique(found);
}

/** The same arguments once, as they are meant best. */
function unique(all: Filled[]): Filled[] {
  const seen = new Set<string>();
  return all.sort((a, b) => b.rank - a.rank).filter((f) => {
    const key = JSON.stringify([f.args, f.more === null]);
    return !seen.has(key) && seen.add(key);
  });
}

/** What stands between this blank and the next, when the palette writes it. */
function joint(verb: Verb, language: Language): string {
  const join = verb.joins?.[language][0];
  return join === undefined || join === ":" ? (join ?? "") : ` ${join}`;
}

/** The words that join, of all languages, as they are compared. */
const joins = new Map(verbs.map((verb) => [verb, Object.values(verb.joins ?? {}).flat().map(plain)]));
const joinsOf = (verb: Verb): readonly string[] => joins.get(verb) ?? [];

function unjoined(verb: Verb, typed: string): string {
  const low = plain(typed);
  const join = joinsOf(verb).find((j) => low === j || low.startsWith(`${j} `) || (j === ":" && typed.startsWith(":")));
  return join === undefined ? typed : typed.slice(join.length).trim();
}

/** Where the next blank may begin: after a word that joins the two, or anywhere. */
function* splits(verb: Verb, typed: string, divided: boolean): Iterable<[here: string, after: string, colon?: true]> {
  const colon = divided && joinsOf(verb).includes(":") ? typed.indexOf(":") : -1;
  if (colon > 0) return yield [typed.slice(0, colon).trim(), typed.slice(colon + 1).trim(), true];
  yield [typed, ""];
  if (!divided) return;
  const words = typed.split(/\s+/);
  for (let i = 1; i < words.length; i++) yield [words.slice(0, i).join(" "), words.slice(i).join(" ")];
}

interface Value {
  value: unknown;
  name: string;
  rank: number;
}

/** What may fill the blank. */
function values(verb: Verb, slot: Blank, typed: string, things: Things, most: number): Value[] {
  switch (slot.slot) {
    case "text":
      return typed === "" ? [] : [{ value: typed, name: typed, rank: 60 }];
    case "seconds":
    case "percent": {
      const number = /^(\d{1,3})\s*(s|sec|sek|sekunden|seconds|%|prozent|percent)?$/.exec(plain(typed))?.[1];
      return number === undefined ? [] : [{ value: Number(number), name: number, rank: 100 }];
    }
    case "choice":
      return named(best(choices(verb, slot.arg), plain(typed), most));
    default:
      return named(best(things[slot.slot] ?? [], plain(typed), most));
  }
}

const named = (found: { thing: Thing; rank: number }[]): Value[] => found.map((f) => ({ value: f.thing.value, name: f.thing.name, rank: f.rank }));

function choices(verb: Verb, arg: string): Thing[] {
  const of = actions.find((a) => a.id === verb.action)?.args[arg]?.of ?? [];
  return choicesOf(arg, of, verb.words ?? {});
}

/** Two or more channels, with words that join them in between. */
function list(verb: Verb, slot: Blank, typed: string, things: Things, written: Written): Filled[] {
  const words = joinsOf(verb).filter((j) => /\w/.test(j));
  const parts = typed.split(new RegExp(`\\s+(?:${words.join("|")})(?:\\s+|$)|\\s*[+&,]\\s*`, "i")).map((part) => part.trim());
  const open = parts.at(-1) === "";
  const given = open ? parts.slice(0, -1) : parts;
  const chosen = given.slice(0, -1).map((part) => best(things.channels ?? [], plain(part), 1)[0]);
  if (chosen.some((c) => c === undefined) || given.length === 0) return typed === "" ? [{ args: {}, rank: 100, more: `${written.text} ` }] : [];
  const before = chosen.filter((c) => c !== undefined);
  const and = joint(verb, written.language);
  return best(things.channels ?? [], plain(given.at(-1)!), last).flatMap((end): Filled[] => {
    const all = [...before, end];
    const args = { [slot.arg]: all.map((c) => c.thing.value) };
    const rank = Math.min(...all.map((c) => c.rank));
    if (new Set(args[slot.arg]).size < all.length) return [];
    if (all.length > 1 && !open) return [{ args, rank, more: null }];
    return [{ args, rank, more: `${written.text} ${all.map((c) => c.thing.name).join(`${and} `)}${and} ` }];
  });
}
