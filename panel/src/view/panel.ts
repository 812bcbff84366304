import { getContext, setContext } from "svelte";
import type { Panel } from "../panel";

const key = Symbol("panel");

export function givePanel(p: Panel): void {
  setContext(key, p);
}

export function usePanel(): Panel {
  return getContext<Panel>(key);
}
