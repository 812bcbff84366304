// How a script fares, in words.
import type { AdminScript } from "../wire.gen";

const states: Record<string, string> = {
  starting: "starting",
  started: "running",
  waiting: "stopped, will start again",
  stopped: "stopped",
};

/** stateOf is the state in words; one that a newer service has stays as it is. */
export const stateOf = (s: AdminScript): string => states[s.state] ?? s.state;

/** problemOf is why the script was stopped last, with a heading that says whether it still is. */
export function problemOf(s: AdminScript): { heading: string; text: string } | undefined {
  if (!s.problem) return undefined;
  const runs = s.state === "started" || s.state === "starting";
  return { heading: runs ? "It was stopped before:" : s.state === "waiting" ? "It was stopped:" : "It does not run:", text: s.problem };
}

/** summary counts the scripts, and those that do not run. */
export function summary(all: AdminScript[]): string {
  const down = all.filter((s) => s.state === "stopped" || s.state === "waiting").length;
  const count = all.length === 1 ? "1 script" : `${all.length} scripts`;
  return down === 0 ? count : `${count}, ${down} not running`;
}
