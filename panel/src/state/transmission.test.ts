import { expect, test } from "vitest";
import type { DispatchStatus, TransmissionEntry } from "../wire.gen";
import { applyEvent } from "./event";
import { emptyRadio, type Radio } from "./radio";
import { applyStatus } from "./status";
import { mergeTransmissions } from "./transmission";

const status: DispatchStatus = {
  userCount: 0, channelCount: 0, channels: {}, users: {}, panicStatus: {}, activeAlerts: {}, activePatches: {}, emergencies: [], transmissions: [],
  dispatchers: [], timestamp: new Date(1_000_000).toISOString(), version: "",
};

/** Ana (7) on MAIN, unless it is said otherwise; times are the server's. */
const said = (id: string, startedAt: number, endedAt: number | null, more: Partial<TransmissionEntry> = {}): TransmissionEntry => ({
  id, serverId: 7, name: "Ana", unitId: "A-7", frequency: "154.755", encoding: "opus", startedAt, endedAt, durationMs: endedAt === null ? 0 : endedAt - startedAt, ...more,
});

const talk = (r: Radio, state: boolean, at: number, serverId = 7): Radio =>
  applyEvent(r, { name: "talkingState", payload: { serverId, frequency: "154.755", state }, at });

const spans = (r: Radio): unknown[] => r.log.map((t) => [t.serverId, t.startedAt, t.endedAt]);

test("a console that has just opened has what the server kept, the newest first, by its own clock", () => {
  const told = Array.from({ length: 50 }, (_, i) => said(`tx-${50 - i}`, 990_000 - i * 2_000, 991_000 - i * 2_000));
  const r = applyStatus(emptyRadio, { ...status, transmissions: told }, 1_000_300); // this clock is 300 ms ahead
  expect(r.log).toHaveLength(50);
  expect(spans(r)[0]).toEqual([7, 990_300, 991_300]);
  expect(r.log.map((t) => t.startedAt)).toEqual([...r.log.map((t) => t.startedAt)].sort((a, b) => b - a));
  expect(new Set(r.log.map((t) => t.id)).size).toBe(50);
});

test("what the console heard itself and what the server tells is logged once, also after a second status", () => {
  let r = talk(talk(emptyRadio, true, 990_100), false, 992_100);
  const transmissions = [said("tx-2", 990_000, 992_000), said("tx-1", 980_000, 981_000)];
  r = applyStatus(r, { ...status, transmissions }, 1_000_000);
  expect(spans(r)).toEqual([[7, 990_000, 992_000], [7, 980_000, 981_000]]);
  const ids = r.log.map((t) => t.id);
  r = applyStatus(r, { ...status, timestamp: new Date(1_030_000).toISOString(), transmissions }, 1_030_080); // another delay, another difference of the clocks
  expect(r.log.map((t) => t.id)).toEqual(ids);
});

test("short transmissions one after the other stay apart", () => {
  let r = emptyRadio;
  for (const at of [990_050, 990_750, 991_450]) r = talk(talk(r, true, at), false, at + 400);
  const transmissions = [said("c", 991_400, 991_800), said("b", 990_700, 991_100), said("a", 990_000, 990_400)];
  r = applyStatus(r, { ...status, transmissions }, 1_000_000);
  expect(spans(r)).toEqual([[7, 991_400, 991_800], [7, 990_700, 991_100], [7, 990_000, 990_400]]);
});

test("two units, and one unit on two frequencies, are not the same transmission", () => {
  const own = talk(talk(emptyRadio, true, 990_000), false, 991_000);
  const transmissions = [said("b", 990_000, 991_000, { serverId: 8 }), said("a", 990_000, 991_000, { frequency: "460.25" })];
  expect(applyStatus(own, { ...status, transmissions }, 1_000_000).log).toHaveLength(3);
});

test("who talks while the page is loaded began when the server says so, and ends once", () => {
  const channels = { "154.755": { frequency: "154.755", speakers: [7], listeners: [], activeTalkers: [7] } } as unknown as DispatchStatus["channels"];
  let r = applyStatus(emptyRadio, { ...status, channels, transmissions: [said("tx-1", 995_000, null)] }, 1_000_000);
  expect(spans(r)).toEqual([[7, 995_000, null]]);
  expect(r.live["154.755"]?.talkers).toEqual([{ id: 7, since: 995_000 }]);
  r = talk(r, false, 1_002_000);
  expect(spans(r)).toEqual([[7, 995_000, 1_002_000]]);
  expect(r.log[0]?.durationMs).toBe(7_000);
});

test("what ended while the link was down ended when the server says so", () => {
  const r = applyStatus(talk(emptyRadio, true, 980_000), { ...status, transmissions: [said("tx-1", 980_000, 983_000)] }, 1_000_000);
  expect(spans(r)).toEqual([[7, 980_000, 983_000]]);
});

test("an old transmission that the server does not have stays", () => {
  const own = talk(talk(emptyRadio, true, 500_000), false, 501_000).log;
  expect(mergeTransmissions(own, [said("tx-1", 990_000, 991_000)], 0, (n) => `t-${n}`).map((t) => t.startedAt)).toEqual([990_000, 500_000]);
});

test("who talks on a patch has begun at the same time on all its channels, also for a console that opens meanwhile", () => {
  const on = (frequency: string) => ({ frequency, speakers: [7], listeners: [], activeTalkers: [7] });
  const channels = { "154.755": on("154.755"), "154.815": on("154.815") } as unknown as DispatchStatus["channels"];
  const activePatches = { p: { id: "p", label: "P", frequencies: ["154.755", "154.815"], createdBy: -1, createdAt: 900_000 } } as unknown as DispatchStatus["activePatches"];
  const r = applyStatus(emptyRadio, { ...status, channels, activePatches, transmissions: [said("tx", 994_000, null, { patchId: "p" })] }, 1_000_000);
  expect(r.log.map((t) => [t.frequency, t.startedAt])).toEqual([["154.815", 994_000], ["154.755", 994_000]]);
  expect(r.live["154.815"]!.talkers).toEqual([{ id: 7, since: 994_000 }]);
});
