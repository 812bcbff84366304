// What is kept in the player's browser: the settings that Lua hands over, and where the
// radio was put on the screen.

import type { Settings } from "./message";

const settingsKey = "squelch.radio.settings";
const placeKey = "squelch.radio.place";

function read(memory: Storage, key: string): unknown {
  try {
    return JSON.parse(memory.getItem(key) ?? "null");
  } catch {
    return null; // not written by this page
  }
}

function object(v: unknown): Record<string, unknown> | null {
  return typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Record<string, unknown>) : null;
}

export function kept(memory: Storage): Settings | null {
  return object(read(memory, settingsKey));
}

export function keep(memory: Storage, settings: Settings): void {
  memory.setItem(settingsKey, JSON.stringify(settings));
}

/**
 * Where the radio's lower right corner is: how far from that of the screen, as parts of
 * its width and height, so that it stays put when the game's resolution changes.
 */
export interface Spot {
  right: number;
  bottom: number;
  /** 1: the radio's usual size. */
  scale: number;
}

/** A radio that is dragged stays reachable, and as small or large as can be used. */
export const sizes = { least: 0.6, most: 1.6 };

export function spots(memory: Storage): Record<string, Spot> {
  const all = object(read(memory, placeKey)) ?? {};
  const out: Record<string, Spot> = {};
  for (const [name, v] of Object.entries(all)) {
    const s = object(v);
    const { right, bottom, scale } = s ?? {};
    if ([right, bottom, scale].every((n) => typeof n === "number" && Number.isFinite(n))) out[name] = clamp({ right, bottom, scale } as Spot);
  }
  return out;
}

export function keepSpots(memory: Storage, all: Record<string, Spot>): void {
  memory.setItem(placeKey, JSON.stringify(all));
}

export function clamp({ right, bottom, scale }: Spot): Spot {
  const within = (v: number, least: number, most: number): number => Math.min(most, Math.max(least, v));
  return { right: within(right, 0, 0.9), bottom: within(bottom, 0, 0.85), scale: within(scale, sizes.least, sizes.most) };
}
