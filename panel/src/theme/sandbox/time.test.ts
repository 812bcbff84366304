import { expect, it } from "vitest";
import type { Host } from "./host";
import { began, Time } from "./time";

/** A time of its own, and what its timers threw. The globals are those of an object, not of the test. */
function clock() {
  const thrown: unknown[] = [];
  const host = { later: (f: () => void) => void setImmediate(f), unhandled: () => [] } as unknown as Host;
  const time = new Time(host, (e) => thrown.push(e));
  const globals = { Date, Math: Object.create(Math) } as unknown as typeof globalThis;
  time.install(globals);
  return { time, globals, thrown };
}

it("runs timers in the order of their moments, and those of one moment in the order in which they were set", async () => {
  const { time, globals } = clock();
  const ran: string[] = [];
  globals.setTimeout(() => ran.push("late"), 20);
  globals.setTimeout(() => ran.push("first"), 10);
  globals.setTimeout(() => ran.push("second"), 10);
  const every = globals.setInterval(() => {
    ran.push(`at ${time.elapsed}`);
    if (time.elapsed >= 14) globals.clearInterval(every);
  }, 7);
  const never = globals.setTimeout(() => ran.push("never"), 5);
  globals.clearTimeout(never);
  await time.pass(9);
  expect(ran).toEqual(["at 7"]);
  await time.pass(100);
  expect(ran).toEqual(["at 7", "first", "second", "at 14", "late"]);
  expect(time.elapsed).toBe(109);
});

it("lets promises go first, and timers that they set wait their turn", async () => {
  const { time, globals } = clock();
  const ran: string[] = [];
  globals.setTimeout(() => {
    void Promise.resolve().then(() => {
      ran.push("promise");
      globals.setTimeout(() => ran.push("timer of the promise"), 0);
    });
  }, 5);
  globals.setTimeout(() => ran.push("timer"), 5);
  await time.pass(10);
  expect(ran).toEqual(["promise", "timer", "timer of the promise"]);
});

it("reports what a timer throws, and goes on", async () => {
  const { time, globals, thrown } = clock();
  let ran = 0;
  globals.setInterval(() => {
    ran++;
    throw new Error(`${ran}`);
  }, 10);
  await time.pass(30);
  expect(ran).toBe(3);
  expect(thrown.map(String)).toEqual(["Error: 1", "Error: 2", "Error: 3"]);
});

it("is the same time everywhere, and does not pass by itself", async () => {
  const { time, globals } = clock();
  await time.pass(1_500);
  expect([globals.Date.now(), new globals.Date().getTime(), globals.performance.now()]).toEqual([began + 1_500, began + 1_500, 1_500]);
  expect(new globals.Date(0).toISOString()).toBe("1970-01-01T00:00:00.000Z");
  const frames: number[] = [];
  globals.requestAnimationFrame((at) => frames.push(at));
  globals.cancelAnimationFrame(globals.requestAnimationFrame((at) => frames.push(-at)));
  await time.pass(16);
  expect(frames).toEqual([1_504]);
});

it("throws the same dice each time", () => {
  const throws = (): number[] => {
    const { globals } = clock();
    return [1, 2, 3].map(() => globals.Math.random());
  };
  expect(throws()).toEqual(throws());
});

it("knows which timers are the theme's, whoever sets them on its behalf", async () => {
  const { time, globals } = clock();
  globals.setTimeout(() => undefined, 50);
  time.as("theme", () => {
    globals.setTimeout(() => globals.setTimeout(() => undefined, 50), 10); // its timers' timers are its own
    time.as("panel", () => globals.setTimeout(() => undefined, 50));
  });
  await time.pass(20);
  expect(time.dropTheme()).toBe(1);
  expect(time.dropTheme()).toBe(0);
});
