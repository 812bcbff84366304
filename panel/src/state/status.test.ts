import { expect, test } from "vitest";
import type { DispatchStatus } from "../wire.gen";
import { openEmergencies } from "./emergency";
import { emptyRadio } from "./radio";
import { applyStatus } from "./status";

/** The status of a server that neither records emergencies nor remembers transmissions. */
const older = {
  timestamp: new Date(1_000_000).toISOString(),
  users: { 7: { name: "Ana Ruiz", nacId: "LSPD", unitId: "4A-12", callsign: null } },
  channels: { "154.755": { frequency: "154.755", speakers: [7], listeners: [], activeTalkers: [7] } },
  panicStatus: { "154.755": { 7: true } },
  activeAlerts: {},
  activePatches: {},
  dispatchers: [],
} as unknown as DispatchStatus;

test("an older server's status is shown all the same", () => {
  const r = applyStatus(emptyRadio, older, 1_000_000);
  expect(r.live["154.755"]?.talkers.map((t) => t.id)).toEqual([7]);
  expect(r.users[7]?.name).toBe("Ana Ruiz");
  expect(openEmergencies(r).map((e) => [e.name, e.frequency])).toEqual([["Ana Ruiz", "154.755"]]);
  expect(r.log.map((t) => t.serverId)).toEqual([7]);
});
