// Keys while the radio has the keyboard. The game hears them too, so these are keys with
// which nobody walks, drives or talks.

import type { Action } from "./message";
import type { Screen } from "./screen.svelte";

const keys: Record<string, Action> = {
  ArrowUp: "channel_up",
  ArrowDown: "channel_down",
  ArrowRight: "zone_up",
  ArrowLeft: "zone_down",
  Escape: "close",
  Backspace: "close",
};
/** Keys that turn the volume, with their steps. */
const turns: Record<string, number> = { "+": 1, "=": 1, PageUp: 1, "-": -1, PageDown: -1 };

/** onkey takes a key that went down. */
export function onkey(screen: Pick<Screen, "press" | "turn" | "view">, e: KeyboardEvent): void {
  if (e.defaultPrevented || !screen.view.focus || e.ctrlKey || e.altKey || e.metaKey) return;
  const action = keys[e.key];
  const steps = turns[e.key];
  if (steps !== undefined) {
    if (screen.view.power) screen.turn(e.shiftKey && e.key !== "+" ? "toneVolume" : "volume", steps);
  } else if (action !== undefined) {
    // Held arrows walk through the channels; everything else acts once.
    if (!e.repeat || e.key.startsWith("Arrow")) screen.press(action);
  } else return;
  e.preventDefault();
}
