import type { Desk, Filter } from "./desk";
import { alarming, openEmergencies } from "./emergency";
import { channelsOf, homeOf, type Radio } from "./radio";
import type { State } from "./state";

/** Those that the order names come first; the others follow as they are. */
export function ordered(all: readonly string[], order: readonly string[]): string[] {
  const known = new Set(all);
  const first = order.filter((f) => known.has(f));
  const named = new Set(first);
  return [...first, ...all.filter((f) => !named.has(f))];
}

/** The frequency at another place of the list. */
export function moved(list: readonly string[], frequency: string, to: number): string[] {
  const rest = list.filter((f) => f !== frequency);
  const at = Math.max(0, Math.min(rest.length, to));
  return [...rest.slice(0, at), frequency, ...rest.slice(at)];
}

/** The order of all cards after one of the shown ones has taken the place of another. */
export function reordered(all: readonly string[], shown: readonly string[], frequency: string, to: number): string[] {
  const place = shown[Math.max(0, Math.min(shown.length - 1, to))];
  if (place === undefined || place === frequency || !shown.includes(frequency)) return [...all];
  const at = all.indexOf(place);
  return moved(all, frequency, at); // behind a card that stood further on, in front of one that stood before
}

/** The channels of a zone, or of all, in the order of the cards. */
export function channelsIn(radio: Radio, zone: string, order: readonly string[]): string[] {
  const here = radio.zones.find((z) => z.id === zone);
  const all = (here ? here.channels : channelsOf(radio)).map((c) => c.frequency);
  return ordered([...new Set(all)], order);
}

/** The dispatcher has chosen to hear the channel, or to talk on it. */
export function chosen(desk: Desk, frequency: string): boolean {
  return frequency in desk.scans || desk.joined === frequency || desk.selected.includes(frequency);
}

/** Chosen, or heard because of an emergency. */
export function isMine(desk: Desk, frequency: string): boolean {
  return chosen(desk, frequency) || frequency in desk.auto;
}

/** Somebody talks on the channel, or needs help there. */
export function activeOn(radio: Radio): Set<string> {
  const active = Object.values(radio.live).filter((l) => l.talkers.length > 0).map((l) => homeOf(radio, l.frequency));
  return new Set([...active, ...openEmergencies(radio).filter(alarming).map((e) => homeOf(radio, e.frequency))]);
}

/** How many channels each filter shows. */
export function counts(s: State): Record<Filter, number> {
  const all = channelsIn(s.radio, s.desk.zone, []);
  const active = activeOn(s.radio);
  return { mine: all.filter((f) => isMine(s.desk, f)).length, active: all.filter((f) => active.has(f)).length, all: all.length };
}

/** What is shown: the arranged cards, and behind them those that an emergency has brought. */
export interface Shown {
  arranged: readonly string[];
  brought: readonly string[];
}

/**
 * The cards that are shown. Within one arrangement a card keeps its place: one that is no
 * longer the dispatcher's stays, one that becomes theirs goes to the end.
 */
export function shownCards(s: State, before: Shown | null): Shown {
  const all = channelsIn(s.radio, s.desk.zone, s.screen.editing ?? s.desk.order);
  if (s.desk.filter !== "mine") return { arranged: all, brought: [] };
  const now = all.filter((f) => chosen(s.desk, f));
  const arranged = before ? [...before.arranged, ...now.filter((f) => !before.arranged.includes(f))] : now;
  const there = new Set(arranged);
  const brought = all.filter((f) => f in s.desk.auto && !there.has(f));
  const kept = before ? before.brought.filter((f) => brought.includes(f)) : [];
  return { arranged, brought: [...kept, ...brought.filter((f) => !kept.includes(f))] };
}
