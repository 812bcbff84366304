import { expect, test } from "vitest";
import { quietCity } from "./city.testing";
import { Dice } from "../dice";
import { shipped } from "./scenarios";
import { checkAlerts, checkChannels, parseScenario } from "./script";

type Fields = Record<string, unknown>;

const units = [{ id: 7, name: "Adam" }, { id: -2, name: "SOUTH" }];
const call = { id: "call", at: 1, unit: 7, do: "talk", for: 2 };
const task = { id: "t", name: "Answer", starts: "call", within: 10, needs: { answer: 7 } };

const read = (more: Fields = {}): unknown =>
  parseScenario(JSON.stringify({ name: "N", about: "A", units, steps: [call], ...more }));

test("a valid scenario is returned unchanged", () => {
  const whole = {
    name: "N",
    about: "A",
    seed: 3,
    radio: {},
    desk: { callsign: "NORTH", joined: "MAIN", scans: ["TAC"], zone: "City" },
    units: [{ id: 7, name: "Adam", nacId: "police", unitId: "A12", callsign: "1A12", on: "MAIN", scans: ["TAC"], pitch: 110, off: true }, { id: -2, name: "SOUTH" }],
    steps: [
      { id: "call", at: 0, unit: 7, do: "talk", for: 2.5, on: "MAIN", says: "Hello", override: true },
      { after: "call", unit: 7, do: "release" },
      ...["leave", "panic", "calm", "on", "off"].map((d) => ({ after: "call", wait: 1, unit: 7, do: d })),
      ...["join", "scan", "unscan"].map((d) => ({ at: 2, unit: 7, do: d, channel: "TAC" })),
      { at: 3, do: "alert", alert: "SIGNAL 100", channel: "MAIN" },
      { at: 3, unit: 7, do: "clear", channel: "MAIN" },
      { at: 3, unit: -2, do: "move", who: 7, channel: "TAC" },
      { at: 3, unit: -2, do: "patch", channels: ["MAIN", "TAC"], label: "Both" },
      { at: 3, do: "unpatch", label: "Both" },
      { after: "t", unit: -2, do: "broadcast", message: "Good night" },
      { at: 3, do: "link", down: 5 },
    ],
    chatter: { every: [5, 10], lasting: [1, 3], units: [7] },
    tasks: [
      { ...task, points: 20 },
      ...[
        { acknowledge: "panic", unit: 7, channel: "MAIN" },
        { acknowledge: "alert" },
        { move: 7, to: "TAC" },
        { patch: ["MAIN", "TAC"] },
        { unpatch: ["MAIN"] },
        { alert: "SIGNAL 100", channel: "MAIN" },
        { clear: "MAIN" },
        { broadcast: true },
        { message: 7 },
      ].map((needs, i) => ({ id: `t${i}`, name: "T", starts: i, within: 10, needs })),
    ],
    ends: 300,
  };
  expect(parseScenario(JSON.stringify(whole))).toEqual(whole);
});

const step = (more: Fields): Fields => ({ steps: [{ ...call, ...more }] });
const need = (needs: Fields): Fields => ({ tasks: [{ ...task, needs }] });
const without = (key: string): Fields => ({ steps: [Object.fromEntries(Object.entries(call).filter(([k]) => k !== key))] });

