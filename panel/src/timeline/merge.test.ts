import { expect, test } from "vitest";
import { applyEvent } from "../state/event";
import { emptyRadio, type Radio } from "../state/radio";
import type { TimelineEntry } from "./api";
import { behind, mergeTold } from "./merge";
import { transmissionOf } from "./entry";

/** The console's clock is 300 ms ahead. */
const radio: Radio = { ...emptyRadio, skew: 300, users: { 7: { id: 7, name: "Ana", nacId: null, unitId: "A-7", callsign: null } } };

let seq = 0;
/** Ana (7) on MAIN, unless it is said otherwise; times are the service's. */
const said = (at: number, endedAt: number, more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  seq: ++seq, id: `tx-${seq}-${at}`, kind: "transmission", at, endedAt, durationMs: endedAt - at, serverId: 7, name: "Ana", unitId: "A-7", frequency: "154.755", encoding: "opus", ...more,
});
const did = (kind: string, at: number, more: Partial<TimelineEntry> = {}): TimelineEntry => ({ seq: ++seq, id: `${kind}-${at}`, kind, at, ...more });

const talk = (r: Radio, state: boolean, at: number): Radio => applyEvent(r, { name: "talkingState", payload: { serverId: 7, frequency: "154.755", state }, at });
const note = (r: Radio, type: string, timestamp: number, more: object): Radio =>
  applyEvent(r, { name: "dispatchNotification", payload: { type, timestamp, ...more }, at: timestamp + 320 });
const spans = (r: Radio): unknown[] => r.log.map((t) => [t.startedAt, t.endedAt]);
const lines = (r: Radio): unknown[] => r.entries.map((e) => [e.what, e.at]);

test("what a timeline tells is put between what the console has, by this computer's clock", () => {
  const own = talk(talk(radio, true, 60_000), false, 62_000);
  const r = mergeTold(own, [said(90_000, 91_000), said(10_000, 12_000), did("moved", 20_000, { serverId: 7, frequency: "154.755" })]);
  expect(spans(r)).toEqual([[90_300, 91_300], [60_000, 62_000], [10_300, 12_300]]);
  expect(lines(r)).toEqual([["moved", 20_300]]);
});

test("what the console has heard itself gets its recording and what was said, and stays one line with its id", () => {
  const own = talk(talk(radio, true, 60_310), false, 62_320);
  const recording = { format: "ogg", imbe: false, bytes: 900, durationMs: 2_000, packets: 100, lost: 0, peaks: [1, 2], cut: false };
  const told = said(60_000, 62_000, { recording, transcript: "Engine five on scene" });
  const r = mergeTold(own, [told]);
  expect(r.log).toHaveLength(1);
  expect(r.log[0]).toMatchObject({ id: own.log[0]!.id, told: told.id, recording, transcript: "Engine five on scene", startedAt: 60_300 });
  // A recording that is deleted takes what was said with it.
  expect(mergeTold(r, [{ ...told, recording: undefined, transcript: undefined } as never]).log[0]).toMatchObject({ recording: undefined, transcript: undefined });
  // The status tells it again, without them.
  expect(mergeTold(r, [told]).log).toEqual(r.log);
});

test("of two short ones each finds its own, also when the clocks are further apart than before", () => {
  let own = radio;
  for (const at of [60_310, 61_010]) own = talk(talk(own, true, at), false, at + 300);
  const told = [said(60_000, 60_300), said(60_700, 61_000)];
  const r = mergeTold(own, told);
  expect(r.log.map((t) => t.told)).toEqual([told[1]!.id, told[0]!.id]);
  expect(mergeTold({ ...r, skew: 1_100 }, told).log).toHaveLength(2);
});

test("what goes on is ended by its event, not by the timeline: it is not there twice", () => {
  const own = talk(radio, true, 60_310);
  const r = mergeTold(own, [said(60_000, 62_000)]);
  expect(spans(r)).toEqual([[60_310, null]]);
  expect(spans(talk(r, false, 62_330))).toEqual([[60_310, 62_330]]);
});

