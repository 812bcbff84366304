import type { Desk, Targets } from "./desk";
import type { Radio } from "./radio";

/** The channels that the PTT keys, in the order in which they were chosen: the joined one first. */
export function targetsOf(desk: Desk): string[] {
  return [...new Set([...(desk.joined ? [desk.joined] : []), ...desk.selected])];
}

/** The channels that are keyed with these targets. */
export function keyedWith(radio: Radio, { targets, group }: Targets): string[] {
  const armed = group && radio.config?.announcementGroups.find((g) => g.id === group);
  return armed ? armed.frequencies : targets.filter((f) => radio.channels[f]?.canTransmit);
}
