// How busy the machine is with other things: a run in which they took the processors
// away says nothing about voice.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { passes } from "../../e2e/wait.mjs";

/**
 * How late the latest percent of this program's timers may be, ms. The networks send
 * by them, and a browser that gets its turn no sooner conceals what comes too late.
 * A quiet machine has 1 ms.
 */
export const most = 5;
/** How often a disturbed run is repeated, and how long to wait for a quiet machine before it, ms. */
const repeats = 3;
const patience = 60_000;

/** lateness measures from now on; call what it returns for the 99th percentile since, ms. */
function lateness() {
  const grain = 2;
  const timers = monitorEventLoopDelay({ resolution: grain });
  timers.enable();
  return () => {
    timers.disable();
    return Math.max(0, timers.percentile(99) / 1e6 - grain);
  };
}

/** Waits until the machine has been quiet for two seconds, or for so long that nobody waits any more. */
async function quiet() {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    const late = lateness();
    await passes(2000, "what else the machine does");
    if (late() <= most) return;
  }
}

/** undisturbed repeats a run while the machine is busy with other things, and returns it with how late timers were. */
export async function undisturbed(say, run) {
  for (let left = repeats; ; left--) {
    await quiet();
    const late = lateness();
    const got = await run();
    const timers = late();
    if (timers <= most || left === 0) return { ...got, timers };
    say(`once more: the machine is busy, timers were ${timers.toFixed(1)} ms late`);
  }
}
