import { codes, mouseButtons } from "../../bindings";
import type { PTTSettings } from "../../state/desk";

/** How often a gamepad or pedal is read, ms: they send no events. */
const padEvery = 50;

/** Tells when what is bound is pressed and released, without keying. Returns how to stop. */
export function watchPress(how: PTTSettings, onchange: (down: boolean) => void): () => void {
  const end = new AbortController();
  const { signal } = end;
  const wanted = codes(how);
  const held = new Set<string>();
  const options = { capture: true, signal };
  if (how.pttType === "key") {
    window.addEventListener("keydown", (e) => {
      if (!wanted.includes(e.code)) return;
      e.preventDefault();
      held.add(e.code);
      if (held.size === wanted.length) onchange(true);
    }, options);
    window.addEventListener("keyup", (e) => {
      if (held.delete(e.code)) onchange(false);
    }, options);
    window.addEventListener("blur", () => {
      held.clear();
      onchange(false);
    }, options);
  } else if (how.pttType === "mouse") {
    for (const [name, down] of [["mousedown", true], ["mouseup", false]] as const) {
      window.addEventListener(name, (e) => {
        if (e.button !== mouseButtons[how.pttMouseButton]) return;
        e.preventDefault();
        onchange(down);
      }, options);
    }
  } else {
    const timer = setInterval(() => onchange(navigator.getGamepads().some((p) => p?.buttons[how.pttMouseButton]?.pressed === true)), padEvery);
    signal.addEventListener("abort", () => clearInterval(timer));
  }
  return () => end.abort();
}
