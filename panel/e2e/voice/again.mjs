import assert from "node:assert/strict";

/**
 * again repeats a run, four times at most: on a machine that gives the browser too little
 * time, jitter buffers conceal frames, which is not a fault of the voice. What is
 * really lost is lost every time.
 */
export async function again(t, run) {
  for (let left = 4; ; left--) {
    try {
      return await run();
    } catch (e) {
      if (left === 0 || !(e instanceof assert.AssertionError)) throw e;
      t.diagnostic(`said again: ${e.message}`);
    }
  }
}
