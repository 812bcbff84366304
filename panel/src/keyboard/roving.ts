/** What takes the focus in a region. */
const focusable = "button, a[href], input, select, textarea, [tabindex]";

/** Whether an element itself uses an arrow key. */
function uses(element: Element, key: string): boolean {
  if (element instanceof HTMLSelectElement) return key === "ArrowUp" || key === "ArrowDown";
  if (!(element instanceof HTMLInputElement)) return element instanceof HTMLTextAreaElement;
  if (element.type === "checkbox" || element.type === "button") return false;
  return key === "ArrowLeft" || key === "ArrowRight" || key === "Home" || key === "End";
}

const shown = (e: HTMLElement): boolean => e.checkVisibility();
const able = (e: HTMLElement): boolean => !e.matches(":disabled, [aria-disabled=true]") && shown(e);

/** By what an element is found again after it was drawn anew. */
function keyOf(e: HTMLElement): string {
  const row = e.closest<HTMLElement>("[data-key], [data-frequency], [data-unit]");
  return [row?.dataset["key"] ?? row?.dataset["frequency"] ?? row?.dataset["unit"] ?? "", e.id, e.dataset["part"] ?? "", e.getAttribute("aria-label") ?? e.textContent].join(" ");
}

/** They hold what takes the focus. Chromium stops at one that scrolls if nothing in it is a stop. */
const holders = "ul, ol, [role=tabpanel]";
/** Menus and forms have the Tab key for themselves. */
const apart = "[popover], dialog, [data-part=drawer], form";

/** How long a change waits for others while the keyboard is elsewhere, ms: what is on the screen is measured, and the radio changes with every frame. */
const gather = 100;

/**
 * Makes a region of the console one stop of the Tab key: the arrows move inside, and
 * coming back leads to what had the focus last. Until the function that it returns is
 * called.
 */
export function roving(region: HTMLElement): () => void {
  /** What had the focus last, its key, and its place. */
  let last: HTMLElement | null = null;
  let key = "";
  let place = 0;
  /** The keyboard brought the focus here, and it has not gone elsewhere. */
  let inside = false;
  let due = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const all = (): HTMLElement[] => [...region.querySelectorAll<HTMLElement>(focusable)].filter((e) => e.closest(apart) === null && !e.matches(`[role=tablist], ${holders}`));

  /** One element, and only one, is a stop of the Tab key. */
  function settle(): void {
    due = false;
    clearTimeout(timer);
    timer = undefined;
    const items = all();
    let stop = last && region.contains(last) && able(last) ? last : null;
    // The first time one comes to the list, not to the tabs above it.
    stop ??= items.find(last === null ? (e) => e.closest("li") !== null && able(e) : (e) => keyOf(e) === key && able(e)) ?? null;
    if (!stop) {
      const ready = items.filter(able);
      stop = ready[Math.min(place, ready.length - 1)] ?? null;
    }
    for (const e of region.querySelectorAll<HTMLElement>(holders)) if (!e.hasAttribute("tabindex")) e.tabIndex = -1;
    for (const e of items) {
      const index = e === stop ? 0 : -1;
      if (e.tabIndex !== index || !e.hasAttribute("tabindex")) e.tabIndex = index;
    }
    const lost = inside && (document.activeElement === document.body || document.activeElement === null);
    if (!lost) return;
    // What had the focus is gone, and the keyboard must not be.
    if (stop) stop.focus({ preventScroll: true });
    else inside = false;
  }

  function later(): void {
    if (!inside) timer ??= setTimeout(settle, gather);
    else if (!due) {
      due = true; // at once: what has the focus may be gone
      queueMicrotask(settle);
    }
  }

  function focusin(e: FocusEvent): void {
    const element = e.target;
    if (!(element instanceof HTMLElement) || !element.matches(focusable) || element === region) return;
    if (element.closest(apart)) return;
    inside = element.matches(":focus-visible");
    last = element;
    key = keyOf(element);
    place = Math.max(0, all().filter(able).indexOf(element));
    settle();
  }

  function focusout(e: FocusEvent): void {
    // Chromium says so too when the element is removed; then it is not connected any more, or about to be.
    if (e.relatedTarget instanceof Node && !region.contains(e.relatedTarget)) inside = false;
  }

  function keydown(e: KeyboardEvent): void {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    const from = e.target;
    if (!(from instanceof HTMLElement) || from.closest(apart) || uses(from, e.key)) return;
    const items = all().filter(able);
    const at = items.indexOf(from);
    const to = target(items, from, at, e.key);
    if (!to) return;
    e.preventDefault();
    to.focus();
  }

  const watch = new MutationObserver(later);
  watch.observe(region, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden", "tabindex"] });
  region.addEventListener("focusin", focusin);
  region.addEventListener("focusout", focusout);
  region.addEventListener("keydown", keydown);
  // A press of the pointer outside takes the focus to nowhere, on purpose.
  const pressed = (e: PointerEvent): void => {
    if (e.target instanceof Node && !region.contains(e.target)) inside = false;
  };
  document.addEventListener("pointerdown", pressed, true);
  settle();
  return () => {
    clearTimeout(timer);
    watch.disconnect();
    region.removeEventListener("focusin", focusin);
    region.removeEventListener("focusout", focusout);
    region.removeEventListener("keydown", keydown);
    document.removeEventListener("pointerdown", pressed, true);
  };
}

/** Left and right walk in reading order; up and down go to what is nearest there, else past what belongs together. */
function target(items: HTMLElement[], from: HTMLElement, at: number, key: string): HTMLElement | undefined {
  switch (key) {
    case "ArrowRight":
      return items[at + 1];
    case "ArrowLeft":
      return items[at - 1];
    case "ArrowDown":
      return nearest(items, from, 1) ?? beside(items, from, at, 1);
    case "ArrowUp":
      return nearest(items, from, -1) ?? beside(items, from, at, -1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default:
      return undefined;
  }
}

/** The next after a group of keys that belong together, such as tabs, or before it. */
function beside(items: HTMLElement[], from: HTMLElement, at: number, way: 1 | -1): HTMLElement | undefined {
  const group = from.closest("[role=tablist], [role=group], [role=radiogroup], [role=toolbar]");
  let to = at + way;
  while (group && items[to] && group.contains(items[to]!)) to += way;
  return items[to];
}

/** The nearest below (1) or above (-1). */
function nearest(items: HTMLElement[], from: HTMLElement, way: 1 | -1): HTMLElement | undefined {
  const here = from.getBoundingClientRect();
  let best: HTMLElement | undefined;
  let least = Infinity;
  for (const item of items) {
    const r = item.getBoundingClientRect();
    const down = way > 0 ? r.top - here.bottom : here.top - r.bottom;
    if (item === from || down < -2) continue;
    const aside = Math.max(0, r.left - here.right, here.left - r.right);
    const far = down * 4 + aside + Math.abs(r.left - here.left) / 100;
    if (far < least) [best, least] = [item, far];
  }
  return best;
}
