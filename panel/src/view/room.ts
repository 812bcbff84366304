import type { Room } from "../action/zoom";

/** A size token in rem; themes may give it in px. */
function token(style: CSSStyleDeclaration, name: string): number {
  const value = style.getPropertyValue(name).trim();
  return (Number.parseFloat(value) || 0) / (value.endsWith("px") ? 16 : 1);
}

/** A phone has one column, and no zoom. */
export const phone = matchMedia("(max-width: 40em)");

/** The room that the tokens, and so the look, the density and the window, leave for cards. */
export function roomOf(console: HTMLElement): Room & { cardMost: number; padTop: number } {
  const style = getComputedStyle(console);
  const size = (name: string): number => token(style, `--sq-${name}`);
  const pad = size("pad");
  const padTop = size("pad-top");
  return {
    width: console.clientWidth,
    height: console.clientHeight,
    rows: size("status-height") + size("lane-height") + size("tools-height") + size("ptt-height"),
    rail: size("rail-width"),
    padWidth: 2 * pad,
    padHeight: padTop + pad,
    padTop,
    gap: size("gap"),
    cardWidth: size("card-width"),
    cardHeight: size("card-height"),
    cardMost: size("card-most"),
  };
}