test.each<[Fields, string]>([
  [{ name: 5 }, "name: must be a non-empty string"],
  [{ name: " " }, "name: must be a non-empty string"],
  [{ about: undefined }, "about: is missing"],
  [{ about: "x".repeat(201) }, "about: must have at most 200 characters"],
  [{ colour: "red" }, "colour: unknown field"],
  [{ radio: [] }, "radio: must be an object"],
  [{ seed: 1.5 }, "seed: must be a whole number from 0 to 4294967295"],
  [{ ends: 0 }, "ends: must be a number of seconds above 0"],
  [{ desk: { joined: 5 } }, "desk.joined: must be a non-empty string"],
  [{ units: {} }, "units: must be a list"],
  [{ units: Array.from({ length: 501 }, (_, i) => ({ id: i + 1, name: "U" })) }, "units: must have at most 500 entries"],
  [{ units: [{ id: 0, name: "U" }] }, "units[0].id: must not be 0"],
  [{ units: [{ id: -1, name: "U" }] }, "units[0].id: must not be -1, which is this desk"],
  [{ units: [...units, { id: 7, name: "Other" }] }, "units[2].id: 7 occurs twice"],
  [{ units: [{ id: 7, name: "U", pitch: 5 }] }, "units[0].pitch: must be a pitch in Hz from 60 to 400"],
  [{ units: [{ id: 7, name: "U", scans: ["MAIN", ""] }] }, "units[0].scans[1]: must be a non-empty string"],
  [{ steps: Array.from({ length: 2_001 }, () => ({ at: 1, unit: 7, do: "leave" })) }, "steps: must have at most 2000 entries"],
  [{ steps: [call, call] }, 'steps[1].id: "call" occurs twice'],
  [{ steps: ["talk"] }, "steps[0].do: is missing"],
  [without("do"), "steps[0].do: is missing"],
  [step({ do: "sing" }), "steps[0].do: must be one of talk, release,"],
  [step({ do: "toString" }), "steps[0].do: must be one of"],
  [step({ for: 0 }), "steps[0].for: must be a number of seconds above 0"],
  [step({ for: "2" }), "steps[0].for: must be a number of seconds above 0"],
  [step({ for: 601 }), "steps[0].for: must be at most 600 seconds"],
  [without("for"), "steps[0].for: is missing"],
  [step({ loud: true }), "steps[0].loud: unknown field"],
  [step({ override: 1 }), "steps[0].override: must be true or false"],
  [step({ at: -1 }), "steps[0].at: must be a number of seconds from 0 to 86400"],
  [step({ after: "call" }), "steps[0]: needs either at or after"],
  [without("at"), "steps[0]: needs either at or after"],
  [step({ wait: 2 }), "steps[0].wait: is allowed only with after"],
  [without("unit"), "steps[0].unit: is missing"],
  [step({ unit: 99 }), "steps[0].unit: unknown unit 99"],
  [{ steps: [{ at: 1, do: "link", down: 5, unit: 7 }] }, "steps[0].unit: is not allowed here: it is this console's link"],
  [{ steps: [{ at: 1, do: "patch", channels: ["A", "B"], unit: 7 }] }, "steps[0].unit: must be a dispatcher (below -1)"],
  [{ steps: [{ at: 1, do: "patch", channels: ["A"] }] }, "steps[0].channels: must have at least 2 entries"],
  [{ steps: [{ at: 1, do: "move", who: 99, channel: "A" }] }, "steps[0].who: unknown unit 99"],
  [{ steps: [{ ...call, at: undefined, after: "tea" }] }, 'steps[0].after: unknown step or task "tea"'],
  [{ steps: [{ ...call, at: undefined, after: "call" }] }, 'steps[0].after: leads back to "call"'],
  [
    { steps: [{ ...call, at: undefined, after: "t" }, { ...call, id: "b" }], tasks: [task] },
    'steps[0].after: leads back to "call"',
  ],
  [
    { steps: [{ ...call, id: "a", at: undefined, after: "b" }, { ...call, id: "b", at: undefined, after: "c" }, { ...call, id: "c", at: undefined, after: "b" }] },
    'steps[0].after: leads back to "b"',
  ],
  [{ chatter: { every: [5, 2], lasting: [1, 2] } }, "chatter.every: must be [shortest, longest]"],
  [{ chatter: { every: [0, 2], lasting: [1, 2] } }, "chatter.every[0]: must be a number of seconds above 0"],
  [{ chatter: { every: [1, 2], lasting: [1, 2], units: [99] } }, "chatter.units[0]: unknown unit 99"],
  [{ tasks: Array.from({ length: 201 }, (_, i) => ({ ...task, id: `t${i}` })) }, "tasks: must have at most 200 entries"],
  [{ tasks: [{ ...task, id: "call" }] }, 'tasks[0].id: "call" occurs twice'],
  [{ tasks: [{ ...task, starts: "tea" }] }, 'tasks[0].starts: unknown step "tea"'],
  [{ tasks: [{ ...task, starts: true }] }, "tasks[0].starts: must be a non-empty string"],
  [{ tasks: [{ ...task, within: 0 }] }, "tasks[0].within: must be a number of seconds above 0"],
  [{ tasks: [{ ...task, points: 0.5 }] }, "tasks[0].points: must be a whole number from 0 to 1000"],
  [need({}), "tasks[0].needs: must have one of answer, acknowledge,"],
  [need({ answer: 7, clear: "MAIN" }), "tasks[0].needs.clear: unknown field"],
  [need({ answer: -2 }), 'tasks[0].needs.answer: the call "call" is made by unit 7'],
  [need({ move: 99, to: "A" }), "tasks[0].needs.move: unknown unit 99"],
  [need({ acknowledge: "call" }), "tasks[0].needs.acknowledge: must be panic or alert"],
  [need({ acknowledge: "alert", unit: 7 }), "tasks[0].needs.unit: is allowed only for a panic"],
  [need({ broadcast: false }), "tasks[0].needs.broadcast: must be true"],
])("%j is refused: %s", (more, says) => {
  expect(() => read(more)).toThrow(says);
});

