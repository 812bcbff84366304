import { expect, it } from "vitest";
import { kindOf, levelsOf } from "./kind";

it("reads levels of effects in both forms", () => {
  expect(levelsOf({ conventional: 80, digital: 0.5 })).toEqual({ conventional: 0.8, digital: 0.5 });
  expect(levelsOf({})).toEqual({});
});

it("takes a channel of an unknown type for a conventional one", () => {
  expect(["digital", "trunked", "conventional", "later", undefined].map(kindOf)).toEqual(["digital", "trunked", "conventional", "conventional", "conventional"]);
});
