import { beforeEach, expect, it } from "vitest";
import { levelOf, opened, priorityOf } from "../state/desk";
import { applyEmergency, type Emergency } from "../state/emergency";
import { globalTargets } from "../state/state";
import { keyedWith, targetsOf } from "../state/target";
import { answerEmergency, answerNext, openForEmergencies, restoreTargets } from "./emergency";
import { activateAnnouncementGroup } from "./group";
import { setLevel } from "./level";
import { testPorts, type TestPorts } from "./ports.testing";
import { removeScan } from "./scan";
import { setTargets } from "./target";

const fire = "154.28";
let p: TestPorts;
const record = (id: string, more: Partial<Emergency> = {}): Emergency => ({
  id, serverId: 8, unitId: "E-7", name: "Ben Okoye", frequency: fire, raisedAt: 1, ackBy: null, ackAt: null, ackById: null,
  endedAt: null, endedBy: null, closedBy: null, closedAt: null, closedById: null, reason: null, note: null, ...more,
});
function tell(e: Emergency): void {
  p.store.change((s) => ({ ...s, radio: applyEmergency(s.radio, e) }));
  openForEmergencies(p);
}
const desk = () => p.store.now.desk;

beforeEach(() => {
  p = testPorts();
  setTargets(p, ["154.755", "460.25"]);
  p.store.change((s) => ({ ...s, desk: { ...s.desk, levels: { [fire]: { volume: 0.2, pan: 0, muted: true } } } }));
  p.sent.length = 0;
});

it("an emergency opens its channel at full level, and closes it again at the end", () => {
  tell(record("e-1"));
  expect(p.sent).toEqual([["addListeningChannel", fire]]);
  expect(levelOf(desk(), fire)).toMatchObject({ volume: 1, muted: false });
  expect(priorityOf(desk(), fire)).toBe(1);
  tell(record("e-1", { closedAt: 9, reason: "resolved" }));
  expect(p.sent.at(-1)).toEqual(["removeListeningChannel", fire]);
  expect(levelOf(desk(), fire)).toMatchObject({ volume: 0.2, muted: true });
  expect(desk().auto).toEqual({});
});

it("what the dispatcher sets on an opened channel stays, also after the emergency", () => {
  tell(record("e-1"));
  setLevel(p, fire, { volume: 0.5 });
  expect(levelOf(desk(), fire)).toMatchObject({ volume: 0.5, muted: false });
  tell(record("e-1", { closedAt: 9 }));
  expect(desk().scans[fire]).toBe(1);
  expect(levelOf(desk(), fire).volume).toBe(0.5);
  expect(p.sent.filter(([name]) => name === "removeListeningChannel")).toEqual([]);
});

it("one press of Monitor never silences an emergency", () => {
  tell(record("e-1"));
  removeScan(p, fire);
  expect(opened(desk(), fire)).toBe(false);
  expect(desk().scans[fire]).toBe(1);
  removeScan(p, fire);
  expect(p.sent.at(-1)).toEqual(["removeListeningChannel", fire]);
});

it("answering makes the channel the only target, and the earlier ones come back", () => {
  tell(record("e-1"));
  answerEmergency(p, "e-1");
  expect(p.sent).toContainEqual(["acknowledgeEmergency", { id: "e-1" }]);
  expect(targetsOf(desk())).toEqual([fire]);
  expect(p.store.now.screen.unit).toBe(8);
  restoreTargets(p);
  expect(targetsOf(desk())).toEqual(["154.755", "460.25"]);
  expect(desk().restore).toBeNull();
});

it("answering again takes the next, and the first targets are still those to return to", () => {
  tell(record("e-1"));
  tell(record("e-2", { serverId: 7, frequency: "460.3", raisedAt: 2 }));
  answerNext(p);
  tell(record("e-1", { ackAt: 3, ackBy: "D-1" }));
  answerNext(p);
  expect(targetsOf(desk())).toEqual(["460.3"]);
  expect(desk().restore?.targets).toEqual(["154.755", "460.25"]);
});

it("a group that was in use is in use again after the return, and its channels are counted", () => {
  activateAnnouncementGroup(p, "g1");
  tell(record("e-1"));
  answerEmergency(p, "e-1");
  expect(globalTargets(p.store.now)).toEqual([fire]);
  expect(keyedWith(p.store.now.radio, desk().restore!)).toEqual(["154.755", "154.28"]);
  restoreTargets(p);
  expect(desk().group).toBe("g1");
  expect(globalTargets(p.store.now)).toEqual(["154.755", "154.28"]);
  activateAnnouncementGroup(p, null);
  expect(targetsOf(desk())).toEqual(["154.755", "460.25"]);
});

it("answering takes a group out of use, also on the only other target", () => {
  setTargets(p, [fire]);
  activateAnnouncementGroup(p, "g1");
  tell(record("e-1"));
  answerEmergency(p, "e-1");
  expect(globalTargets(p.store.now)).toEqual([fire]);
});

it("a group that is gone does not come back", () => {
  activateAnnouncementGroup(p, "g1");
  tell(record("e-1"));
  answerEmergency(p, "e-1");
  p.store.change((s) => ({ ...s, radio: { ...s.radio, config: { ...s.radio.config!, announcementGroups: [] } } }));
  restoreTargets(p);
  expect(desk().group).toBeNull();
  expect(globalTargets(p.store.now)).toEqual(["154.755", "460.25"]);
});

it("what is on air goes on: the console moves when it has been released", () => {
  tell(record("e-1"));
  p.store.change((s) => ({ ...s, ptt: { ...s.ptt, state: "TX", target: { kind: "global" }, granted: ["154.755"] } }));
  p.sent.length = 0;
  answerEmergency(p, "e-1");
  expect(p.sent.filter(([name]) => name === "setSpeakerChannel")).toEqual([]);
  p.store.change((s) => ({ ...s, ptt: { ...s.ptt, state: "IDLE", granted: [] } }));
  expect(p.sent.filter(([name]) => name === "setSpeakerChannel")).toEqual([["setSpeakerChannel", fire]]);
});
