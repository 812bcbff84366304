import { expect, it } from "vitest";
import { applyEmergency, called, closedOn, type Emergency, emergencyOf, emergencyState, openEmergencies, overdue, recorded, slotsOf, voiceSince } from "./emergency";
import { emptyRadio, type Radio } from "./radio";

const record = (id: string, more: Partial<Emergency> = {}): Emergency => ({
  id, serverId: 7, unitId: "E-3", name: "Jo", frequency: "154.28", raisedAt: 1_000, ackBy: null, ackAt: null, ackById: null,
  endedAt: null, endedBy: null, closedBy: null, closedAt: null, closedById: null, reason: null, note: null, ...more,
});
const radio = (...all: Emergency[]): Radio => all.reduce(applyEmergency, { ...emptyRadio, channels: { "154.28": { frequency: "154.28" } as never } });

it("an acknowledged emergency stays open, and a closed one is remembered", () => {
  let r = radio(record("e-1"));
  expect(emergencyState(r.emergencies[0]!)).toBe("unacknowledged");
  r = applyEmergency(r, record("e-1", { ackBy: "D-2", ackAt: 2_000 }));
  expect(emergencyState(emergencyOf(r, "154.28")!)).toBe("acknowledged");
  r = applyEmergency(r, record("e-1", { ackBy: "D-2", ackAt: 2_000, closedAt: 3_000, closedBy: "D-1", reason: "resolved" }));
  expect(openEmergencies(r)).toEqual([]);
  expect(closedOn(r, "154.28")?.closedBy).toBe("D-1");
});

it("an emergency that its unit ended still alarms until it is acknowledged", () => {
  const e = record("e-1", { endedAt: 2_000, endedBy: "unit" });
  expect(emergencyState(e)).toBe("ended");
  expect(overdue(e, 31_000)).toBe(true);
  expect(overdue({ ...e, ackAt: 3_000 }, 31_000)).toBe(false);
});

it("the same record twice changes nothing", () => {
  const r = radio(record("e-1"));
  expect(applyEmergency(r, record("e-1"))).toBe(r);
});

it("a card shows the oldest emergency that alarms", () => {
  const r = radio(record("e-1", { ackAt: 1 }), record("e-2", { serverId: 8, raisedAt: 2_000 }), record("e-3", { serverId: 9, raisedAt: 3_000 }));
  expect(emergencyOf(r, "154.28")?.id).toBe("e-2");
  expect(openEmergencies(r).map((e) => e.id)).toEqual(["e-1", "e-2", "e-3"]);
});

it("a panic without a record is an emergency too", () => {
  const r = { ...radio(record("e-1")), panics: [{ frequency: "154.28", id: 7, since: 1_000 }, { frequency: "154.28", id: 9, since: 500 }] };
  const all = openEmergencies(r);
  expect(all.map((e) => e.serverId)).toEqual([9, 7]);
  expect(all.map(recorded)).toEqual([false, true]);
  expect(openEmergencies(r)).toBe(all); // nothing is drawn again
});

it("a slot keeps its place until its emergency is closed, then the oldest that waits takes it", () => {
  const [a, b, c] = [record("e-1"), record("e-2"), record("e-3")];
  let slots = slotsOf([], 2, [a]);
  expect(slots).toEqual(["e-1", null]);
  slots = slotsOf(slots, 2, [a, b, c]);
  expect(slots).toEqual(["e-1", "e-2"]);
  slots = slotsOf(slots, 2, [b, c]);
  expect(slots).toEqual(["e-3", "e-2"]);
  expect(slotsOf(slots, 2, [b])).toEqual([null, "e-2"]);
});

it("says whether the unit has been heard since", () => {
  const e = record("e-1");
  const log = (startedAt: number, endedAt: number | null): Radio["log"] => [
    { id: "t", serverId: 7, name: "Jo", unitId: null, frequency: "154.28", encoding: "opus", startedAt, endedAt, durationMs: 0 },
  ];
  expect(voiceSince({ ...radio(e), log: log(500, 900) }, e)).toBe("none");
  expect(voiceSince({ ...radio(e), log: log(1_500, null) }, e)).toBe("talking");
  expect(voiceSince({ ...radio(e), log: log(1_500, 1_800) }, e)).toBe("heard");
});

it("an emergency is called what its unit is called everywhere else", () => {
  const user = { id: 7, name: "Jo", nacId: null, unitId: "E-3", callsign: "ENGINE 3" };
  expect(called({ skew: 0, users: { 7: user } }, record("e-1")).unitId).toBe("E-3");
  expect(called({ skew: 0, users: { 7: { ...user, nacId: "LSFD", unitId: null } } }, record("e-1")).unitId).toBe("LSFD");
  expect(called({ skew: 0, users: { 7: user } }, record("e-1")).name).toBe("ENGINE 3");
  expect(called({ skew: 0, users: { 7: { ...user, callsign: null } } }, record("e-1")).name).toBe("Jo");
  expect(called({ skew: 0, users: {} }, record("e-1")).name).toBe("Jo"); // it has left
});
