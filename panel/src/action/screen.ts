import type { Panel } from "../panel";
import type { DialogName, State } from "../state/state";

const screen = (p: Panel, more: Partial<State["screen"]>): void =>
  p.store.change((s) => ({ ...s, screen: { ...s.screen, ...more } }));

export function open(p: Panel, name: DialogName, about: { frequency?: string; id?: number } = {}): void {
  screen(p, { dialog: { name, ...about } });
}

export function close(p: Panel): void {
  screen(p, { dialog: null });
}

export function focusCard(p: Panel, frequency: string | null): void {
  if (p.store.now.screen.focused !== frequency) screen(p, { focused: frequency });
}

export function filterLog(p: Panel, filter: string): void {
  screen(p, { filter });
}

export function showZone(p: Panel, zone: string): void {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, zone } }));
}
