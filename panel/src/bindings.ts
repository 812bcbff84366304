import type { Ports } from "./ports";
import type { PttSource, PttTarget } from "./state/ptt";
import type { PTTSettings, Settings } from "./state/desk";

/** How often gamepads are read, ms: they send no events. */
const padEvery = 20;

/** MouseEvent.button for the buttons as they are counted on mice. */
export const mouseButtons: Record<number, number> = { 3: 1, 4: 3, 5: 4 };

const textField = "input:not([type=checkbox], [type=range], [type=radio]), textarea, [contenteditable=true]";

/** While something wants presses for itself, as when a binding is chosen, they do not key. It counts how many things do. */
export const choosing = { now: 0 };

interface Bound {
  target: PttTarget;
  how: PTTSettings;
}

/** Every push-to-talk that is bound: the global one last, so that a channel's own key wins. */
export function bound(s: Settings): Bound[] {
  return [
    ...Object.entries(s.channelPTT).map(([frequency, how]): Bound => ({ target: { kind: "channel", frequency }, how })),
    ...Object.entries(s.announcementGroupPTT).map(([groupId, how]): Bound => ({ target: { kind: "group", groupId }, how })),
    { target: { kind: "global" }, how: s.globalPTT },
  ];
}

/** The codes of a binding, which may be a combination: "ControlLeft+F2". */
export const codes = (how: PTTSettings): string[] => (how.pttType === "key" && how.pttKey ? how.pttKey.split("+") : []);

/**
 * Keys, mouse buttons and gamepads press the push-to-talk. They release it when any
 * key of the combination is released, and whenever the panel may miss the release.
 * Releases count everywhere, also in text fields.
 */
export class Bindings {
  #down = new Set<string>();
  /** The binding that is held, and its source. */
  #held: { source: PttSource; how: PTTSettings } | null = null;
  /**
   * Bound gamepad buttons that were up at the last look. Only they can be pressed: a
   * button that is held while it is being bound, or since a forced release, cannot.
   */
  #up = new Set<number>();
  readonly #panel: Ports;
  readonly #end = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;

  /** held: the keys that were pressed before and are still down. */
  constructor(panel: Ports, held: Iterable<KeyboardEvent> = []) {
    this.#panel = panel;
    const { signal } = this.#end;
    const early = { capture: true, signal };
    window.addEventListener("keydown", (e) => this.#keydown(e), { signal });
    window.addEventListener("keyup", (e) => this.#keyup(e), early);
    window.addEventListener("mousedown", (e) => this.#mousedown(e), { signal });
    window.addEventListener("mouseup", (e) => this.#mouseup(e), early);
    window.addEventListener("auxclick", (e) => this.#boundButton(e.button) && e.preventDefault(), { signal });
    window.addEventListener("blur", () => this.#force("blur"), { signal });
    window.addEventListener("pagehide", () => this.#force("pagehide"), { signal });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.#force("hidden"), { signal });
    document.addEventListener(
      "focusin",
      (e) => {
        if (e.target instanceof Element && e.target.matches(textField)) this.#force("focus");
      },
      { signal },
    );
    this.#timer = setInterval(() => this.#pads(), padEvery);
    for (const e of held) this.#keydown(e);
  }

  /** At logout: what is held is released, and nothing is heard of keys any more. */
  close(): void {
    this.#release();
    this.#end.abort();
    clearInterval(this.#timer);
  }

  #all(): Bound[] {
    const { session, desk } = this.#panel.store.now;
    return session.phase === "live" && choosing.now === 0 ? bound(desk.settings) : [];
  }

  #press(source: PttSource, b: Bound): void {
    this.#held = { source, how: b.how };
    this.#panel.sound.press(b.target, source);
  }

  #release(): void {
    const held = this.#held;
    this.#held = null;
    if (held) this.#panel.sound.release(held.source);
  }

  #force(reason: "blur" | "pagehide" | "hidden" | "focus"): void {
    this.#down.clear();
    this.#held = null;
    this.#panel.sound.force(reason);
  }

  #keydown(e: KeyboardEvent): void {
    this.#down.add(e.code);
    const hit = this.#all().find(({ how }) => {
      const all = codes(how);
      return all.includes(e.code) && all.every((c) => this.#down.has(c));
    });
    if (!hit) return;
    // A key that types belongs to the text field; all others talk there too.
    if (e.key.length === 1 && e.target instanceof Element && e.target.matches(textField)) return;
    e.preventDefault();
    if (!e.repeat && !this.#held) this.#press("key", hit);
  }

  #keyup(e: KeyboardEvent): void {
    this.#down.delete(e.code);
    if (this.#held?.source === "key" && codes(this.#held.how).includes(e.code)) this.#release();
  }

  #boundButton(button: number): Bound | undefined {
    return this.#all().find(({ how }) => how.pttType === "mouse" && mouseButtons[how.pttMouseButton] === button);
  }

  #mousedown(e: MouseEvent): void {
    const hit = this.#boundButton(e.button);
    if (!hit) return;
    e.preventDefault();
    if (!this.#held) this.#press("mouse", hit);
  }

  #mouseup(e: MouseEvent): void {
    if (this.#boundButton(e.button)) e.preventDefault(); // otherwise it would go back a page
    if (this.#held?.source === "mouse" && mouseButtons[this.#held.how.pttMouseButton] === e.button) this.#release();
  }

  #pads(): void {
    const all = this.#all().filter(({ how }) => how.pttType === "gamepad");
    if (this.#held?.source !== "gamepad" && (all.length === 0 || !navigator.getGamepads)) {
      this.#up.clear();
      return;
    }
    const pads = navigator.getGamepads();
    const pressed = (button: number): boolean => pads.some((p) => p?.buttons[button]?.pressed === true);
    if (this.#held?.source === "gamepad" && !pressed(this.#held.how.pttMouseButton)) this.#release(); // an unplugged gamepad counts as released
    const hit = this.#held ? undefined : all.find(({ how }) => pressed(how.pttMouseButton) && this.#up.has(how.pttMouseButton));
    this.#up = new Set(all.map(({ how }) => how.pttMouseButton).filter((button) => !pressed(button)));
    if (hit) this.#press("gamepad", hit);
  }
}
