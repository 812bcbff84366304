import { describe, expect, test } from "vitest";
import type { ConfigChannel } from "../wire.gen";
import { questionsOf, stampOf, windowOf, wordsOf } from "./search";

const channels = [
  { name: "FIRE DISP", frequency: "154.28", display: "154.280" },
  { name: "FIRE TAC", frequency: "154.3" },
  { name: "MAIN", frequency: "154.755" },
] as ConfigChannel[];

test("a search asks what an entry says, and for every channel that its words name", () => {
  expect(questionsOf(["ana"], channels)).toEqual([{ text: "ana" }]);
  expect(questionsOf(["fire", "ana"], channels)).toEqual([{ text: "fire ana" }, { frequency: "154.28", text: "ana" }, { frequency: "154.3", text: "ana" }]);
  expect(questionsOf(["154.280"], channels)).toEqual([{ text: "154.280" }, { frequency: "154.28" }]);
  expect(questionsOf(["main", "14:20"], channels)).toEqual([{ text: "main" }, { frequency: "154.755" }]);
  expect(questionsOf(["14:20"], channels)).toEqual([{}]);
});

test("a word that names a hundred channels asks for a few", () => {
  const many = Array.from({ length: 100 }, (_, i) => ({ name: `TAC ${i}`, frequency: `150.${i}` })) as ConfigChannel[];
  expect(questionsOf(["tac"], many)).toHaveLength(7);
});

describe("times", () => {
  const now = Date.UTC(2026, 10, 24, 15, 0, 0);
  const span = (search: string, back: number): unknown => {
    const w = windowOf(wordsOf(search), true, now, back);
    return w && [w.from, w.to].map((ms) => stampOf(ms, true));
  };

  test("a time of day is a minute, a second or an hour of each day", () => {
    expect(span("14:20", 0)).toEqual(["2026-11-24 14:20:00", "2026-11-24 14:20:59"]);
    expect(span("ana 14:20:31", 1)).toEqual(["2026-11-23 14:20:31", "2026-11-23 14:20:31"]);
    expect(span("9:", 24)).toEqual(["2026-10-31 09:00:00", "2026-10-31 09:59:59"]);
  });

  test("what is no time of day is none", () => {
    for (const s of ["24:00", "14:60", "14", "a-7", ""]) expect(span(s, 0), s).toBeNull();
  });

  test("by the computer's clock it is that clock's day", () => {
    const at = new Date(2026, 10, 24, 15, 0, 0).getTime();
    expect(stampOf(windowOf(["14:20"], false, at, 0)!.from, false)).toBe("2026-11-24 14:20:00");
  });

  test("a day and month are found in any year", () => {
    expect(stampOf(now, true)).toContain(wordsOf("24.11.")[0]);
    expect(wordsOf("Ana  MAIN")).toEqual(["ana", "main"]);
  });
});
