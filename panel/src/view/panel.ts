import { getContext, setContext } from "svelte";
import type { Ports } from "../ports";

const key = Symbol("panel");

export function givePanel(p: Ports): void {
  setContext(key, p);
}

/** What the view shows, and what its buttons act on. */
export function usePanel(): Ports {
  return getContext<Ports>(key);
}
