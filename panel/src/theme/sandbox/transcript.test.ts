import { expect, it } from "vitest";
import type { Host } from "./host";
import type { Time } from "./time";
import { type Entry, line, show, Transcript } from "./transcript";

function transcript() {
  const entries: Entry[] = [];
  const host = { note: (text: string) => entries.push(JSON.parse(text)) } as unknown as Host;
  return { entries, transcript: new Transcript(host, { elapsed: 7 } as Time) };
}

it("shows values short, whatever they are", () => {
  const ring: unknown[] = [];
  ring.push(ring);
  expect([undefined, null, 1n, Symbol("s"), () => 1, { a: [1, undefined] }, "text", ring, { nodeName: "DIV" }].map(show)).toEqual([
    "undefined", "null", "1", "Symbol(s)", "function", '{"a":[1,null]}', '"text"', "an object that holds itself", "<div>",
  ]);
  expect(show("x".repeat(1_000)).length).toBeLessThan(600);
  expect(line(["a", 1, new TypeError("b"), { c: 2 }])).toBe('a 1 TypeError: b {"c":2}');
});

it("says where an error is in the theme's own numbering, in both engines' words", () => {
  const { entries, transcript: t } = transcript();
  const at = (stack: string): Error => Object.assign(new Error("x"), { stack });
  t.error("a listener", at("Error: x\n    at f (theme.js:12:5)\n    at theme.js:3:1"));
  t.error("a listener", at("Error: x\n\tat f (theme.js:12:5(33))\n"));
  t.error("theme.test.js", at("Error: x\n\tat theme.test.js:4:5(33)\n"));
  t.error("a listener", at("Error: x\n\tat sandbox.js:4:5(33)\n"));
  t.error("a timer or promise", "a text");
  expect(entries.map((e) => [e.text, e.file, e.line])).toEqual([
    ["a listener: Error: x", "theme.js", 11],
    ["a listener: Error: x", "theme.js", 11],
    ["theme.test.js: Error: x", "theme.test.js", 3],
    ["a listener: Error: x", undefined, undefined],
    ['a timer or promise: "a text"', undefined, undefined],
  ]);
  expect(t.errors).toBe(5);
});

it("ends with a word about what is left out", () => {
  const { entries, transcript: t } = transcript();
  for (let i = 0; i < 6_000; i++) t.note("console", "x".repeat(2_000));
  expect(entries).toHaveLength(5_001);
  expect(entries[0]!.text.length).toBeLessThan(600);
  expect(entries.at(-1)).toMatchObject({ kind: "warning", text: "there is more than the 5000 entries that are kept" });
});
