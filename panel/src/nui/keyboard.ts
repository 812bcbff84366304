// Keys while the radio has the keyboard. The game's own key bindings are silent then, so
// the space bar talks.

import type { Action } from "./message";
import type { Screen } from "./screen.svelte";

const keys: Record<string, Action> = {
  ArrowUp: "channel_up",
  ArrowDown: "channel_down",
  ArrowRight: "zone_up",
  ArrowLeft: "zone_down",
  Escape: "close",
  Backspace: "close",
  s: "scan",
  g: "gps",
  e: "earbuds",
  n: "night",
  p: "power",
};
/** Keys that turn the volume, with their steps. */
const turns: Record<string, number> = { "+": 1, "=": 1, PageUp: 1, "-": -1, PageDown: -1 };

let held = false;

/** onkey takes a key; null: the keyboard is gone, and with it the key that was held. */
export function onkey(screen: Pick<Screen, "press" | "turn" | "view">, e: KeyboardEvent | null): void {
  if (e === null || (e.type === "keyup" && e.key === " ")) {
    if (held) screen.press("ptt_up");
    held = false;
    return;
  }
  if (e.type !== "keydown" || e.defaultPrevented || !screen.view.focus || e.ctrlKey || e.altKey || e.metaKey) return;
  const action = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  const steps = turns[e.key];
  if (e.key === " ") {
    if (!e.repeat && !held) screen.press("ptt_down");
    held = true;
  } else if (steps !== undefined) {
    if (screen.view.power) screen.turn(e.shiftKey && e.key !== "+" ? "toneVolume" : "volume", steps);
  } else if (action !== undefined) {
    // Held arrows walk through the channels; everything else acts once.
    if (!e.repeat || e.key.startsWith("Arrow")) screen.press(action);
  } else return;
  e.preventDefault();
}
