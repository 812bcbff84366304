import type { Ports } from "../ports";
import { channelsIn, reordered } from "../state/arrangement";
import type { Density, Desk, Layout } from "../state/desk";
import { layoutCount, readLayouts } from "../state/memory";
import type { Radio } from "../state/radio";
import { retune } from "./retune";

const change = (p: Ports, more: Partial<Desk>): void =>
  p.store.change((s) => ({
    ...s,
    desk: { ...s.desk, ...more },
    screen: { ...s.screen, editing: null, arranged: s.screen.arranged + 1, fitted: s.screen.fitted + 1 },
  }));

/** The layouts that administrators have published. */
export function publishedLayouts(radio: Radio): Layout[] {
  return readLayouts((radio.config as { layouts?: unknown } | null)?.layouts);
}

/** The desk as it stands, as a layout of that name. */
export function layoutOf(desk: Desk, name: string): Layout {
  return {
    name,
    order: desk.order,
    scans: desk.scans,
    targets: [...new Set([...(desk.joined ? [desk.joined] : []), ...desk.selected])],
    filter: desk.filter,
    zoom: desk.zoom,
    density: desk.settings.density,
    rail: desk.rail,
  };
}

/** Arranges the desk as a layout says; the dispatcher's own comes before a published one of its name. */
export function useLayout(p: Ports, name: string): boolean {
  const { desk, radio } = p.store.now;
  const layout = desk.layouts.find((l) => l.name === name) ?? publishedLayouts(radio).find((l) => l.name === name);
  if (!layout) return false;
  const there = (f: string): boolean => f in radio.channels;
  const [joined = null, ...selected] = layout.targets.filter(there);
  retune(p, (d) => ({
    ...d,
    layout: name,
    order: layout.order,
    scans: Object.fromEntries(Object.entries(layout.scans).filter(([f]) => there(f))),
    joined,
    selected,
    restore: null,
    filter: layout.filter,
    zoom: layout.zoom,
    rail: layout.rail,
    settings: { ...d.settings, density: layout.density },
  }));
  change(p, {});
  return true;
}

/** Keeps the desk as it stands under that name. Returns false if there are too many. */
export function saveLayout(p: Ports, name: string): boolean {
  const { desk } = p.store.now;
  const layout = layoutOf(desk, name);
  const at = desk.layouts.findIndex((l) => l.name === name);
  if (at < 0 && desk.layouts.length >= layoutCount) return false;
  const layouts = at < 0 ? [...desk.layouts, layout] : desk.layouts.with(at, layout);
  p.store.change((s) => ({ ...s, desk: { ...s.desk, layouts, layout: name } }));
  return true;
}

/** Returns false if there is one of that name already. */
export function renameLayout(p: Ports, from: string, to: string): boolean {
  const { desk } = p.store.now;
  if (!to || desk.layouts.some((l) => l.name === to)) return false;
  const layouts = desk.layouts.map((l) => (l.name === from ? { ...l, name: to } : l));
  p.store.change((s) => ({ ...s, desk: { ...s.desk, layouts, layout: desk.layout === from ? to : desk.layout } }));
  return true;
}

/** The desk stays as it is. */
export function deleteLayout(p: Ports, name: string): void {
  p.store.change((s) => ({
    ...s,
    desk: { ...s.desk, layouts: s.desk.layouts.filter((l) => l.name !== name), layout: s.desk.layout === name ? "" : s.desk.layout },
  }));
}

export function setDensity(p: Ports, density: Density): void {
  change(p, { settings: { ...p.store.now.desk.settings, density } });
}

const editing = (p: Ports, order: string[] | null): void =>
  p.store.change((s) => ({ ...s, screen: { ...s.screen, editing: order } }));

/** From now on cards can be moved. */
export function editLayout(p: Ports): void {
  const { radio, desk } = p.store.now;
  editing(p, channelsIn(radio, "", desk.order));
}

/** Moves a card to a place among those that are shown. */
export function moveCard(p: Ports, shown: readonly string[], frequency: string, to: number): void {
  const order = p.store.now.screen.editing;
  if (order) editing(p, reordered(order, shown, frequency, to));
}

/** The order that the zones have. */
export function resetOrder(p: Ports): void {
  const { radio, screen } = p.store.now;
  if (screen.editing) editing(p, channelsIn(radio, "", []));
}

/** Keeps the new order. */
export function finishLayout(p: Ports): void {
  const order = p.store.now.screen.editing;
  if (order) change(p, { order });
}

/** Puts the cards back to where they were. */
export function cancelLayout(p: Ports): void {
  editing(p, null);
}
