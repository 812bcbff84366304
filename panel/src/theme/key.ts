import type { Ports } from "../ports";
import { keyedBy } from "../state/pttbar";
import type { PttTarget } from "../state/ptt";

/** The push-to-talk in a theme's hand: it releases what it has pressed, and nothing else. */
export class Key {
  #pressed: PttTarget | null = null;

  constructor(private readonly ports: Ports) {}

  /** Keys the target, unless there is nothing to key, nothing to talk into, or something is keyed already. */
  press(target: PttTarget): void {
    const s = this.ports.store.now;
    const { state } = s.ptt;
    if (state === "REQUESTED" || state === "TX" || state === "DENIED") return;
    if (keyedBy(s, target).length === 0) return;
    if (!s.sound.off && !s.sound.voice.micReady) return;
    this.#pressed = target;
    this.ports.sound.press(target, "theme");
  }

  release(kind: PttTarget["kind"]): void {
    const target = this.#pressed;
    if (target?.kind !== kind) return;
    this.#pressed = null;
    const { sound, store } = this.ports;
    sound.release("theme");
    // A latched one stays when it is released, and ends with the next press.
    const { latched, source } = store.now.ptt;
    if (latched && source === "theme") sound.press(target, "theme");
  }

  /** Nothing stays keyed. */
  dispose(): void {
    if (this.#pressed) this.release(this.#pressed.kind);
  }
}
