import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { de } from "../../i18n/admin/de";
import { en } from "../../i18n/admin/en";
import { sayer } from "../say";
import { keyOf, said } from "./said";

test("every fixed sentence of a review is there in the page's languages, and no other", () => {
  const source = readFileSync(join(import.meta.dirname, "../../../../themes/review.go"), "utf8");
  const all = [...source.matchAll(/\bwarn\w+\s*= "(.*)"|`\), "(may [^"]*)"}/g)].map((m) => m[1] ?? m[2] ?? "");
  expect(all.length).toBeGreaterThanOrEqual(16);
  for (const text of all) {
    expect(keyOf(text), text).toBeDefined();
    expect(said(sayer(en, "en"), text)).toBe(text);
    expect(said(sayer(de, "de"), text)).not.toBe(text);
  }
  expect(Object.keys(en).filter((k) => k.startsWith("said.")).length).toBe(all.length);
  expect(said(sayer(de, "de"), "Something new.")).toBe("Something new.");
});
