import { type Grid, gridOf, stepped, type Way } from "./grid";

const cards = (region: Element): HTMLElement[] => [...region.querySelectorAll<HTMLElement>("[data-part=channel-card]")];

/** The cards as the region tells; one that does not tell shows all that it has. */
function readGrid(region: Element): Grid {
  const told = gridOf(region);
  if (told) return told;
  const all = cards(region);
  const top = all[0]?.offsetTop ?? 0;
  return {
    frequencies: all.map((c) => c.dataset["frequency"] ?? ""),
    columns: Math.max(1, all.filter((c) => c.offsetTop === top).length),
    focus: (f) => all.find((c) => c.dataset["frequency"] === f)?.querySelector<HTMLElement>("[data-part=select]")?.focus(),
  };
}

/** Moves the focus among the cards. */
export function step(region: Element, frequency: string, way: Way): void {
  const grid = readGrid(region);
  const to = grid.frequencies[stepped(grid.frequencies.indexOf(frequency), grid.frequencies.length, grid.columns, way)];
  if (to !== undefined) grid.focus(to);
}

/** Focuses the card at that place, counted from 0. */
export function toDigit(region: Element, place: number): void {
  const grid = readGrid(region);
  const to = grid.frequencies[place];
  if (to !== undefined) grid.focus(to);
}
