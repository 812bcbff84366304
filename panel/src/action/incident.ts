import type { Ports } from "../ports";

/** Opens or closes the incident review. */
export function showIncident(p: Ports, incident = true): void {
  p.store.change((s) => ({ ...s, screen: { ...s.screen, incident, drawer: null } }));
}
