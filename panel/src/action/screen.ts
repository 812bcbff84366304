import type { Ports } from "../ports";
import { type RailSize, railWidths } from "../state/desk";
import type { LogKind } from "../state/entry";
import { homeOf } from "../state/radio";
import type { DeskTab, DialogName, Drawer, RailTab, State, Tab } from "../state/state";

const screen = (p: Ports, more: Partial<State["screen"]>): void =>
  p.store.change((s) => ({ ...s, screen: { ...s.screen, ...more } }));

export function open(p: Ports, name: DialogName, about: { frequency?: string; id?: number } = {}): void {
  screen(p, { dialog: { name, ...about } });
}

export function close(p: Ports): void {
  screen(p, { dialog: null });
}

export function focusCard(p: Ports, frequency: string | null): void {
  if (p.store.now.screen.focused !== frequency) screen(p, { focused: frequency });
}

export function filterLog(p: Ports, filter: string): void {
  screen(p, { filter });
}

/** Which kind of entries the log shows. */
export function showKind(p: Ports, logKind: LogKind | "all"): void {
  screen(p, { logKind });
}

export function showRail(p: Ports, rail: RailTab): void {
  screen(p, { rail });
}

export function showDesk(p: Ports, desk: DeskTab): void {
  screen(p, { desk });
}

/** Sizes the rail; it is kept with the desk. */
export function sizeRail(p: Ports, more: Partial<RailSize>): void {
  p.store.change((s) => {
    const rail = { ...s.desk.rail, ...more };
    rail.width = Math.round(Math.min(railWidths.most, Math.max(railWidths.least, rail.width)));
    rail.split = Math.min(0.9, Math.max(0.1, rail.split));
    return { ...s, desk: { ...s.desk, rail } };
  });
}

export function showZone(p: Ports, zone: string): void {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, zone }, screen: { ...s.screen, arranged: s.screen.arranged + 1 } }));
}

/** What a phone shows. */
export function showTab(p: Ports, tab: Tab): void {
  screen(p, { tab, drawer: null }); // on a phone the drawer covers every tab
}

export function openDrawer(p: Ports, drawer: Drawer): void {
  screen(p, { drawer });
}

export function closeDrawer(p: Ports): void {
  screen(p, { drawer: null });
}

/** Brings a channel's card into view, with the focus on it. */
export function showChannel(p: Ports, frequency: string): void {
  const { radio, desk } = p.store.now;
  const home = homeOf(radio, frequency);
  if (desk.zone !== "" && !radio.zones.some((z) => z.id === desk.zone && z.channels.some((c) => c.frequency === home))) showZone(p, "");
  screen(p, { shown: { frequency: home } });
}
