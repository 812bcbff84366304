import type { Ports } from "../ports";
import { channelsIn, isMine } from "../state/arrangement";
import { type Zoom, zooms } from "../state/desk";
import type { State } from "../state/state";

const step = 0.05;
/** Fit leaves the console at least this wide, in rem: in less, its tools and the push-to-talk bar have no room for their words. */
const least = 84;
/** The factors that Fit chooses from: with them a rem is a whole number of pixels, and lines are sharp. */
const fitting = [2, 1.75, 1.5, 1.25, 1, 0.95, 0.9];
/** As many channels as Fit makes room for while none is the dispatcher's. */
const usual = 12;

/** What the console has room for: the window in px, all else in rem. */
export interface Room {
  width: number;
  height: number;
  /** All rows but that of the cards, together. */
  rows: number;
  rail: number;
  /** Around the cards, from both sides together. */
  padWidth: number;
  padHeight: number;
  gap: number;
  cardWidth: number;
  cardHeight: number;
}

/** How many cards stand side by side; all in the same unit. */
export function columnsIn(width: number, card: number, gap: number): number {
  return Math.max(1, Math.floor((width + gap) / (card + gap) + 1e-6));
}

/** Whether that many cards are seen at once at that zoom. */
export function fits(count: number, room: Room, zoom: number): boolean {
  const rem = 16 * zoom;
  const width = room.width - (room.rail + room.padWidth) * rem;
  const height = room.height - (room.rows + room.padHeight) * rem;
  if (width < room.cardWidth * rem) return false;
  const rows = Math.ceil(count / columnsIn(width, room.cardWidth * rem, room.gap * rem));
  return (rows * (room.cardHeight + room.gap) - room.gap) * rem <= height + 0.5;
}

/** The largest zoom at which that many cards are seen at once, and the console is wide enough; 1 if none is small enough. */
export function fit(count: number, room: Room): number {
  return fitting.find((z) => (z <= 1 || room.width >= least * 16 * z) && fits(count, room, z)) ?? 1;
}

/** How many cards Fit makes room for. */
export function toFit({ radio, desk }: State): number {
  const all = channelsIn(radio, "", []);
  return all.filter((f) => isMine(desk, f)).length || Math.min(usual, all.length) || usual;
}

/** Draws the console as large as the desk has it, or as fits. Called when the window or the layout changes, not by what happens on the radio. */
export function draw(p: Ports, room: Room): void {
  const { desk, screen } = p.store.now;
  const zoom = desk.zoom === "fit" ? fit(toFit(p.store.now), room) : desk.zoom;
  if (zoom !== screen.zoom) p.store.change((s) => ({ ...s, screen: { ...s.screen, zoom } }));
}

/** A factor is kept as it is; Fit is worked out anew. */
export function setZoom(p: Ports, zoom: Zoom): void {
  const to = zoom === "fit" ? zoom : Math.min(zooms.most, Math.max(zooms.least, Math.round(zoom * 100) / 100));
  p.store.change((s) => ({ ...s, desk: { ...s.desk, zoom: to }, screen: { ...s.screen, fitted: s.screen.fitted + 1 } }));
}

/** One step larger or smaller than now. */
export function zoomBy(p: Ports, steps: number): void {
  setZoom(p, p.store.now.screen.zoom + steps * step);
}