test.each([
  ["", "Not valid JSON"],
  ["[]", "A scenario must be a JSON object"],
  ["null", "A scenario must be a JSON object"],
  [`"${"x".repeat(2_000_000)}"`, "longer than 2000000 characters"],
])("a file that is no scenario is refused", (file, says) => {
  expect(() => parseScenario(file)).toThrow(says);
});

test("a key of Object.prototype is not a field", () => {
  expect(() => parseScenario(JSON.stringify({ name: "N", about: "A", units, steps: [call] }).replace("{", '{"__proto__":1,'))).toThrow("__proto__: unknown field");
});

test("channels are found on the radio, or the field is named", () => {
  const find = (named: string): string | null => (named === "MAIN" ? "154.755" : null);
  const needs = (n: Fields): Fields => ({ tasks: [{ ...task, needs: n }] });
  const cases: [Fields, string][] = [
    [{ desk: { joined: "X" } }, "desk.joined"],
    [{ desk: { scans: ["MAIN", "X"] } }, "desk.scans[1]"],
    [{ units: [{ id: 7, name: "U", on: "X" }] }, "units[0].on"],
    [{ units: [{ id: 7, name: "U", scans: ["X"] }] }, "units[0].scans[0]"],
    [{ steps: [{ at: 1, do: "clear", channel: "X" }] }, "steps[0].channel"],
    [{ steps: [{ ...call, on: "X" }] }, "steps[0].on"],
    [{ steps: [{ at: 1, do: "patch", channels: ["MAIN", "X"] }] }, "steps[0].channels[1]"],
    [needs({ move: 7, to: "X" }), "tasks[0].needs.to"],
    [needs({ patch: ["X", "MAIN"] }), "tasks[0].needs.patch[0]"],
    [needs({ unpatch: ["X"] }), "tasks[0].needs.unpatch[0]"],
    [needs({ clear: "X" }), "tasks[0].needs.clear"],
    [needs({ alert: "A", channel: "X" }), "tasks[0].needs.channel"],
  ];
  for (const [more, field] of cases) {
    expect(() => checkChannels({ ...quietCity({ units: [] }), ...more }, find)).toThrow(`${field}: the radio has no channel "X"`);
  }
  expect(() => checkChannels(quietCity({ units: [{ id: 7, name: "U", on: "MAIN" }] }), find)).not.toThrow();
});

test("alerts are found on the radio, or the field is named", () => {
  const has = (named: string): boolean => named.toLowerCase() === "signal 100";
  const raise = (alert: string): Fields => ({ steps: [{ at: 1, do: "alert", alert, channel: "MAIN" }] });
  const needs = (alert: string): Fields => ({ tasks: [{ ...task, needs: { alert, channel: "MAIN" } }] });
  const check = (more: Fields) => () => checkAlerts({ ...quietCity({ units: [] }), ...more }, has);
  expect(check(raise("SIGNAL 1000"))).toThrow('steps[0].alert: the radio has no alert "SIGNAL 1000"');
  expect(check(needs("SIGNAL 1000"))).toThrow('tasks[0].needs.alert: the radio has no alert "SIGNAL 1000"');
  expect(check({ ...raise("Signal 100"), ...needs("Signal 100") })).not.toThrow();
});

test("whatever a file holds, it is a scenario or an error that names a field", () => {
  const dice = new Dice(2_024);
  const odd = [null, true, 0, -1, 7, 1.5, 1e300, "", "call", "__proto__", [], [1, 2], {}, { do: "talk" }, { answer: 7 }];
  // In a valid scenario, one value is replaced, left out or added somewhere.
  const spoil = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || dice.next() < 0.1) return dice.pick(odd);
    const key = dice.pick(Object.keys(value));
    const copy = structuredClone(value) as Fields;
    if (key === undefined || dice.next() < 0.05) copy[String(dice.pick(["for", "at", "unit", "x"]))] = dice.pick(odd);
    else if (dice.next() < 0.1 && !Array.isArray(copy)) delete copy[key];
    else copy[key] = spoil(copy[key]);
    return copy;
  };
  let refused = 0;
  for (let i = 0; i < 3_000; i++) {
    const text = JSON.stringify(spoil(dice.pick(shipped)?.scenario));
    try {
      expect(JSON.parse(text)).toEqual(parseScenario(text));
    } catch (e) {
      expect((e as Error).name, text).toBe("Error");
      expect((e as Error).message).toMatch(/^([a-zA-Z_][\w.[\]]*: .|A scenario must be)/);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(1_500);
  expect(refused).toBeLessThan(3_000);
});
