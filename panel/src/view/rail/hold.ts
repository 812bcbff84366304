/** How long a tone that alarms people is held before it is sent, ms. */
const holdFor = 600;
/** Tones that make people act: one does not send them by a slip of the hand. */
const alarming = /panic|pag(e|ing)|emergency|evac|mayday/i;

/** How long the key of a tone is held, ms. */
export const holdOf = (tone: string): number => (alarming.test(tone) ? holdFor : 0);

export interface Hold {
  /** ms; 0: a press is enough. */
  ms: number;
  done: () => void;
}

/**
 * Makes a button that works only when it is held, by pointer, Space or Enter. While it
 * is held it has data-holding, from which its progress is drawn.
 */
export function hold(element: HTMLElement, given: Hold): { update(h: Hold): void; destroy(): void } {
  let { ms, done } = given;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
    delete element.dataset["holding"];
  };
  const start = (): void => {
    if (timer !== undefined || element.hasAttribute("disabled")) return;
    element.dataset["holding"] = "";
    timer = setTimeout(() => {
      stop();
      done();
    }, ms);
  };
  const key = (e: KeyboardEvent): boolean => e.key === " " || e.key === "Enter";
  const events: Record<string, (e: never) => void> = {
    pointerdown: (e: PointerEvent) => ms > 0 && e.button === 0 && start(),
    pointerup: stop,
    pointerleave: stop,
    pointercancel: stop,
    blur: stop,
    contextmenu: (e: Event) => e.preventDefault(), // a long touch is a hold
    keydown: (e: KeyboardEvent) => {
      if (!key(e) || ms === 0) return;
      e.preventDefault();
      if (!e.repeat) start();
    },
    keyup: (e: KeyboardEvent) => key(e) && stop(),
    click: () => ms === 0 && done(),
  };
  for (const [name, f] of Object.entries(events)) element.addEventListener(name, f as EventListener);
  return {
    update: (h) => {
      ({ ms, done } = h);
      if (element.hasAttribute("disabled")) stop();
    },
    destroy: () => {
      stop();
      for (const [name, f] of Object.entries(events)) element.removeEventListener(name, f as EventListener);
    },
  };
}
