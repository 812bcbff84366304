import type { Ports } from "../ports";
import type { Filter } from "../state/desk";

/** Which channels are shown. Choosing the same again shows them anew: without those that are no longer the dispatcher's. */
export function setFilter(p: Ports, filter: Filter): void {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, filter }, screen: { ...s.screen, arranged: s.screen.arranged + 1 } }));
}
