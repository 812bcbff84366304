import { heard } from "../state/desk";
import type { Panel } from "../panel";

/** Adds a channel to those that the global PTT keys, or removes it. A selected channel is also heard. */
export function toggleSelected(p: Panel, frequency: string): void {
  const { desk } = p.store.now;
  const on = !desk.selected.includes(frequency);
  const listened = heard(desk).includes(frequency);
  p.store.change((s) => ({
    ...s,
    desk: { ...s.desk, selected: on ? [...s.desk.selected, frequency] : s.desk.selected.filter((f) => f !== frequency) },
  }));
  if (desk.joined === frequency) return;
  const listens = heard(p.store.now.desk).includes(frequency);
  if (listens && !listened) p.link.tell("addListeningChannel", frequency);
  if (!listens && listened) p.link.tell("removeListeningChannel", frequency);
}

/** The global PTT keys the joined channel only. */
export function unselectAll(p: Panel): void {
  for (const f of p.store.now.desk.selected) toggleSelected(p, f);
}
