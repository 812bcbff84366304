import { run } from "../action/registry";
import { close } from "../action/screen";
import type { Ports } from "../ports";
import { chordOf } from "./chord";
import { step, toDigit } from "./channels";
import { cycleRegion, rove } from "./regions";
import { anywhere, onChannel, type Shortcut } from "./table";

const field = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), select, textarea, [contenteditable=true]";

/** The keys of the console, until the function that it returns is called. */
export function listen(p: Ports): () => void {
  const end = new AbortController();
  const keyboard = new Keyboard(p);
  const endRoving = rove();
  addEventListener("keydown", (e) => keyboard.down(e), { signal: end.signal });
  addEventListener("keyup", (e) => keyboard.up(e), { signal: end.signal });
  addEventListener("blur", () => keyboard.release(), { signal: end.signal });
  return () => {
    keyboard.release();
    endRoving();
    end.abort();
  };
}

class Keyboard {
  /** The key that is held to talk on a channel. */
  #held: string | null = null;

  constructor(private readonly p: Ports) {}

  down(e: KeyboardEvent): void {
    const { session, screen } = this.p.store.now;
    if (session.phase !== "live" || e.defaultPrevented || e.isComposing) return;
    const target = e.target instanceof Element ? e.target : null;
    const bound = screen.dialog !== null || (target?.matches(field) ?? false);
    const chord = chordOf(e);
    const channels = bound ? null : (target?.closest("[data-part=channels]") ?? null);
    const here = (s: Shortcut): boolean => s.chord === chord && (s.always === true || !bound || (!screen.dialog && chord.length > 1));
    const hit =
      anywhere.some((s) => here(s) && this.#do(s, e, null)) || (channels !== null && onChannel.some((s) => s.chord === chord && this.#do(s, e, channels)));
    if (hit) e.preventDefault();
  }

  up(e: KeyboardEvent): void {
    if (e.code === this.#held) this.release();
  }

  release(): void {
    if (this.#held === null) return;
    this.#held = null;
    this.p.sound.release("key");
  }

  /** False: the key means something else now. */
  #do(s: Shortcut, e: KeyboardEvent, channels: Element | null): boolean {
    const { does } = s;
    const target = e.target instanceof Element ? e.target : null;
    // On one of a card's own keys, Enter presses that.
    if (s.chord === "Enter" && target?.matches("button:not([data-part=select])")) return false;
    if (e.repeat && !s.repeats) return true;
    const card = target?.closest<HTMLElement>("[data-part=channel-card]");
    // The region itself has the focus while the focused card is out of sight.
    const frequency = card?.dataset["frequency"] ?? (target === channels ? this.p.store.now.screen.focused : null) ?? "";
    if ("region" in does) cycleRegion(this.p, does.region);
    else if ("step" in does) step(channels!, frequency, does.step);
    else if ("digit" in does) toDigit(channels!, does.digit);
    else if ("hold" in does) this.#talk(e.code, frequency);
    else {
      const args = does.args ? does.args(this.p, frequency) : {};
      if (args === null) return false;
      if (this.p.store.now.screen.dialog && does.action === "emergency.answer") close(this.p); // it leads to a card
      run(this.p, does.action, args);
    }
    return true;
  }

  #talk(code: string, frequency: string): void {
    if (this.#held !== null || !frequency) return;
    this.#held = code;
    this.p.sound.press({ kind: "channel", frequency }, "key");
  }
}
