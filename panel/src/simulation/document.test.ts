import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseScenario } from "./script";
import { Stage } from "./stage.testing";

const document = readFileSync(new URL("../../SCENARIOS.md", import.meta.url), "utf8");

test("the example of SCENARIOS.md is a scenario that the demo radio plays", async () => {
  const example = /```json\n([\s\S]*?)```/.exec(document)?.[1] ?? "";
  const s = await Stage.open(parseScenario(example));
  await s.pass(8);
  await s.send("setTalking", { state: true, frequency: "154.755" });
  await s.send("setTalking", { state: false, frequency: "154.755" });
  await s.call("POST /radio/dispatch/switchChannel", { serverId: 12, frequency: "154.815", oldFrequency: null });
  await s.pass(10);
  expect(s.show().problem).toBe("");
  expect(s.show().captions.map((c) => c.says)).toEqual(["On my way.", "Lincoln, bring a jack.", "Control, Adam twelve, flat tyre. Move me to Tac one, please."]);
  expect(s.score()).toMatchObject({ points: 30, of: 30 });
  expect(s.over).toBe(true);
});
