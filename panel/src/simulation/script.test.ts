import { expect, test } from "vitest";
import { city } from "./city.testing";
import { Dice } from "../dice";
import { shipped } from "./scenarios";
import { Mistaken } from "./mistakes";
import { Names } from "./names";
import { checkRadio } from "./references";
import { checkDeed, parseScenario } from "./script";

type Fields = Record<string, unknown>;

const units = [{ id: 7, name: "Adam" }, { id: -2, name: "SOUTH" }];
const call = { id: "call", at: 1, unit: 7, do: "talk", for: 2 };
const task = { id: "t", name: "Answer", starts: "call", within: 10, needs: { answer: 7 } };

const read = (more: Fields = {}): unknown =>
  parseScenario(JSON.stringify({ name: "N", about: "A", radio: city, units, steps: [call], ...more }));

test("a valid scenario is returned unchanged", () => {
  const whole = {
    name: "N",
    about: "A",
    seed: 3,
    clock: "2026-03-14T14:28:00Z",
    radio: city,
    desk: { callsign: "NORTH", joined: "MAIN", scans: ["TAC"], zone: "City", filter: "all" },
    units: [{ id: 7, name: "Adam", nacId: "police", unitId: "A12", callsign: "1A12", on: "MAIN", scans: ["TAC"], pitch: 110, off: true }, { id: -2, name: "SOUTH" }],
    steps: [
      { id: "call", at: 0, unit: 7, do: "talk", for: 2.5, on: "MAIN", says: { en: "Hello", de: "Hallo" }, override: true },
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
      { at: 3, unit: 7, do: "mute" },
      { at: 3, unit: -2, do: "acknowledge", who: 7 },
      { at: 3, unit: -2, do: "close", who: 7, reason: "test", note: "All well" },
      { at: 3, do: "end", who: 7 },
    ],
    chatter: { every: [5, 10], lasting: [1, 3], units: [7] },
    tasks: [
      { ...task, how: "Hold {ptt}", hint: { en: "Now", de: "Jetzt" }, points: 20 },
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
        { emergency: "closed", unit: 7 },
        { monitor: "MAIN" },
        { target: "154.755" },
        { talk: "MAIN" },
        { hear: 7 },
        { replay: "MAIN" },
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
  [{ name: 5 }, "name: must be a text or { \"en\": …, \"de\": … }, not 5"],
  [{ name: " " }, "name: must not be empty"],
  [{ name: { en: "N" } }, "name.de: is missing"],
  [{ name: { en: "N", de: "N", fr: "N" } }, "name.fr: unknown field; fields here are en, de"],
  [{ steps: [{ ...call, says: { en: "", de: "Hallo" } }] }, "steps[0].says.en: must not be empty"],
  [{ about: undefined }, "about: is missing"],
  [{ about: "x".repeat(201) }, "about: must have at most 200 characters, not 201"],
  [{ colour: "red" }, "colour: unknown field; fields here are name, about"],
  [{ radio: [] }, "radio: must be an object"],
  [{ seed: 1.5 }, "seed: must be a whole number from 0 to 4294967295"],
  [{ clock: "14:28" }, "clock: must be a date and time"],
  [{ clock: 5 }, "clock: must be a date and time"],
  [{ steps: [{ at: 1, do: "end", who: 7, unit: 7 }] }, "steps[0].unit: is not allowed here"],
  [{ ends: 0 }, "ends: must be a number of seconds above 0"],
  [{ desk: { joined: 5 } }, "desk.joined: must be a text, not 5"],
  [{ units: {} }, "units: must be a list"],
  [{ units: Array.from({ length: 501 }, (_, i) => ({ id: i + 1, name: "U" })) }, "units: must have at most 500 entries"],
  [{ units: [{ id: 0, name: "U" }] }, "units[0].id: must not be 0"],
  [{ units: [{ id: -1, name: "U" }] }, "units[0].id: must not be -1, which is this desk"],
  [{ units: [...units, { id: 7, name: "Other" }] }, "units[2].id: 7 occurs twice"],
  [{ units: [{ id: 7, name: "U", pitch: 5 }] }, "units[0].pitch: must be a pitch in Hz from 60 to 400, not 5"],
  [{ units: [{ id: 7, name: "U", scans: ["MAIN", ""] }] }, "units[0].scans[1]: must not be empty"],
  [{ steps: Array.from({ length: 2_001 }, () => ({ at: 1, unit: 7, do: "leave" })) }, "steps: must have at most 2000 entries"],
  [{ steps: [call, call] }, 'steps[1].id: "call" occurs twice'],
  [{ steps: ["talk"] }, "steps[0]: must be an object, not \"talk\""],
  [without("do"), "steps[0].do: is missing"],
  [step({ do: "sing" }), "steps[0].do: there is no deed \"sing\"; deeds are talk, release,"],
  [step({ do: "toString" }), "steps[0].do: there is no deed"],
  [step({ for: 0 }), "steps[0].for: must be a number of seconds above 0"],
  [step({ for: "2" }), "steps[0].for: must be a number of seconds above 0, not \"2\""],
  [{ steps: [{ at: 1, unit: 7, do: "join", chanel: "MAIN" }] }, "steps[0].chanel: unknown field; did you mean channel?"],
  [{ steps: [{ at: 1, unit: 7, do: "jion", channel: "MAIN" }] }, "steps[0].do: there is no deed \"jion\"; did you mean join?"],
  [{ steps: [{ at: 1, unit: 7, du: "leave" }] }, "steps[0].du: unknown field; did you mean do?"],
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
  [{ steps: [{ at: 1, do: "link", down: 5, unit: 7 }] }, "steps[0].unit: is not allowed here"],
  [{ steps: [{ at: 1, do: "patch", channels: ["MAIN", "TAC"], unit: 7 }] }, "steps[0].unit: must be a dispatcher (below -1)"],
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
  [{ tasks: [{ ...task, starts: true }] }, "tasks[0].starts: must be the id of a step, or a number of seconds, not true"],
  [{ tasks: [{ ...task, starts: undefined }] }, "tasks[0].starts: is missing"],
  [{ guided: true, tasks: [{ ...task, starts: 5 }] }, "tasks[0].starts: must be the id of a step in a guided scenario, not 5"],
  [{ tasks: [{ ...task, how: "Hold {ppt}" }] }, "tasks[0].how: there is no key {ppt}; did you mean ptt?"],
  [{ tasks: [{ ...task, hint: { en: "{answer}", de: "{antwort}" } }] }, "tasks[0].hint.de: there is no key {antwort}"],
  [{ tasks: [{ ...task, within: 0 }] }, "tasks[0].within: must be a number of seconds above 0"],
  [{ tasks: [{ ...task, points: 0.5 }] }, "tasks[0].points: must be a whole number from 0 to 1000"],
  [need({}), "tasks[0].needs: must have one of answer, acknowledge,"],
  [need({ anwser: 7 }), "tasks[0].needs.anwser: unknown field; did you mean answer?"],
  [need({ answer: 7, clear: "MAIN" }), "tasks[0].needs.clear: unknown field"],
  [need({ emergency: "solved" }), "tasks[0].needs.emergency: must be answered or acknowledged or closed, not \"solved\""],
  [need({ answer: -2 }), 'tasks[0].needs.answer: the call "call" is made by unit 7'],
  [need({ move: 99, to: "A" }), "tasks[0].needs.move: unknown unit 99"],
  [need({ acknowledge: "call" }), "tasks[0].needs.acknowledge: must be panic or alert"],
  [need({ acknowledge: "alert", unit: 7 }), "tasks[0].needs.unit: is allowed only for a panic"],
  [need({ broadcast: false }), "tasks[0].needs.broadcast: must be true"],
])("%j is refused: %s", (more, says) => {
  expect(() => read(more)).toThrow(says);
});

test.each([
  ["", "line 1, column 1: is not valid JSON: "],
  ['{\n  "name": "N",,\n}', "line 2, column 15: is not valid JSON: "],
  ['{\n  "name": ', "line 2, column 11: is not valid JSON: "],
  ["[]", "file: must be a JSON object, not a list"],
  ["null", "file: must be a JSON object, not null"],
  [`"${"x".repeat(2_000_000)}"`, "file: must have at most 2000000 characters, not 2000002"],
])("a file that is no scenario is refused", (file, says) => {
  expect(() => parseScenario(file)).toThrow(says);
});

test("a key of Object.prototype is not a field", () => {
  expect(() => parseScenario(JSON.stringify({ name: "N", about: "A", units, steps: [call] }).replace("{", '{"__proto__":1,'))).toThrow("__proto__: unknown field");
});

/** What is wrong with a scenario, mistake by mistake. */
function mistakes(more: Fields): string[] {
  try {
    read(more);
  } catch (e) {
    expect(e).toBeInstanceOf(Mistaken);
    return (e as Mistaken).list.map((m) => `${m.field}: ${m.says}`);
  }
  return [];
}

test("all mistakes are told at once, each where it is", () => {
  const found = mistakes({
    desk: { joined: "MIAN" },
    units: [...units, { id: 8, nane: "Berta", on: "MAIN" }],
    steps: [call, { at: "2", unit: 7, do: "leave" }, { at: 3, unit: 7, do: "join", chanel: "TAC" }, { at: 4, do: "alert", alert: "Signal 10", channel: "TAK" }],
  });
  expect(found).toEqual([
    "units[2].nane: unknown field; did you mean name?",
    'steps[1].at: must be a number of seconds from 0 to 86400, not "2"',
    "steps[2].chanel: unknown field; did you mean channel?",
    'desk.joined: the radio has no channel "MIAN"; did you mean MAIN?',
    'steps[3].alert: the radio has no alert "Signal 10"; did you mean SIGNAL 100?',
    'steps[3].channel: the radio has no channel "TAK"; did you mean TAC?',
  ]);
});

test("at most 20 mistakes are told, and how many more there are", () => {
  try {
    read({ units: Array.from({ length: 50 }, (_, i) => ({ id: i + 1 })) });
    expect.unreachable();
  } catch (e) {
    const { list, more, message } = e as Mistaken;
    expect([list.length, more]).toEqual([20, 30]);
    expect(message.split("\n")).toHaveLength(21);
    expect(message).toMatch(/\nand 30 more$/);
  }
});

test("what depends on a mistake is not a mistake of its own", () => {
  expect(mistakes({ units: [{ id: "7", name: "Adam" }] })).toEqual(['units[0].id: must be a whole number from -2147483647 to 2147483647, not "7"']);
  expect(mistakes({ steps: [{ ...call, for: 0 }, { after: "call", unit: 7, do: "leave" }], tasks: [task] })).toEqual(["steps[0].for: must be a number of seconds above 0, not 0"]);
});

test("channels are found on the radio, or the field is named", () => {
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
    [needs({ alert: "Ping", channel: "X" }), "tasks[0].needs.channel"],
    [needs({ monitor: "X" }), "tasks[0].needs.monitor"],
    [needs({ target: "X" }), "tasks[0].needs.target"],
    [needs({ talk: "X" }), "tasks[0].needs.talk"],
    [needs({ replay: "X" }), "tasks[0].needs.replay"],
  ];
  const says = 'the radio has no channel "X"; channels are MAIN, TAC, FIRE, CLOSED, TRUNK';
  const small = new Names({ zones: [{ channels: [{ name: "MAIN", frequency: "154.755" }] }], alerts: [{ name: "Ping" }] });
  for (const [more, field] of cases) {
    expect(mistakes(more)).toEqual([`${field}: ${says}`]);
    expect(() => checkRadio({ name: "N", about: "A", units: [], steps: [], ...more } as never, small)).toThrow(`${field}: the radio has no channel "X"; channels are MAIN`);
  }
  expect(mistakes({ units: [{ id: 7, name: "U", on: "154.7550", scans: ["main"] }, { id: -2, name: "SOUTH" }] })).toEqual([]);
});

test("without zones, radio changes the demo radio; one that only the core can read is left to it", () => {
  const onDemo: Fields = { units: [{ id: 7, name: "U", on: "LSPD DISP" }] };
  expect(mistakes({ ...onDemo, radio: { panicTimeout: 0 } })).toEqual([]);
  expect(mistakes({ ...onDemo })).toHaveLength(1);
  expect(mistakes({ ...onDemo, radio: { zones: 5 } })).toEqual([]);
});

test("guided tasks wait for each other", () => {
  const guided = (after: string): Fields => ({
    guided: true,
    steps: [call, { id: "thanks", after, unit: 7, do: "talk", for: 2 }],
    tasks: [{ ...task, starts: undefined }, { ...task, id: "u", starts: "thanks" }],
  });
  expect(mistakes(guided("t"))).toEqual([]);
  expect(mistakes(guided("u"))).toEqual(['steps[1].after: leads back to "thanks": it would never start']);
});

test("whatever a file holds, it is a scenario or every mistake names a field", () => {
  const dice = new Dice(2_024);
  const odd = [null, true, 0, -1, 7, 1.5, 1e300, "", "call", "__proto__", [], [1, 2], {}, { do: "talk" }, { answer: 7 }, { en: "x" }, { en: "x", de: 5 }];
  // In a valid scenario, one value is replaced, left out, renamed or added somewhere.
  const spoil = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || dice.next() < 0.1) return dice.pick(odd);
    const key = dice.pick(Object.keys(value));
    const copy = structuredClone(value) as Fields;
    const list = Array.isArray(copy);
    if (key === undefined || dice.next() < 0.05) copy[String(dice.pick(["for", "at", "unit", "x", "", "a.b", "[0]", "\n", "x".repeat(99)]))] = dice.pick(odd);
    else if (dice.next() < 0.1 && !list) delete copy[key];
    else if (dice.next() < 0.1 && !list) {
      copy[key.slice(1)] = copy[key];
      delete copy[key];
    } else copy[key] = spoil(copy[key]);
    return copy;
  };
  let refused = 0;
  for (let i = 0; i < 3_000; i++) {
    let scenario = dice.pick(shipped)?.scenario as unknown;
    for (let n = Math.floor(dice.between(1, 4)); n > 0; n--) scenario = spoil(scenario);
    const text = JSON.stringify(scenario);
    try {
      expect(parseScenario(text)).toEqual(JSON.parse(text));
    } catch (e) {
      expect(e, text).toBeInstanceOf(Mistaken);
      const { list, message } = e as Mistaken;
      expect(list.length).toBeGreaterThan(0);
      for (const { field, says } of list) {
        expect(field, message).toMatch(/^([\w$]+|\[".*"\])(\.[\w$]+|\[\d+\]|\[".*"\])*$/);
        expect(says).toMatch(/^(must|is|needs|unknown|there is|the |leads|"?[-\w ]+"? occurs)/);
        expect(message).not.toMatch(/undefined|\[object|NaN/);
      }
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(1_500);
  expect(refused).toBeLessThan(3_000);
});

test("a file that breaks off anywhere says where", () => {
  const whole = JSON.stringify(shipped[1]!.scenario, null, 1);
  for (let at = 0; at < whole.length - 1; at += 97) expect(() => parseScenario(whole.slice(0, at))).toThrow(/^line \d+, column \d+: is not valid JSON: ./);
});

test("a deed by itself is checked, with the deed or field that was probably meant", () => {
  const says = (deed: unknown): string => {
    try {
      checkDeed(deed);
      return "";
    } catch (e) {
      return (e as Error).message;
    }
  };
  for (const good of [{ do: "talk", unit: 12, for: 3 }, { do: "link", down: 2 }, { do: "clear", channel: "154.755" }, { do: "panic", unit: 12 }]) expect(says(good)).toBe("");
  expect(says({ do: "tolk", unit: 12 })).toBe('unknown deed "tolk"; did you mean "talk"?');
  expect(says({ do: "constructor" })).toContain('unknown deed "constructor"; deeds are talk, release');
  expect(says({ unit: 12 })).toContain("a deed without do; deeds are talk");
  expect(says("talk")).toContain("a deed must be an object");
  expect(says({ do: "talk", unit: 12, four: 3 })).toBe("talk.four: unknown field; did you mean for?");
  expect(says({ do: "talk", for: 3 })).toBe("talk.unit: is missing");
  expect(says({ do: "panic", unit: 0 })).toContain("panic.unit: must not be 0");
});
