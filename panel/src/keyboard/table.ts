// The keys of the console, in one table: what they do, and how the list of shortcuts
// shows them.

import type { Args } from "../action/schema";
import type { Key } from "../i18n/en";
import type { Ports } from "../ports";
import type { Way } from "./grid";

/** What a key does: an action of the registry, or what only the keyboard does. */
export type Does =
  | { action: string; args?: (p: Ports, frequency: string) => Args | null } // null: nothing now
  | { region: 1 | -1 }
  | { step: Way }
  | { digit: number } // focuses that card, counted from 0
  | { hold: "talk" }; // as long as it is held

export interface Shortcut {
  /** As chordOf calls them. */
  chord: string;
  /** Works while a field has the focus or a dialog is open, too. */
  always?: true;
  /** A held key does it again and again. */
  repeats?: true;
  does: Does;
  /** What the list of shortcuts says that it does; without, another line speaks of it. */
  label?: Key;
  fill?: Record<string, number>;
  /** The keys of that line, if they are not the chord. */
  shown?: string;
}

const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0];
const ofChannel = (action: string, more: Args = {}): Does => ({ action, args: (_, channel) => (channel ? { channel, ...more } : null) });

/** Anywhere in the console. */
export const anywhere: readonly Shortcut[] = [
  { chord: "F8", always: true, does: { action: "emergency.acknowledge" }, label: "keys.ackOldest" },
  { chord: "F9", always: true, does: { action: "emergency.answer" }, label: "keys.answer" },
  { chord: "Alt+A", always: true, does: { action: "alert.acknowledge-all" }, label: "keys.ack" },
  { chord: "Ctrl+K", always: true, does: { action: "palette.open" }, label: "keys.palette" },
  { chord: "F6", does: { region: 1 }, label: "keys.regions" },
  { chord: "Shift+F6", does: { region: -1 } },
  ...digits.slice(0, 9).map((n, i): Shortcut => ({
    chord: `Alt+${n}`,
    does: { action: "zone.show", args: (p) => zone(p, i) },
    ...(i === 0 ? { label: "keys.zone", shown: "Alt 1–9" } : {}),
  })),
  { chord: "Alt+L", does: { action: "latch.toggle" }, label: "keys.latch" },
  { chord: "Escape", does: { action: "drawer.close", args: (p) => (p.store.now.screen.drawer ? {} : null) } },
  { chord: "Escape", does: { action: "recall.stop", args: (p) => (p.store.now.sound.recall ? {} : null) }, label: "recall.stop", shown: "Esc" },
  { chord: "?", does: { action: "keys.open" }, label: "keys.help" },
];

function zone(p: Ports, index: number): Args | null {
  const at = p.store.now.radio.zones[index];
  return at ? { zone: at.id } : null;
}

/** With the focus among the channels (WCAG 2.1.4: a letter alone works nowhere else). */
export const onChannel: readonly Shortcut[] = [
  { chord: "ArrowLeft", repeats: true, does: { step: "left" }, label: "keys.arrows", shown: "← → ↑ ↓" },
  { chord: "ArrowRight", repeats: true, does: { step: "right" } },
  { chord: "ArrowUp", repeats: true, does: { step: "up" } },
  { chord: "ArrowDown", repeats: true, does: { step: "down" } },
  { chord: "Home", does: { step: "first" }, label: "keys.ends", shown: "Home End" },
  { chord: "End", does: { step: "last" } },
  ...digits.map((n, i): Shortcut => ({ chord: String(n), does: { digit: i }, ...(i === 0 ? { label: "keys.digits", shown: "1–9 0" } : {}) })),
  { chord: "Enter", does: ofChannel("talk.here"), label: "keys.enter" },
  { chord: "X", does: ofChannel("target.toggle"), label: "keys.x" },
  { chord: "T", does: { hold: "talk" }, label: "keys.t" },
  { chord: "M", does: ofChannel("monitor.toggle"), label: "keys.s", shown: "M P" },
  { chord: "P", does: ofChannel("monitor.priority") },
  { chord: "U", does: ofChannel("channel.mute"), label: "keys.m" },
  { chord: "+", repeats: true, does: ofChannel("channel.louder"), label: "keys.volume", shown: "+ −" },
  { chord: "=", repeats: true, does: ofChannel("channel.louder") }, // + without Shift
  { chord: "-", repeats: true, does: ofChannel("channel.quieter") },
  { chord: "R", does: ofChannel("recall.play"), label: "keys.replay" },
  { chord: "Shift+R", does: ofChannel("recall.play", { seconds: 30 }), label: "recall.last", fill: { n: 30 } },
  { chord: "A", does: ofChannel("channel.drawer"), label: "keys.a" },
  { chord: ".", does: ofChannel("channel.drawer"), label: "keys.drawer" },
];

/** Keys that the views themselves hear, for the list of shortcuts. */
export const elsewhere: readonly { title: Key; lines: readonly { shown: string; label: Key }[] }[] = [
  { title: "keys.inLog", lines: [{ shown: "J K", label: "keys.logWalk" }, { shown: "Enter", label: "keys.logReplay" }] },
  { title: "keys.onUnit", lines: [{ shown: "M", label: "keys.moveUnit" }] },
  { title: "keys.inLayout", lines: [{ shown: "Alt ← → ↑ ↓", label: "keys.moveCard" }] },
];
