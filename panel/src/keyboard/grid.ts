/** How the cards of a region stand, whether they are drawn or not. */
export interface Grid {
  /** In reading order. */
  frequencies: readonly string[];
  columns: number;
  /** Brings a card into view, with the focus on it. */
  focus(frequency: string): void;
}

const grids = new WeakMap<Element, () => Grid>();

/** A Svelte action: read is asked when a key moves the focus. */
export function grid(element: HTMLElement, read: () => Grid): { update(next: () => Grid): void; destroy(): void } {
  grids.set(element, read);
  return { update: (next) => void grids.set(element, next), destroy: () => void grids.delete(element) };
}

export function gridOf(element: Element): Grid | null {
  return grids.get(element)?.() ?? null;
}

export type Way = "left" | "right" | "up" | "down" | "first" | "last";

/** The place that a step leads to; the same one at an edge. From nowhere (-1) every step leads to the first. */
export function stepped(at: number, count: number, columns: number, way: Way): number {
  if (count === 0) return -1;
  if (way === "first") return 0;
  if (way === "last") return count - 1;
  if (at < 0) return 0;
  const to = at + { left: -1, right: 1, up: -columns, down: columns }[way];
  if (to < 0) return at;
  if (to < count) return to;
  // A shorter last row is reached from above, by its last card.
  return way === "down" && Math.floor(at / columns) < Math.floor((count - 1) / columns) ? count - 1 : at;
}