test("every kind of line that was told live is known again", () => {
  const alertConfig = { name: "SIGNAL 100" };
  let r = radio;
  r = note(r, "alert", 1_000, { frequency: "154.755", alertConfig, byName: "D-2", by: -2 });
  r = note(r, "userSwitched", 2_000, { serverId: 7, frequency: "460.25", by: -2 });
  r = note(r, "patch", 3_000, { patch: { id: "p-1", label: "Joint", frequencies: ["154.755", "460.25"], createdAt: 3_000, createdBy: -2 }, active: true });
  r = note(r, "userAlert", 4_000, { serverId: 7, message: "Stage at 5th" });
  r = note(r, "broadcast", 5_000, { message: "Shift change" });
  r = note(r, "alertCleared", 6_000, { frequency: "154.755", alertConfig });
  r = note(r, "userDisconnected", 7_000, { serverId: 7 });
  r = note(r, "panic", 8_000, { serverId: 7, frequency: "154.755", name: "Ana" });
  const told = [
    did("alert", 1_000, { frequency: "154.755", detail: "SIGNAL 100", by: -2, byName: "D-2" }),
    did("moved", 2_000, { serverId: 7, name: "Ana", frequency: "460.25", by: -2, byName: "D-2" }),
    did("patchOn", 3_000, { patchId: "p-1", detail: "Joint", frequencies: ["154.755", "460.25"] }),
    did("message", 4_000, { serverId: 7, name: "Ana", detail: "Stage at 5th" }),
    did("broadcast", 5_000, { detail: "Shift change" }),
    did("alertCleared", 6_000, { frequency: "154.755", detail: "SIGNAL 100" }),
    did("disconnected", 7_000, { serverId: 7, name: "Ana" }),
    did("panic", 8_000, { serverId: 7, name: "Ana", frequency: "154.755", emergencyId: "e-1" }),
    did("emergencyAcknowledged", 9_000, { serverId: 7, name: "Ana", frequency: "154.755", by: -2, byName: "D-2" }),
    did("panicCleared", 9_500, { serverId: 7, name: "Ana", frequency: "154.755", reason: "acknowledged" }),
    did("emergencyClosed", 9_500, { serverId: 7, name: "Ana", frequency: "154.755", byName: "D-2", reason: "test" }),
    did("connected", 9_600, { serverId: 8, name: "Ben" }),
  ];
  const merged = mergeTold(r, told);
  expect(merged.entries.filter((e) => !r.entries.some((x) => x.id === e.id)).map((e) => [e.what, e.detail])).toEqual([["closed", "test"], ["acknowledged", ""]]);
  // On a console that has just opened, the same lines.
  const fresh = mergeTold(radio, told);
  expect(fresh.entries.map((e) => e.what)).toEqual(["closed", "acknowledged", "raised", "disconnected", "alertCleared", "broadcast", "text", "patchOn", "moved", "alert"]);
  expect(mergeTold(fresh, told).entries).toEqual(fresh.entries);
});

test("a notification whose time is not the entry's is still the same line; two of the same are two", () => {
  const r = note(radio, "userAlert", 4_000, { serverId: 7, message: "Stage" });
  const one = did("message", 4_040, { serverId: 7, name: "Ana", detail: "Stage" });
  expect(mergeTold(r, [one]).entries).toHaveLength(1);
  expect(mergeTold(r, [one, did("message", 4_400, { serverId: 7, name: "Ana", detail: "Stage" })]).entries).toHaveLength(2);
  expect(mergeTold(r, [did("message", 4_040, { serverId: 7, name: "Ana", detail: "Other" })]).entries).toHaveLength(2);
});

test("a unit that is renamed is news, a console that signs in is none", () => {
  const renamed = did("callsign", 1_000, { serverId: 7, name: "Ana", detail: "4-ADAM", by: 7 });
  const signedIn = [did("callsign", 2_000, { serverId: -2, name: "DISPATCH", detail: "D-2" }), did("callsign", 3_000, { serverId: -2, name: "DISPATCH", detail: "D-2", by: -2 })];
  const byOther = did("callsign", 4_000, { serverId: -2, name: "D-2", detail: "D-3", by: -1 });
  expect(lines(mergeTold(radio, [renamed, ...signedIn, byOther]))).toEqual([["callsign", 4_300], ["callsign", 1_300]]);
});

test("that the recorder stopped is the line of the broadcast that told it", () => {
  const r = note(radio, "broadcast", 4_000, { message: "Nothing is recorded: the disk is full", broadcastType: "Recorder" });
  expect(mergeTold(r, [did("health", 4_010, { detail: "recorder", reason: "the disk is full" })]).entries).toEqual(r.entries);
  expect(mergeTold(radio, [did("health", 9_000, { detail: "recorder" })]).entries.map((e) => e.detail)).toEqual(["Recording again"]);
  expect(mergeTold(radio, [did("health", 9_000, { detail: "storage", reason: "full" })]).entries).toEqual([]);
});

test("older ones stand behind the log, without those that it has", () => {
  const r = mergeTold(radio, [said(90_000, 91_000)]);
  const older = [said(50_000, 51_000), said(40_000, 41_000)].map((e) => transmissionOf(e, 300)!);
  expect(behind(r.log, [...older, r.log[0]!]).map((t) => t.startedAt)).toEqual([90_300, 50_300, 40_300]);
  expect(behind(r.log, [])).toBe(r.log);
});
