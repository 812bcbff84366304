import { type Level, levelOf, touch } from "../state/desk";
import type { Ports } from "../ports";

/** Volume, pan and mute of one channel on this desk. */
export function setLevel(p: Ports, frequency: string, more: Partial<Level>): void {
  p.store.change((s) => {
    const desk = touch(s.desk, frequency);
    return { ...s, desk: { ...desk, levels: { ...desk.levels, [frequency]: { ...levelOf(desk, frequency), ...more } } } };
  });
}

export function toggleMute(p: Ports, frequency: string): void {
  setLevel(p, frequency, { muted: !levelOf(p.store.now.desk, frequency).muted });
}

/** Louder or quieter by a step; a muted channel is heard again when it is made louder. */
export function stepVolume(p: Ports, frequency: string, by: number): void {
  const { volume, muted } = levelOf(p.store.now.desk, frequency);
  const next = Math.round(Math.min(1, Math.max(0, volume + by)) * 100) / 100;
  setLevel(p, frequency, { volume: next, muted: by > 0 ? false : muted });
}
