import { expect, test } from "vitest";
import { de } from "./de";
import { en } from "./en";
import { enConsole } from "./en.console";
import { enDialog } from "./en.dialog";

const english: Record<string, string> = { ...en, ...enConsole, ...enDialog };
const blanks = (text: string | undefined): string[] => [...(text ?? "").matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? "").sort();

test("every language says everything, and fills in the same things", () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(english).sort());
  for (const [key, text] of Object.entries(english)) {
    expect(blanks(de[key as keyof typeof de]), key).toEqual(blanks(text));
    expect(de[key as keyof typeof de].trim(), key).not.toBe("");
  }
});

test("nothing is in two parts of the English catalogue", () => {
  expect(Object.keys(english)).toHaveLength([en, enConsole, enDialog].flatMap(Object.keys).length);
});
