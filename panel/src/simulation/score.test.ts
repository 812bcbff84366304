import { expect, test } from "vitest";
import type { Message } from "../link/wasm";
import type { Need } from "./api";
import { Marks, worth } from "./score";

const channels: Record<string, string> = { MAIN: "1", TAC: "2", FIRE: "3" };
const known = { me: () => -1, channelOf: (id: number) => (id === 7 ? "1" : null), frequency: (named: string) => channels[named] ?? null };

const talk = (serverId: number, frequency: string, state = true): Message => ({ to: {}, name: "talkingState", payload: { serverId, frequency, state } });
const note = (type: string, more: object, by: number | undefined = -1): Message => ({ to: {}, name: "dispatchNotification", payload: { type, by, ...more } });
const patch = (frequencies: string[], active: boolean): Message => note("patch", { patch: { frequencies }, active });

/** Marks of one task that begins at 0 ms and has a limit of 10 s. */
function one(needs: Need): Marks {
  const marks = new Marks([{ id: "t", name: "T", starts: 0, within: 10, needs }], known);
  marks.begin("t", 0);
  return marks;
}

test.each<[string, Need, Message, Message[]]>([
  ["an answer", { answer: 7 }, talk(-1, "1"), [talk(-2, "1"), talk(-1, "2"), talk(-1, "1", false)]],
  [
    "a panic that is acknowledged",
    { acknowledge: "panic", unit: 7, channel: "MAIN" },
    note("panicCleared", { serverId: 7, frequency: "1" }),
    [note("panicCleared", { serverId: 7, frequency: "1" }, -2), note("panicCleared", { serverId: 8, frequency: "1" }), note("panicCleared", { serverId: 7, frequency: "2" })],
  ],
  ["any panic", { acknowledge: "panic" }, note("panicCleared", { serverId: 9, frequency: "2" }), [note("panic", { serverId: 9, frequency: "2" })]],
  ["an alert that is cleared instead", { acknowledge: "alert" }, note("alertCleared", { frequency: "2" }), [note("alert", { frequency: "2" })]],
  [
    "a move",
    { move: 7, to: "TAC" },
    note("userSwitched", { serverId: 7, frequency: "2" }),
    [note("userSwitched", { serverId: 7, frequency: "1" }), note("userSwitched", { serverId: 8, frequency: "2" }), note("userSwitched", { serverId: 7, frequency: "2" }, 7)],
  ],
  ["a move to a talkgroup", { move: 7, to: "TAC" }, note("userSwitched", { serverId: 7, frequency: "2.5", controlFrequency: "2" }), []],
  ["a patch of these and others", { patch: ["MAIN", "TAC"] }, patch(["3", "2", "1"], true), [patch(["1", "3"], true), patch(["1", "2"], false)]],
  ["a patch taken down", { unpatch: ["MAIN"] }, patch(["1", "2"], false), [patch(["1", "2"], true), patch(["2", "3"], false)]],
  [
    "an alert, however its name is written",
    { alert: "signal 100", channel: "MAIN" },
    note("alert", { frequency: "1", alertConfig: { name: "SIGNAL 100" } }),
    [note("alert", { frequency: "2", alertConfig: { name: "SIGNAL 100" } }), note("alert", { frequency: "1", alertConfig: { name: "SIGNAL 3" } })],
  ],
  ["an alert that does not stay", { alert: "Ping", channel: "MAIN" }, note("oneshot", { frequency: "1", alertConfig: { name: "Ping" } }), []],
  ["a cleared alert", { clear: "MAIN" }, note("alertCleared", { frequency: "1" }), [note("alertCleared", { frequency: "2" }), note("alertCleared", { frequency: "1" }, 7)]],
  ["a broadcast", { broadcast: true }, note("broadcast", { message: "Fog" }), [note("broadcast", { message: "Fog" }, -2), note("userAlert", { serverId: 7 })]],
  ["a text", { message: 7 }, note("userAlert", { serverId: 7 }), [note("userAlert", { serverId: 8 })]],
])("%s is what the task asks for, and nothing else is", (_, needs, right, wrong) => {
  const marks = one(needs);
  for (const m of wrong) expect(marks.hear(m, 1_000)).toEqual([]);
  expect(marks.score(2_000).tasks[0]).toMatchObject({ state: "open", since: 0, took: 2_000, points: 0 });
  expect(marks.hear(right, 3_000)).toEqual(["t"]);
  expect(marks.hear(right, 4_000)).toEqual([]);
  expect(marks.score(9_000)).toMatchObject({ points: 10, of: 10, tasks: [{ state: "done", took: 3_000, points: 10 }] });
});

