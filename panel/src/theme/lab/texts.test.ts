import { expect, test } from "vitest";
import { de } from "./de";
import { en } from "./en";

const blanks = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? "").sort();

test("every language says everything, and fills in the same things", () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  for (const key of Object.keys(en) as (keyof typeof en)[]) {
    expect(blanks(de[key]), key).toEqual(blanks(en[key]));
    expect(de[key].trim(), key).not.toBe("");
  }
});
