import type { Ports } from "../ports";
import { retune } from "./retune";

/** Makes a channel the one to speak on. What else is monitored or a target stays so. */
export function joinChannel(p: Ports, frequency: string): void {
  if (p.store.now.desk.joined !== frequency) retune(p, (desk) => ({ ...desk, joined: frequency }));
}

export function leaveChannel(p: Ports): void {
  if (p.store.now.desk.joined) retune(p, (desk) => ({ ...desk, joined: null }));
}
