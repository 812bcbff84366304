import { describe, expect, it } from "vitest";
import type { AdminScript } from "../wire.gen";
import { en } from "../i18n/admin/en";
import { sayer } from "./say";
import { problemOf, stateOf, summary } from "./script";

const say = sayer(en, "en");
const script = (state: string, problem?: string): AdminScript => ({ name: "roster", state, since: 0, restarts: 0, exports: [], events: [], ...(problem !== undefined && { problem }) });

describe("a script in words", () => {
  it("has a word for every state, and keeps one that it does not know", () => {
    expect(["starting", "started", "waiting", "stopped", "paused"].map((s) => stateOf(say, script(s)))).toEqual([
      "starting",
      "running",
      "stopped, will start again",
      "stopped",
      "paused",
    ]);
  });

  it("says whether what went wrong still keeps it from running", () => {
    const why = "roster.lua:3: attempt to call a nil value";
    expect(["started", "starting", "waiting", "stopped"].map((s) => problemOf(say, script(s, why))?.heading)).toEqual([
      "It was stopped before:",
      "It was stopped before:",
      "It was stopped:",
      "It does not run:",
    ]);
    expect(problemOf(say, script("stopped", why))?.text).toBe(why);
    expect(problemOf(say, script("stopped"))).toBeUndefined();
  });

  it("counts those that do not run", () => {
    expect(summary(say, [])).toBe("0 scripts");
    expect(summary(say, [script("started")])).toBe("1 script");
    expect(summary(say, [script("started"), script("waiting"), script("stopped")])).toBe("3 scripts, 2 not running");
  });
});
