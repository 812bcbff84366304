import { expect, test } from "vitest";
import type { AdminLogLine } from "../wire.gen";
import { add, most, shown, textOf } from "./log";

const line = (seq: number, level: string, message: string, ...fields: [string, string][]): AdminLogLine => ({ seq, at: 1_000 * seq, level, message, fields: fields.map(([name, value]) => ({ name, value })) });

test("newest first, up to a level, with all words", () => {
  const lines = [line(1, "error", "disk full"), line(2, "debug", "joins", ["name", "Ana"], ["frequency", "154.755"]), line(3, "debug", "joins", ["name", "Ben"], ["frequency", "154.755"])];
  expect(shown(lines, "verbose", "").map((l) => l.seq)).toEqual([3, 2, 1]);
  expect(shown(lines, "info", "").map((l) => l.seq)).toEqual([1]);
  expect(shown(lines, "debug", " ANA  154.7 ").map((l) => l.seq)).toEqual([2]);
  expect(textOf(lines[1]!)).toBe("joins name=Ana frequency=154.755");
});

test("what is new comes behind; a service that was started again begins anew", () => {
  const old = Array.from({ length: most }, (_, i) => line(i + 1, "info", "a line"));
  const more = add(old, [line(most + 1, "info", "new")]);
  expect(more.length).toBe(most);
  expect(more[0]?.seq).toBe(2);
  expect(add(more, [])).toEqual(more);
  expect(add(more, [line(1, "info", "started")]).map((l) => l.message)).toEqual(["started"]);
});
