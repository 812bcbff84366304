// What is on the screen: the radio as Lua describes it, and where the player has put it.

import { getContext, setContext } from "svelte";
import { clamp, keepSpots, type Spot, spots } from "./keep";
import type { Action, View } from "./message";
import { after, models, off, themes } from "./picture";

/** How long a change of a volume is shown, ms. */
const levelTime = 1_400;

/** Where each form of the radio is before it was moved. */
const usual: Record<string, Spot> = {
  handheld: { right: 0.03, bottom: 0, scale: 1 },
  car: { right: 0.03, bottom: 0.03, scale: 1 },
  corner: { right: 0.015, bottom: 0.03, scale: 1 },
};

type Press = (action: Action, value?: number | string | boolean) => void;

export class Screen {
  view = $state<View>({ ...off });
  /** Which volume was just changed; null: none. */
  level = $state<"volume" | "toneVolume" | null>(null);
  /** When the hot microphone closes, ms of performance.now(); 0: it is not open. */
  hotUntil = $state(0);
  /** When the own transmission began, ms of performance.now(). */
  since = $state(0);
  /** Counts seconds, for what shows a time. */
  now = $state(performance.now());
  #spots = $state<Record<string, Spot>>({});
  #fade: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly memory: Storage,
    readonly press: Press,
    readonly retryMicrophone: () => void,
  ) {
    this.#spots = spots(memory);
    setInterval(() => {
      if (this.view.open) this.now = performance.now();
    }, 250);
  }

  show(change: Partial<View>): void {
    const { view } = this;
    if (view.power) {
      if (change.volume !== undefined && change.volume !== view.volume) this.#changed("volume");
      else if (change.toneVolume !== undefined && change.toneVolume !== view.toneVolume) this.#changed("toneVolume");
    }
    if (change.transmitting === "talking" && view.transmitting !== "talking") this.since = performance.now();
    if ("emergency" in change) {
      const hot = change.emergency?.active === true && change.emergency.hotMicMs > 0;
      if (!hot) this.hotUntil = 0;
      else if (view.emergency?.hotMicMs !== change.emergency!.hotMicMs || this.hotUntil === 0) this.hotUntil = performance.now() + change.emergency!.hotMicMs;
    }
    this.now = performance.now();
    Object.assign(view, change);
  }

  #changed(what: "volume" | "toneVolume"): void {
    this.level = what;
    clearTimeout(this.#fade);
    this.#fade = setTimeout(() => (this.level = null), levelTime);
  }

  /** turn changes a volume by steps; Lua confirms it. */
  turn(what: "volume" | "toneVolume", steps: number): void {
    const { volumeStep } = this.view;
    const step = volumeStep > 1 ? volumeStep / 100 : volumeStep || 0.05;
    const value = Math.min(1, Math.max(0, Math.round((this.view[what] + steps * step) * 1000) / 1000));
    if (value !== this.view[what]) this.show({ [what]: value });
    this.press(what === "volume" ? "volume" : "tone_volume", value);
  }

  /** next goes on to the next model, or to the next look of the display. */
  next(what: "layout" | "theme"): void {
    this.press(what, what === "layout" ? after(models, this.view.model) : after<string>(themes, this.view.theme));
  }

  spot(form: string): Spot {
    return this.#spots[form] ?? usual[form]!;
  }

  move(form: string, to: Spot): void {
    this.#spots[form] = clamp(to);
  }

  /** settle keeps where everything is; a form that is named first goes back to its usual place. */
  settle(form?: string): void {
    if (form !== undefined) delete this.#spots[form];
    keepSpots(this.memory, $state.snapshot(this.#spots));
  }
}

const key = Symbol("screen");
export const give = (s: Screen): Screen => setContext(key, s);
export const useScreen = (): Screen => getContext<Screen>(key);
