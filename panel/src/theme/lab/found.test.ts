import { expect, test } from "vitest";
import { findingsOf, hintsOf, type Results, textsIn, withResult } from "./found";
import type { Finding, Measured } from "./measure";

const finding = (more: Partial<Finding> = {}): Finding => ({ part: "state", state: "rx", text: "RX", colour: "#777777", ground: "#888888", ratio: 1.2, least: 4.5, count: 1, ...more });
const measured = (more: Partial<Measured> = {}): Measured => ({ texts: 10, findings: [], hints: [], ...more });
const none: Results = new Map();

test("what is seen in several scenes is told once for each look, the worst first", () => {
  let r = withResult(none, "night", "rest", measured({ findings: [finding({ ratio: 3, part: "name" })] }));
  r = withResult(r, "night", "traffic", measured({ findings: [finding()] }));
  r = withResult(r, "night", "cards", measured({ findings: [finding()] }));
  r = withResult(r, "day", "cards", measured({ findings: [finding()] }));
  expect(findingsOf(r).map((f) => [f.look, f.part, f.scenes])).toEqual([["night", "state", ["traffic", "cards"]], ["day", "state", ["cards"]], ["night", "name", ["rest"]]]);
  expect(textsIn(r)).toBe(40);
});

test("a scene that is measured again counts as it is now", () => {
  const before = withResult(none, "night", "rest", measured({ findings: [finding()] }));
  const after = withResult(before, "night", "rest", measured());
  expect(findingsOf(after)).toEqual([]);
  expect(findingsOf(before)).toHaveLength(1);
});

test("hints are told once", () => {
  const hint = { kind: "red", part: "band", state: "rx", colour: "#ff0000" } as const;
  const r = withResult(withResult(none, "night", "rest", measured({ hints: [hint] })), "day", "rest", measured({ hints: [hint, { ...hint, kind: "plate" }] }));
  expect(hintsOf(r).map((h) => [h.kind, h.scenes])).toEqual([["red", ["rest"]], ["plate", ["rest"]]]);
});
