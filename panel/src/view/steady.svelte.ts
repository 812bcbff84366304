import { untrack } from "svelte";

/**
 * A signal of its own for one part of the state. The state changes many times a second,
 * and each change re-checks everything that is derived from it. What depends on a steady
 * value is re-checked only when that value changes.
 */
export function steady<T>(read: () => T, same: (a: T, b: T) => boolean = Object.is): { readonly now: T } {
  let last = untrack(read);
  let now = $state.raw(last);
  $effect.pre(() => {
    const next = read();
    if (!same(last, next)) now = last = next;
  });
  return {
    get now() {
      return now;
    },
  };
}
