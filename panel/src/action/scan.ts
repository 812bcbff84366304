import type { Ports } from "../ports";
import { opened, type Priority, priorityOf, touch } from "../state/desk";
import { without } from "../state/without";
import { retune } from "./retune";

/** Monitors a channel. The priority says what it pre-empts. */
export function addScan(p: Ports, frequency: string, priority: Priority = 0): void {
  retune(p, (desk) => {
    const own = touch(desk, frequency);
    return { ...own, scans: { ...own.scans, [frequency]: priority } };
  });
}

/** A channel that an emergency opened is first kept, so that one press never silences it. */
export function removeScan(p: Ports, frequency: string): void {
  if (opened(p.store.now.desk, frequency)) return retune(p, (desk) => touch(desk, frequency));
  if (frequency in p.store.now.desk.scans) retune(p, (desk) => ({ ...desk, scans: without(desk.scans, frequency) }));
}

export function toggleScan(p: Ports, frequency: string): void {
  if (priorityOf(p.store.now.desk, frequency) !== undefined) removeScan(p, frequency);
  else addScan(p, frequency);
}

/** The priority of a monitored channel: none, 2, 1, none. One that is not monitored is from now on. */
export function cyclePriority(p: Ports, frequency: string): void {
  const next = { 0: 2, 2: 1, 1: 0 } as const;
  addScan(p, frequency, next[priorityOf(p.store.now.desk, frequency) ?? 0]);
}
