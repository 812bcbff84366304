/** How far a meter may be from its value before it is drawn again, 0 to 1. */
const step = 1 / 64;

interface Meter {
  element: HTMLElement;
  read: () => number;
  shown: number;
}

const meters = new Set<Meter>();
let running = false;

/** One loop of animation frames draws every meter, without the framework. */
function draw(): void {
  if (meters.size === 0) {
    running = false;
    return;
  }
  for (const m of meters) {
    const value = m.read();
    if (Math.abs(value - m.shown) < step && !(value === 0 && m.shown !== 0)) continue;
    m.shown = value;
    m.element.style.transform = `scaleX(${value.toFixed(3)})`;
  }
  requestAnimationFrame(draw);
}

/** A Svelte action for the bar of a meter: read returns 0 to 1. */
export function meter(element: HTMLElement, read: () => number): { destroy(): void } {
  const m: Meter = { element, read, shown: -1 };
  meters.add(m);
  if (!running) {
    running = true;
    requestAnimationFrame(draw);
  }
  return { destroy: () => void meters.delete(m) };
}