test("nothing counts before a task has begun", () => {
  const marks = new Marks([{ id: "t", name: "T", starts: "call", within: 10, needs: { answer: 7 } }], known);
  expect(marks.hear(talk(-1, "1"), 1_000)).toEqual([]);
  expect(marks.score(2_000).tasks[0]).toMatchObject({ state: "waiting", since: null, took: null });
  expect(marks.next()).toBeNull();
});

test("an answer inside of the call took no time; one behind it counts from its end", () => {
  const marks = new Marks(["a", "b"].map((id) => ({ id, name: id, starts: "call", within: 10, needs: { answer: 7 } })), known);
  marks.begin("a", 1_000, true);
  marks.hear(talk(-1, "1"), 3_000);
  marks.callEnded("a", 5_000);
  expect(marks.score(6_000).tasks[0]).toMatchObject({ state: "done", since: 1_000, took: 0 });
  marks.begin("b", 7_000, true);
  expect(marks.next()).toBeNull(); // the time does not run while the unit talks
  marks.callEnded("b", 20_000);
  expect(marks.next()).toBe(30_000);
  marks.hear(talk(-1, "1"), 21_500);
  expect(marks.score(22_000)).toMatchObject({ meanTime: 750, tasks: [{}, { since: 20_000, took: 1_500 }] });
});

test("a task past its limit is missed, and a missed answer is a missed call", () => {
  const marks = new Marks(
    [
      { id: "call", name: "C", starts: 0, within: 5, needs: { answer: 7 } },
      { id: "move", name: "M", starts: 0, within: 8, needs: { move: 7, to: "TAC" } },
    ],
    known,
  );
  for (const id of ["call", "move"]) marks.begin(id, 0);
  expect(marks.pass(4_999)).toEqual([]);
  expect(marks.next()).toBe(5_000);
  expect(marks.pass(5_000)).toEqual(["call"]);
  expect(marks.pass(60_000)).toEqual(["move"]);
  expect(marks.score(60_000)).toMatchObject({ points: 0, of: 20, missedCalls: 1, meanTime: null, tasks: [{ state: "missed" }, { state: "missed" }] });
  expect(marks.hear(talk(-1, "1"), 61_000)).toEqual([]);
});

test("the mean time is that of answers and acknowledgements", () => {
  const marks = new Marks(
    [
      { id: "a", name: "A", starts: 0, within: 10, needs: { answer: 7 } },
      { id: "b", name: "B", starts: 0, within: 10, needs: { acknowledge: "alert", channel: "MAIN" } },
      { id: "c", name: "C", starts: 0, within: 10, needs: { broadcast: true } },
    ],
    known,
  );
  for (const id of ["a", "b", "c"]) marks.begin(id, 0);
  marks.hear(talk(-1, "1"), 2_000);
  expect(marks.did({ event: "acknowledgeAlert", payload: { channels: ["2"] } }, 3_000)).toEqual([]);
  expect(marks.did({ event: "acknowledgeAlert", payload: { channels: ["1"] } }, 4_000)).toEqual(["b"]);
  marks.hear(note("broadcast", {}), 9_000);
  expect(marks.score(9_000).meanTime).toBe(3_000);
});

test.each([
  [0, 10],
  [5_000, 10],
  [6_000, 9],
  [7_500, 8],
  [9_999, 5],
  [10_000, 5],
])("after %i ms of 10 s a task is worth %i of 10 points", (took, points) => {
  expect(worth(10, took, 10_000)).toBe(points);
});
