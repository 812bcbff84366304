import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { de } from "./de";
import { en } from "./en";
import { enConsole } from "./en.console";
import { enDialog } from "./en.dialog";
import { enLater } from "./en.later";
import { first } from "./en/first";
import { incident } from "./en/incident";
import { formerTexts } from "./former.testing";

const english: Record<string, string> = { ...en, ...enConsole, ...enLater, ...enDialog, ...first, ...incident };
const german: Record<string, string> = de;
const blanks = (text: string | undefined): string[] => [...(text ?? "").matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? "").sort();

/** Keys that are put together at run time, by how they begin. */
const families = ["look.", "density.", "language.", "type.", "trouble.", "sound.", "mic.", "reason.", "ptt.reason.", "health.", "plane.", "emergency.reason.", "emergency.endedBy", "log.endedBy", "log.kind.", "log.reason.", "filter.", "units.state.", "first.micFix.", "key.", "refused."];

/** The texts of the other parts of the panel are their own: admin, the page of the game, the simulation's bar. */
const root = new URL("../", import.meta.url);
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((f) => /\.(svelte|ts)$/.test(f) && !/\.(test|testing)\.ts$/.test(f) && !/^(i18n\/(en|de)\b|admin\/|nui\/|simulation\/view\/)/.test(f))
  .map((f) => [f, readFileSync(new URL(f, root), "utf8")] as const);
const code = sources.map(([, text]) => text).join("\n");

/** Every literal of the code, whether it is given to t at once or goes through a table or a condition first. An action's id is none. */
const literals = new Set([...code.replace(/\b(id|action): "[^"]*"|"[^"]*":/g, "").matchAll(/["']([a-z]\w*(?:\.[\w -]+)+)["']/gi)].map((m) => m[1] ?? ""));
const counted = new Set([...code.matchAll(/\btn\(\s*"([^"]+)"/g)].map((m) => m[1] ?? ""));
const stem = (key: string): string => key.replace(/\.(one|other)$/, "");
const used = (key: string): boolean => literals.has(key) || (literals.has(stem(key)) && stem(key) !== key) || families.some((f) => key.startsWith(f));

describe("the catalogues", () => {
  test("every language says everything, and fills in the same things", () => {
    expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(english)) {
      expect(blanks(german[key]), key).toEqual(blanks(text));
      expect(german[key]?.trim(), key).not.toBe("");
    }
  });

  test("nothing is in two parts of the English catalogue", () => {
    expect(Object.keys(english)).toHaveLength([en, enConsole, enLater, enDialog, first, incident].flatMap(Object.keys).length);
  });

  test("51. no text of the first version is left", () => {
    // The filters of the channels and of the log are called All; the first version called the zones so. A tone's key says "on MAIN" below its name. What is now a look was one before it was called a theme.
    const again = ["filter.all", "log.kind.all", "tones.on", "settings.look", "cmd.look"];
    const said = Object.entries(english).filter(([key]) => !again.includes(key));
    for (const [key, old] of formerTexts) {
      expect(said.filter(([, text]) => text === old).map(([k]) => k), `“${old}” is now ${key}: “${english[key]}”`).toEqual([]);
    }
  });

  test("what has a text for one has a text for many", () => {
    for (const key of Object.keys(english).filter((k) => k.endsWith(".one"))) expect(Object.keys(english)).toContain(`${stem(key)}.other`);
    for (const key of counted) expect(Object.keys(english), key).toContain(`${key}.one`);
  });

  test("every key that is asked for has a text", () => {
    const asked = [...code.matchAll(/\btx?\(\s*"([^"]+)"/g)].map((m) => m[1] ?? "");
    expect(asked.length).toBeGreaterThan(100);
    expect([...new Set(asked)].filter((key) => !(key in english))).toEqual([]);
    // A key that is put together belongs to a family that is listed, and every family has keys.
    const composed = [...code.matchAll(/\btx?\(\s*`([\w.-]*)\$\{/g)].map((m) => m[1] ?? "");
    expect([...new Set(composed)].filter((start) => start !== "" && !families.includes(start))).toEqual([]);
    for (const family of families) expect(Object.keys(english).some((key) => key.startsWith(family)), family).toBe(true);
  });

  test("every text is used", () => {
    expect(Object.keys(english).filter((key) => !used(key))).toEqual([]);
  });
});
