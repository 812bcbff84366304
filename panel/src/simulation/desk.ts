import type { Desk } from "../state/desk";
import type { Scenario } from "./api";

/** How a scenario sets up the desk; what it does not name stays as it was, if the radio has the channel. */
export function deskOf(before: Desk, desk: Scenario["desk"], channel: (named: string) => string | null): Partial<Desk> {
  if (!desk) return {};
  const scans = desk.scans
    ? desk.scans.map((named) => [channel(named), 0] as const)
    : Object.entries(before.scans).map(([f, priority]) => [channel(f), priority] as const);
  const joined = desk.joined === undefined ? before.joined : desk.joined;
  return {
    joined: joined === null ? null : channel(joined),
    scans: Object.fromEntries(scans.filter(([f]) => f !== null)),
    callsign: desk.callsign ?? before.callsign,
    zone: desk.zone === "all" ? "" : (desk.zone ?? before.zone),
    filter: desk.filter ?? before.filter,
    selected: [], follows: [], group: null,
  };
}
