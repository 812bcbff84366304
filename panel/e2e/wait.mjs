// How the browser tests wait: for a condition. If a test is about time itself, it
// says why.

/** How long anything may take, ms: a limit for a busy machine, never a measure. */
export const patience = 60_000;

/**
 * Waits until the condition holds, and returns its value. What: a name for it, or a
 * function that makes one when it is needed.
 */
export async function until(what, condition, ms = patience) {
  const end = Date.now() + ms;
  for (;;) {
    const got = await condition();
    if (got) return got;
    if (Date.now() > end) throw new Error(`${typeof what === "string" ? what : what()}: not within ${ms} ms`);
    await passes(50, "a poll");
  }
}

/** Lets time pass, ms, where a test is about time: how long a key is held, or that nothing happens. The second argument says which. */
export function passes(ms, _why) {
  return new Promise((done) => setTimeout(done, ms));
}
