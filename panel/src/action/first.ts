import type { Ports } from "../ports";
import type { FirstRun } from "../state/desk";

/** Goes to a step of the first run, counted from 0. */
export function goToFirstStep(p: Ports, step: Exclude<FirstRun, "done">): void {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, first: step } }));
}

/** Ends the first run, finished or skipped. */
export function endFirstRun(p: Ports): void {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, first: "done" } }));
}
