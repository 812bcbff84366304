// How a script fares, in words.
import type { AdminScript } from "../wire.gen";
import type { Say } from "./say";

/** stateOf is the state in words; one that a newer service has stays as it is. */
export const stateOf = (say: Say, s: AdminScript): string => say.tx(`script.${s.state}`, s.state);

/** problemOf is why the script was stopped last, with a heading that says whether it still is. */
export function problemOf(say: Say, s: AdminScript): { heading: string; text: string } | undefined {
  if (!s.problem) return undefined;
  const runs = s.state === "started" || s.state === "starting";
  return { heading: say.t(runs ? "script.before" : s.state === "waiting" ? "script.was" : "script.not"), text: s.problem };
}

/** summary counts the scripts, and those that do not run. */
export function summary(say: Say, all: AdminScript[]): string {
  const down = all.filter((s) => s.state === "stopped" || s.state === "waiting").length;
  const count = say.n("scripts.count", all.length);
  return down === 0 ? count : say.t("scripts.down", { count, down });
}
