/** Which way a key goes in a list. J and K walk as the arrows do. */
const ways: Record<string, "next" | "before" | "first" | "last"> = {
  ArrowDown: "next", j: "next", J: "next", ArrowUp: "before", k: "before", K: "before", Home: "first", End: "last",
};

/**
 * Moves the focus in a list by key, from item to item. False if the key is none of
 * those, or leads up from the first item: to what is above the list. Called while the
 * key goes down to the item, before the region's own arrows.
 */
export function walk(list: HTMLElement, items: string, e: KeyboardEvent): boolean {
  const way = ways[e.key];
  if (!way || e.ctrlKey || e.metaKey || e.altKey) return false;
  const all = [...list.querySelectorAll<HTMLElement>(items)];
  const here = all.findIndex((x) => x.contains(document.activeElement));
  if (way === "before" && here === 0) return false;
  const to = { next: here + 1, before: here < 0 ? 0 : here - 1, first: 0, last: all.length - 1 }[way];
  const item = all[Math.min(all.length - 1, Math.max(0, to))];
  e.preventDefault();
  if (item) item.focus();
  return true;
}
