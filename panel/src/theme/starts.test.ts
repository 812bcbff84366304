import { beforeEach, expect, it } from "vitest";
import { Starts } from "./starts";

let kept: Map<string, string>;
let now: number;
beforeEach(() => {
  kept = new Map();
  now = 1_000_000;
});
const memory = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v) };
/** A page: a tab that is opened or loaded again. */
const page = (tab = "a"): Starts => new Starts(memory, tab, () => now, () => "it died");

it("one failed start is forgiven, the second switches it off, until it starts or is tried again", () => {
  page().begin("x", "1");
  page().failed("x", "1", "bang");
  expect(page().off("x", "1")).toBeNull();
  page().begin("x", "1");
  page().failed("x", "1", "bang again");
  expect(page().off("x", "1")).toBe("bang again");
  expect(page().off("y", "1")).toBeNull();
  page().done("x");
  expect(page().off("x", "1")).toBeNull();
});

it("a start after a failed one that goes well starts the count anew", () => {
  page().failed("x", "1", "bang");
  page().begin("x", "1");
  page().done("x");
  page().failed("x", "1", "bang");
  expect(page().off("x", "1")).toBeNull();
});

it("a new build is a new theme", () => {
  page().failed("x", "1", "bang");
  page().failed("x", "1", "bang");
  expect(page().off("x", "2")).toBeNull();
  page().failed("x", "2", "bang");
  expect(page().off("x", "2")).toBeNull();
});

it("a page that dies during a start has failed, in the same tab and later in another", () => {
  page().begin("x", "1");
  expect(page("b").off("x", "1")).toBeNull(); // perhaps it is only starting there
  page().begin("x", "1"); // the same tab, loaded again: once failed
  now += 10_000;
  expect(page("b").off("x", "1")).toBe("it died");
});

it("a page that is left during a start has not failed", () => {
  for (let i = 0; i < 3; i++) {
    const p = page();
    p.begin("x", "1");
    p.leave();
  }
  expect(page().off("x", "1")).toBeNull();
  page().failed("x", "1", "bang");
  const p = page();
  p.begin("x", "1");
  p.leave();
  page().failed("x", "1", "bang");
  expect(page().off("x", "1")).toBe("bang");
});

it("what is not its own, or cannot be kept, does no harm", () => {
  for (const text of ["{", "5", "null", "[]", '{"x":5}', '{"x":{"build":"1"}}', '{"x":null}']) {
    kept.set("squelch.themes", text);
    expect(page().off("x", "1")).toBeNull();
    page().begin("x", "1");
    page().done("x");
  }
  const full = new Starts({ getItem: () => null, setItem: () => { throw new Error("quota"); } }, "a", () => now, () => "");
  full.begin("x", "1");
  full.failed("x", "1", "bang");
  expect(full.off("x", "1")).toBeNull();
});
