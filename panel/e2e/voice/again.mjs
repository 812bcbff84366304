import assert from "node:assert/strict";

/**
 * again says it all once more, twice at most: a machine that gives the browser no
 * time makes jitter buffers conceal, and that is no fault of the voice. What is
 * really lost is lost every time.
 */
export async function again(t, run) {
  for (let left = 2; ; left--) {
    try {
      return await run();
    } catch (e) {
      if (left === 0 || !(e instanceof assert.AssertionError)) throw e;
      t.diagnostic(`said again: ${e.message}`);
    }
  }
}
