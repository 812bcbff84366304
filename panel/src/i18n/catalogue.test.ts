import { expect, test } from "vitest";
import { de } from "./de";
import { en } from "./en";
import { enDialog } from "./en.dialog";
import { enSound } from "./en.sound";
import { enTrouble } from "./en.trouble";

const english: Record<string, string> = { ...en, ...enDialog, ...enSound, ...enTrouble };
const blanks = (text: string | undefined): string[] => [...(text ?? "").matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? "").sort();

test("every language says everything, and fills in the same things", () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(english).sort());
  for (const [key, text] of Object.entries(english)) {
    expect(blanks(de[key as keyof typeof de]), key).toEqual(blanks(text));
    expect(de[key as keyof typeof de].trim(), key).not.toBe("");
  }
});

test("nothing is in two parts of the English catalogue", () => {
  expect(Object.keys(english)).toHaveLength([en, enDialog, enSound, enTrouble].flatMap(Object.keys).length);
});
