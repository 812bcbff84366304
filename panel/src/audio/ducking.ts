// How much quieter a channel gets because of the others, depending on who talks.

import type { Priority } from "../state/desk";

/**
 * Cuts in dB: what an emergency takes off everything else, what a priority channel
 * takes off those below it, what not being selected costs, and what a recall takes
 * off live voice, which stays intelligible beside it.
 */
export const cut = { emergency: -24, priority: -12, unselected: -9, recall: -6 } as const;

export interface Duckable {
  emergency: boolean;
  priority: Priority;
  selected: boolean;
  /** Somebody is heard on it. */
  live: boolean;
}

/** alarmed: somebody is heard on a channel with an emergency. */
export function alarmed(channels: ReadonlyMap<string, Duckable>): boolean {
  return [...channels.values()].some((c) => c.emergency && c.live);
}

/** rank says which channels push which down: a higher rank pushes down lower ones. */
function rank(c: Duckable): number {
  if (c.emergency) return 3;
  return c.priority === 1 ? 2 : c.priority === 2 ? 1 : 0;
}

/**
 * ducked returns each channel's cut in dB. Cuts do not add up: only the deepest
 * counts, so that a channel with two reasons does not become inaudible.
 */
export function ducked(channels: ReadonlyMap<string, Duckable>): Map<string, number> {
  let top = 0;
  let chosen = false;
  for (const c of channels.values()) {
    if (c.live) top = Math.max(top, rank(c));
    chosen ||= c.selected;
  }
  const cuts = new Map<string, number>();
  for (const [frequency, c] of channels) {
    let db = 0;
    if (chosen && !c.selected && rank(c) < 3) db = cut.unselected;
    if (rank(c) < top) db = Math.min(db, top === 3 ? cut.emergency : cut.priority);
    cuts.set(frequency, db);
  }
  return cuts;
}

/** amplitude of a level in dB. */
export function amplitude(db: number): number {
  return 10 ** (db / 20);
}
