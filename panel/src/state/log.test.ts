import { expect, test } from "vitest";
import type { DispatchNotification, Emergency } from "../wire.gen";
import { applyEvent } from "./event";
import { called } from "./emergency";
import type { LogEntry } from "./entry";
import { addEntry, entryCount, kindOf, logEmergency, openEmergency } from "./log";
import { emptyRadio, type Radio } from "./radio";

const radio: Radio = { ...emptyRadio, users: { 7: { id: 7, name: "Ana", nacId: null, unitId: "A-7", callsign: null }, [-2]: { id: -2, name: "D-2", nacId: null, unitId: null, callsign: null } } };

const note = (type: string, more: Partial<DispatchNotification>, at = 5_000): Parameters<typeof applyEvent>[1] => ({
  name: "dispatchNotification", payload: { type, timestamp: at, ...more }, at,
});

const told = (r: Radio): unknown[] => r.entries.map((e) => [e.what, e.name || e.detail, e.byName]);

const record: Emergency = {
  id: "e-1", serverId: 7, unitId: "A-7", name: "Ana", frequency: "154.755", raisedAt: 1_000, ackBy: null, ackAt: null, ackById: null, endedAt: null, endedBy: null,
  closedBy: null, closedAt: null, closedById: null, reason: null, note: null,
};
const acknowledged = { ...record, ackAt: 2_000, ackBy: "D-2", ackById: -2 };
const closed = { ...acknowledged, closedAt: 9_000, closedBy: "D-1", closedById: -1, reason: "test" };

test("what happens is logged once, the newest first, although it is told twice", () => {
  const events = [
    note("alert", { frequency: "154.755", alertConfig: { name: "SIGNAL 100" } as never, byName: "D-2", by: -2 }, 1_000),
    note("userSwitched", { serverId: 7, frequency: "460.25", oldFrequency: "154.755", by: -2 }, 2_000),
    note("patch", { patch: { id: "p-1", label: "Joint", frequencies: ["154.755", "460.25"], createdAt: 3_000, createdBy: -2 }, active: true, byName: "CAD" }, 3_000),
    note("userAlert", { serverId: 7, message: "Stage at 5th" }, 4_000),
    note("broadcast", { message: "Shift change", byName: "CAD" }, 5_000),
    note("alertCleared", { frequency: "154.755", alertConfig: { name: "SIGNAL 100" } as never, byName: "D-2" }, 6_000),
    note("userDisconnected", { serverId: 7, byName: "D-2" }, 7_000),
  ];
  const once = events.reduce(applyEvent, radio);
  expect(told(once)).toEqual([
    ["disconnected", "Ana", "D-2"],
    ["alertCleared", "SIGNAL 100", "D-2"],
    ["broadcast", "Shift change", "CAD"],
    ["text", "Ana", ""],
    ["patchOn", "Joint", "CAD"],
    ["moved", "Ana", "D-2"],
    ["alert", "SIGNAL 100", "D-2"],
  ]);
  expect(events.reduce(applyEvent, once).entries).toEqual(once.entries);
  expect(new Set(once.entries.map((e) => kindOf(e.what)))).toEqual(new Set(["change", "alert", "message"]));
});

test("an alert that repeats, and a patch whose channels change, are no news", () => {
  const alert = { frequency: "154.755", alertConfig: { name: "SIGNAL 100" } as never };
  const patch = { id: "p-1", label: "Joint", frequencies: ["154.755"], createdAt: 3_000, createdBy: 0 };
  const r = [note("alert", alert, 1), note("alert", { ...alert, repeated: true }, 2), note("patch", { patch, active: true }, 3), note("patch", { patch: { ...patch, frequencies: [] }, active: true }, 4)].reduce(applyEvent, radio);
  expect(r.entries.map((e) => e.what)).toEqual(["patchOn", "alert"]);
});

test("an emergency is one story: raised, acknowledged, closed, whether notifications or records tell it", () => {
  let r = applyEvent(radio, note("panic", { serverId: 7, frequency: "154.755", name: "Ana" }, 1_000));
  for (const e of [record, acknowledged]) r = applyEvent(r, { name: "emergency", payload: e, at: 0 });
  expect(openEmergency(r, 7)).toBe("ack");
  // Closing it turns the panic off, which older radios tell as its acknowledgement.
  r = applyEvent(r, note("panicCleared", { serverId: 7, frequency: "154.755", reason: "acknowledged", byName: "D-1" }, 9_000));
  r = applyEvent(r, { name: "emergency", payload: closed, at: 9_000 });
  expect(r.entries.map((e) => [e.what, e.at, e.byName, e.detail])).toEqual([
    ["closed", 9_000, "D-1", "test"],
    ["acknowledged", 2_000, "D-2", ""],
    ["raised", 1_000, "", ""],
  ]);
  expect(openEmergency(r, 7)).toBe(null);
});

test("after a reload the open emergencies' story is there, by this console's clock", () => {
  const late = { ...radio, skew: 250 };
  const r = logEmergency(late, called(late, { ...acknowledged, endedAt: 3_000, endedBy: "unit" }));
  expect(r.entries.map((e) => [e.what, e.at, e.detail])).toEqual([["ended", 3_250, "unit"], ["acknowledged", 2_250, ""], ["raised", 1_250, ""]]);
});

test("a radio without records tells an emergency by its panic alone", () => {
  const r = [
    note("panic", { serverId: 7, frequency: "154.755" }, 1_000),
    note("panicCleared", { serverId: 7, frequency: "154.755", reason: "acknowledged", byName: "D-2" }, 2_000),
    note("panic", { serverId: 7, frequency: "154.755" }, 3_000),
    note("panicCleared", { serverId: 7, frequency: "154.755", reason: "timeout" }, 4_000),
  ].reduce(applyEvent, radio);
  expect(told(r)).toEqual([["ended", "Ana", ""], ["raised", "Ana", ""], ["acknowledged", "Ana", "D-2"], ["raised", "Ana", ""]]);
});

test("the log is bounded: the oldest goes first", () => {
  const entry = (n: number): LogEntry => ({ id: String(n), what: "moved", at: n, serverId: 7, name: "Ana", frequency: null, by: 0, byName: "", detail: "" });
  let r = radio;
  for (let n = 0; n < entryCount + 5; n++) r = addEntry(r, entry(n));
  expect(r.entries).toHaveLength(entryCount);
  expect([r.entries[0]?.at, r.entries.at(-1)?.at]).toEqual([entryCount + 4, 5]);
});
