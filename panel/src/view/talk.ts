import type { Ports } from "../ports";
import type { PttTarget } from "../state/ptt";

export interface Talk {
  panel: Ports;
  target: PttTarget;
}

/**
 * Makes a button a push-to-talk: it keys as long as it is held, by pointer, Space or
 * Enter, and releases however the hold ends.
 */
export function talk(element: HTMLElement, given: Talk): { update(t: Talk): void; destroy(): void } {
  let { panel, target } = given;
  let held: "pointer" | "key" | null = null;
  const press = (by: "pointer" | "key"): void => {
    if (held || element.hasAttribute("disabled")) return;
    held = by;
    panel.sound.press(target);
  };
  const release = (by: "pointer" | "key"): void => {
    if (held !== by) return;
    held = null;
    panel.sound.release();
  };
  const events: Record<string, (e: Event) => void> = {
    pointerdown: (e) => {
      if ((e as PointerEvent).button !== 0) return;
      element.setPointerCapture((e as PointerEvent).pointerId);
      press("pointer");
    },
    pointerup: () => release("pointer"),
    pointercancel: () => release("pointer"),
    lostpointercapture: () => release("pointer"),
    contextmenu: (e) => e.preventDefault(), // a long touch is a long talk
    keydown: (e) => {
      const { key, repeat } = e as KeyboardEvent;
      if (key !== " " && key !== "Enter") return;
      e.preventDefault();
      if (!repeat) press("key");
    },
    keyup: (e) => {
      if ((e as KeyboardEvent).key === " " || (e as KeyboardEvent).key === "Enter") release("key");
    },
    blur: () => release("key"),
  };
  for (const [name, f] of Object.entries(events)) element.addEventListener(name, f);
  return {
    update: (t) => ({ panel, target } = t),
    destroy: () => {
      if (held) release(held);
      for (const [name, f] of Object.entries(events)) element.removeEventListener(name, f);
    },
  };
}
