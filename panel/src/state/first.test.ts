import { expect, test } from "vitest";
import { emptyDesk } from "./desk";
import { inFirstRun } from "./first";

test("a desk on which nothing is set up begins with the first run", () => {
  expect(inFirstRun(emptyDesk)).toBe(true);
  expect(inFirstRun({ ...emptyDesk, first: "done" })).toBe(false);
});

test("a desk that a scenario or its dispatcher has set up does not", () => {
  expect(inFirstRun({ ...emptyDesk, joined: "154.755" })).toBe(false);
  expect(inFirstRun({ ...emptyDesk, selected: ["154.755"] })).toBe(false);
  expect(inFirstRun({ ...emptyDesk, scans: { "154.755": 0 } })).toBe(false);
});

test("what is set up during the first run does not end it", () => {
  expect(inFirstRun({ ...emptyDesk, first: 2, scans: { "154.755": 0 }, joined: "154.815" })).toBe(true);
});
