import { showChannel } from "../action/screen";
import type { Ports } from "../ports";
import { roving } from "./roving";

/** The regions of the console by their data-part, in the order in which F6 goes around. */
export const regions = ["emergency-lane", "tools", "theme-container", "incident", "channels", "log", "desk", "ptt-bar", "theme-desk"] as const;

const part = (name: string): HTMLElement | null => document.querySelector<HTMLElement>(`[data-part=${name}]`);

/** Those that are on the screen: a phone shows some of them at a time. */
const present = (): HTMLElement[] => regions.map(part).filter((r): r is HTMLElement => r?.checkVisibility() === true);

/** Takes the focus to the next region (1) or the one before (-1), to where it was there last. */
export function cycleRegion(p: Ports, by: 1 | -1): void {
  const all = present();
  const here = all.findIndex((r) => r.contains(document.activeElement));
  const to = all[here < 0 ? (by > 0 ? 0 : all.length - 1) : (here + by + all.length) % all.length];
  if (to) enter(p, to);
}

function enter(p: Ports, region: HTMLElement): void {
  const { focused } = p.store.now.screen;
  const channels = region.dataset["part"] === "channels";
  // Known at once, while the Tab stop is drawn with the next frame.
  const last = channels && focused ? region.querySelector<HTMLElement>(`[data-frequency="${focused}"] [data-part=select]`) : null;
  if (last?.checkVisibility()) return last.focus();
  const stops = [...region.querySelectorAll<HTMLElement>("[tabindex='0'], button:not([tabindex]), input:not([tabindex]), select:not([tabindex])")];
  const stop = stops.find((e) => !e.matches(":disabled") && e.checkVisibility());
  if (stop) return stop.focus();
  if (channels && focused) return showChannel(p, focused); // it is out of sight, and not drawn
  // Nothing to press: the region itself, so that the next F6 goes on from here.
  region.tabIndex = -1;
  region.focus();
}

/** Regions that do it themselves: the channels are one stop, and a theme and the incident review have as many as they want. */
const own: readonly string[] = ["channels", "theme-container", "incident"];

/** Makes every region one stop of the Tab key, also those that come later. */
export function rove(): () => void {
  const roved = new Map<HTMLElement, () => void>();
  const look = (): void => {
    for (const [region, end] of roved) {
      if (region.isConnected) continue;
      end();
      roved.delete(region);
    }
    for (const name of regions) {
      const region = own.includes(name) ? null : part(name);
      if (region && !roved.has(region)) roved.set(region, roving(region));
    }
    for (const place of [part("console"), part("rail")]) if (place) watch.observe(place, { childList: true });
  };
  const watch = new MutationObserver(look);
  look();
  return () => {
    watch.disconnect();
    for (const end of roved.values()) end();
  };
}
