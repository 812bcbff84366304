import { heard, type Priority } from "../state/desk";
import { type Panel, without } from "../panel";

/** Listens to a channel. The priority says what it pre-empts. */
export function addScan(p: Panel, frequency: string, priority: Priority = 0): void {
  const { desk } = p.store.now;
  const listens = heard(desk).includes(frequency);
  p.store.change((s) => ({ ...s, desk: { ...s.desk, scans: { ...s.desk.scans, [frequency]: priority } } }));
  if (!listens && desk.joined !== frequency) p.link.tell("addListeningChannel", frequency);
}

export function removeScan(p: Panel, frequency: string): void {
  if (!(frequency in p.store.now.desk.scans)) return;
  p.store.change((s) => ({ ...s, desk: { ...s.desk, scans: without(s.desk.scans, frequency) } }));
  if (!heard(p.store.now.desk).includes(frequency)) p.link.tell("removeListeningChannel", frequency);
}

/** Off, scan, scan with priority 2, scan with priority 1, off. */
export function cycleScan(p: Panel, frequency: string): void {
  const now = p.store.now.desk.scans[frequency];
  if (now === undefined) addScan(p, frequency, 0);
  else if (now === 0) addScan(p, frequency, 2);
  else if (now === 2) addScan(p, frequency, 1);
  else removeScan(p, frequency);
}
