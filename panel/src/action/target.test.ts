import { beforeEach, expect, it } from "vitest";
import { targetsOf } from "../state/target";
import { testPorts, type TestPorts } from "./ports.testing";
import { addScan, cyclePriority, removeScan } from "./scan";
import { addTarget, clearTargets, removeTarget, talkHere, toggleTarget } from "./target";

let p: TestPorts;
beforeEach(() => void (p = testPorts()));

const targets = (): string[] => targetsOf(p.store.now.desk);

it("the first target is the speaker channel; the others are heard", () => {
  addTarget(p, "154.755");
  addTarget(p, "154.28");
  addTarget(p, "154.28");
  expect(targets()).toEqual(["154.755", "154.28"]);
  expect(p.sent).toEqual([["setSpeakerChannel", "154.755"], ["addListeningChannel", "154.28"]]);
});

it("when the first target goes, the next one takes its place and is not lost", () => {
  addTarget(p, "154.755");
  addTarget(p, "154.28");
  addScan(p, "154.755");
  p.sent.length = 0;
  removeTarget(p, "154.755");
  expect(targets()).toEqual(["154.28"]);
  expect(p.sent).toEqual([["setSpeakerChannel", "154.28"], ["addListeningChannel", "154.755"]]); // it is still monitored
});

it("talk here leaves one target, and no armed group", () => {
  addTarget(p, "154.755");
  addTarget(p, "154.28");
  p.store.change((s) => ({ ...s, desk: { ...s.desk, group: "g1" } }));
  p.sent.length = 0;
  talkHere(p, "460.25");
  expect(targets()).toEqual(["460.25"]);
  expect(p.sent).toEqual([["armAnnouncementGroup", { groupId: null }], ["setSpeakerChannel", "460.25"], ["removeListeningChannel", "154.28"]]);
});

it("a channel that may only be heard is no target", () => {
  talkHere(p, "155.34");
  toggleTarget(p, "155.34");
  expect(targets()).toEqual([]);
  expect(p.sent).toEqual([]);
});

it("clearing the targets leaves the speaker channel", () => {
  toggleTarget(p, "154.755");
  clearTargets(p);
  expect(targets()).toEqual([]);
  expect(p.sent.at(-1)).toEqual(["setSpeakerChannel", null]);
});

it("monitoring is told to the radio once, whatever else makes the channel heard", () => {
  addScan(p, "154.28");
  cyclePriority(p, "154.28");
  expect(p.store.now.desk.scans["154.28"]).toBe(2);
  addTarget(p, "154.755");
  addTarget(p, "154.28");
  removeScan(p, "154.28");
  expect(p.sent.filter(([name]) => name.endsWith("ListeningChannel"))).toEqual([["addListeningChannel", "154.28"]]);
  removeTarget(p, "154.28");
  expect(p.sent.at(-1)).toEqual(["removeListeningChannel", "154.28"]);
});
