import { expect, test } from "vitest";
import { nearest } from "./nearest";

test.each<[string, string | null]>([
  ["chanel", "channel"],
  ["Channel", "channel"],
  ["cahnnel", "channel"],
  ["chan", null],
  ["talks", "talk"],
  ["at", "at"],
  ["ta", "at"],
  ["x", null],
  ["", null],
  ["something else", null],
])("%s is meant as %s", (word, meant) => {
  expect(nearest(word, ["channel", "talk", "at", "for the road"])).toBe(meant);
});

test("the nearest of several, and the first of equals", () => {
  expect(nearest("LSPD TAC 3", ["LSPD DISP", "LSPD TAC 1", "LSPD TAC 2"])).toBe("LSPD TAC 1");
});
