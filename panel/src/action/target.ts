import type { Ports } from "../ports";
import { targetsOf } from "../state/target";
import { activateAnnouncementGroup } from "./group";
import { retune } from "./retune";

/** Makes these the PTT targets. The first is the one that the radio calls the speaker channel. */
export function setTargets(p: Ports, frequencies: readonly string[]): void {
  const [joined = null, ...selected] = [...new Set(frequencies)].filter((f) => p.store.now.radio.channels[f]?.canTransmit === true);
  retune(p, (desk) => ({ ...desk, joined, selected }));
}

/** Talk here: the only target, whatever was chosen before. */
export function talkHere(p: Ports, frequency: string): void {
  if (!p.store.now.radio.channels[frequency]?.canTransmit) return;
  activateAnnouncementGroup(p, null);
  setTargets(p, [frequency]);
}

export function addTarget(p: Ports, frequency: string): void {
  setTargets(p, [...targetsOf(p.store.now.desk), frequency]);
}

export function removeTarget(p: Ports, frequency: string): void {
  setTargets(p, targetsOf(p.store.now.desk).filter((f) => f !== frequency));
}

export function toggleTarget(p: Ports, frequency: string): void {
  if (targetsOf(p.store.now.desk).includes(frequency)) removeTarget(p, frequency);
  else addTarget(p, frequency);
}

export function clearTargets(p: Ports): void {
  setTargets(p, []);
}
