import type { Desk } from "./desk";

/** How many steps the first run has: microphone, push-to-talk, channels. */
export const firstSteps = 3;

/**
 * Whether the first run is shown: on a desk on which nothing is set up yet, and, once
 * begun, until it is finished or skipped, also after a reload.
 */
export function inFirstRun(desk: Desk): boolean {
  if (desk.first === "done") return false;
  return desk.first > 0 || (desk.joined === null && desk.selected.length === 0 && Object.keys(desk.scans).length === 0);
}
