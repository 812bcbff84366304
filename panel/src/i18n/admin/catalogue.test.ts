import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { de } from "./de";
import { en } from "./en";

const blanks = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? "").sort();

test("both languages say everything, and fill in the same things", () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  for (const key of Object.keys(en) as (keyof typeof en)[]) {
    expect(blanks(de[key]), key).toEqual(blanks(en[key]));
    expect(de[key].trim(), key).not.toBe("");
  }
});

test("nothing is in two parts of the catalogue", () => {
  const keys = (language: string): number =>
    readdirSync(join(import.meta.dirname, language)).reduce((all, f) => all + (readFileSync(join(import.meta.dirname, language, f), "utf8").match(/^ {2}["\w.]+.*?: "/gm) ?? []).length, 0);
  expect([keys("en"), keys("de")]).toEqual([Object.keys(en).length, Object.keys(de).length]);
});
