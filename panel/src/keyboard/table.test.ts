import { expect, it } from "vitest";
import { actions, refusal } from "../action/registry";
import { testPorts } from "../action/ports.testing";
import { anywhere, onChannel } from "./table";

const all = [...anywhere, ...onChannel];

it("every key that does an action does one that there is, with arguments that it takes", () => {
  const p = testPorts();
  for (const { chord, does } of all) {
    if (!("action" in does)) continue;
    expect(actions.map((a) => a.id), chord).toContain(does.action);
    const args = does.args ? does.args(p, "154.755") : {};
    if (args !== null) expect(refusal(p, does.action, args), chord).toBeNull();
  }
});

it("a key of a channel does nothing without one", () => {
  const p = testPorts();
  for (const { chord, does } of onChannel) if ("action" in does) expect(does.args?.(p, ""), chord).toBeNull();
});

it("single letters, signs and digits work on channels only", () => {
  expect(anywhere.map((s) => s.chord).filter((c) => c.length === 1)).toEqual(["?"]);
  expect(anywhere.filter((s) => s.always && s.chord.length === 1)).toEqual([]);
});

it("no key means two things in one place", () => {
  for (const table of [anywhere, onChannel]) {
    const chords = table.map((s) => s.chord).filter((c) => c !== "Escape"); // the drawer first, then the recall
    expect(new Set(chords).size).toBe(chords.length);
  }
});

it("an emergency is answered and acknowledged by one key from everywhere, alerts by another", () => {
  const always = Object.fromEntries(anywhere.filter((s) => s.always).map((s) => [s.chord, "action" in s.does ? s.does.action : ""]));
  expect(always).toMatchObject({ F8: "emergency.acknowledge", F9: "emergency.answer", "Alt+A": "alert.acknowledge-all" });
});
