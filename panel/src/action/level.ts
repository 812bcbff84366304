import { type Level, levelOf } from "../state/desk";
import type { Panel } from "../panel";

/** Volume, pan and mute of one channel on this desk. */
export function setLevel(p: Panel, frequency: string, more: Partial<Level>): void {
  p.store.change((s) => ({
    ...s,
    desk: { ...s.desk, levels: { ...s.desk.levels, [frequency]: { ...levelOf(s.desk, frequency), ...more } } },
  }));
}

export function toggleMute(p: Panel, frequency: string): void {
  setLevel(p, frequency, { muted: !levelOf(p.store.now.desk, frequency).muted });
}
