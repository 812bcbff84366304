import { initial, type State } from "./state";

/** Longest wait for a redraw while no frames are drawn (hidden tab), ms. */
const hiddenDraw = 250;

interface Watcher {
  f(now: State, before: State): void;
}

/**
 * The one store. A change shows in now at once; the view sees all changes together,
 * once per animation frame.
 */
export class Store {
  #shown = $state.raw<State>(initial);
  #now: State = initial;
  #waiting = false;
  #hidden: ReturnType<typeof setTimeout> | undefined;
  readonly #watchers = new Set<Watcher>();

  /** The state as it is drawn. Views read this. */
  get shown(): State {
    return this.#shown;
  }

  /** The state as it is. Actions read this. */
  get now(): State {
    return this.#now;
  }

  change(f: (s: State) => State): void {
    const before = this.#now;
    this.#now = f(before);
    if (this.#now === before) return;
    for (const w of this.#watchers) w.f(this.#now, before);
    if (this.#waiting) return;
    this.#waiting = true;
    if (document.visibilityState === "visible") requestAnimationFrame(this.#draw);
    this.#hidden = setTimeout(this.#draw, hiddenDraw); // in case the tab is hidden meanwhile and frames stop
  }

  /**
   * Calls f after every change, not batched, until the function that it returns is
   * called. For what is not drawn: sound, memory.
   */
  watch(f: (now: State, before: State) => void): () => void {
    const watcher: Watcher = { f }; // the same function may watch twice
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  #draw = (): void => {
    if (!this.#waiting) return;
    this.#waiting = false;
    clearTimeout(this.#hidden);
    this.#shown = this.#now;
  };
}
