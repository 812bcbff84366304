// What a dispatcher may mean by a name: channels, units and all else that has one.

import { publishedLayouts } from "../action/layout";
import { tx } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import { openEmergencies } from "../state/emergency";
import { channelsOf, nameOf, type Radio } from "../state/radio";
import type { Slot } from "./verbs";

/** Text as it is compared: small letters without accents, one blank between words. */
export const plain = (text: string): string => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/\s+/g, " ");

export interface Thing {
  /** The argument that it is. */
  value: string | number;
  /** As it is shown. */
  name: string;
  /** As it is compared, the words of what else it is called, and those of where it belongs. */
  plain: string;
  words: readonly string[];
  around: readonly string[];
}

function wordsOf(...texts: (string | null | undefined)[]): string[] {
  const whole = plain(texts.filter(Boolean).join(" ")).split(" ");
  return [...new Set([...whole, ...whole.flatMap((w) => w.split(/[/·,()-]+/))])].filter(Boolean); // "4A-12" is a word, and so is "12"
}

const thing = (value: string | number, name: string, ...also: (string | null | undefined)[]): Thing => ({
  value, name, plain: plain(name), words: wordsOf(name, ...also), around: [],
});

export type Things = Partial<Record<Slot, readonly Thing[]>>;

/** All that has a name now. Made once, when the palette opens. */
export function thingsOf(p: Ports): Things {
  const { radio, desk } = p.store.now;
  const { config } = radio;
  const channels = channelsOf(radio).map((c) => ({ ...thing(c.frequency, c.name, c.display, c.frequency), around: wordsOf(zoneOf(radio, c.frequency)) }));
  return {
    channel: channels,
    channels,
    unit: Object.values(radio.users).map((u) => thing(u.id, nameOf(radio, u.id), u.name, u.unitId, u.nacId, String(u.id))),
    alert: (config?.alerts ?? []).map((a) => thing(a.name, a.name)),
    tone: (config?.tones ?? []).map((x) => thing(x.name, x.name)),
    group: (config?.announcementGroups ?? []).map((g) => thing(g.id, g.name)),
    patch: radio.patches.map((x) => thing(x.id, x.label, x.id)),
    zone: radio.zones.map((z) => thing(z.id, z.name)),
    layout: [...new Set([...desk.layouts, ...publishedLayouts(radio)].map((l) => l.name))].map((name) => thing(name, name)),
    theme: (config?.themes ?? []).map((x) => thing(x.slug, x.name, x.slug)),
    emergency: openEmergencies(radio).map((e) => thing(e.id, e.name, e.unitId, radio.channels[e.frequency]?.name)),
  };
}

const zoneOf = (radio: Radio, frequency: string): string | undefined => radio.zones.find((z) => z.channels.some((c) => c.frequency === frequency))?.name;

/** The words of a choice: as they are stored, as they are shown, and as they are said. */
export function choicesOf(family: string, of: readonly string[], said: Record<string, readonly string[]>): Thing[] {
  return of.map((w) => thing(w, tx(`${family}.${w}`, w), w, ...(said[w] ?? [])));
}

/** How well a thing is meant by what was typed, 0 to 100; 0: not at all. */
export function rank(x: Thing, typed: string): number {
  if (typed === "") return 1;
  if (x.plain === typed) return 100;
  if (x.plain.startsWith(typed)) return 80;
  const words = typed.split(" ");
  if (words.every((w) => x.words.includes(w))) return 70;
  if (words.every((w) => x.words.some((v) => v.startsWith(w)))) return 50;
  if (words.every((w) => x.around.some((v) => v.startsWith(w)) || x.words.some((v) => v.startsWith(w)))) return 30;
  return words.every((w) => w.length > 1 && x.words.some((v) => v.includes(w))) ? 20 : 0;
}

export interface Found {
  thing: Thing;
  rank: number;
}

const known = new WeakMap<readonly Thing[], Map<string, Found[]>>();

/** The best of them, best first. One sentence asks for the same words again and again. */
export function best(all: readonly Thing[], typed: string, most: number): Found[] {
  let answers = known.get(all);
  if (!answers) known.set(all, (answers = new Map()));
  let found = answers.get(typed);
  if (!found) {
    found = all.map((x) => ({ thing: x, rank: rank(x, typed) })).filter((f) => f.rank > 0).sort((a, b) => b.rank - a.rank);
    answers.set(typed, found);
  }
  return found.slice(0, most);
}
