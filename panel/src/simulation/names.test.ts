import { expect, test } from "vitest";
import type { ConfigBody } from "../wire.gen";
import { Names } from "./names";

test("channels are found by name and by both spellings of their frequency, alerts by name, in any case", () => {
  const names = new Names({
    zones: [{ channels: [{ name: "BCSO Disp", frequency: "460.25", display: "460.250" }, { name: "MAIN", frequency: "154.755" }] }],
    alerts: [{ name: "SIGNAL 100" }],
  } as unknown as ConfigBody);
  expect(["bcso disp", "460.25", "460.250", "Main", "154.755", "1.5"].map((n) => names.channel(n))).toEqual(
    ["460.25", "460.25", "460.25", "154.755", "154.755", null],
  );
  expect(["signal 100", "MAIN"].map((n) => names.alert(n))).toEqual([true, false]);
});
