// Reads scenario files. The format is described in panel/SCENARIOS.md.

import { filters } from "../state/desk";
import type { Deed, Scenario } from "./api";
import { type Check, flag, isObject, list, meant, mustBe, number, object, oneOf, optional, type Shape, span, spans, text, whole, word } from "./fields";
import { keyNames } from "./keys";
import { Mistaken, Mistakes } from "./mistakes";
import { nearest } from "./nearest";
import { checkReferences, soundPart } from "./references";

/** Characters of a file. Origin: 2000 steps with two long texts each in two languages are below 2 MB. */
const maxFile = 2_000_000;
/** Origin: a step every two seconds for an hour. */
const maxSteps = 2_000;
/** Origin: the largest crowd that the panel is measured with. */
const maxUnits = 500;
/** Origin: a task every 20 seconds for an hour, which nobody can do. */
const maxTasks = 200;
/** Characters. Origin: what is drawn on a line or two, and said in 20 seconds. */
const maxText = 200;
/** Seconds; the length of a day. */
const maxTime = 86_400;
/** Seconds of one talk, or of a lost link. Origin: ten times the time-out timer of the demo radio. */
const maxTalk = 600;
/** Channels in a list. Origin: the scan list of the core. */
const maxChannels = 160;
/** ms since the epoch: the last date that everything can write with four digits of the year. */
const latest = Date.UTC(10_000, 0);
/** Ids are 32 bits in the core. */
const maxId = 2 ** 31 - 1;

const name = word(maxText);
const said = text(maxText);
const channel = name;
const moment = number(0, maxTime, "a number of seconds");

const unitId: Check = (value, field, wrong) => {
  if (value === -1) wrong.add(field, "must not be -1, which is this desk");
  else if (value === 0) wrong.add(field, "must not be 0");
  else whole(-maxId, maxId)(value, field, wrong);
};

const deeds: Record<Deed["do"], Shape> = {
  talk: { for: span(maxTalk), on: optional(channel), says: optional(said), override: optional(flag) },
  release: {},
  join: { channel },
  leave: {},
  scan: { channel },
  unscan: { channel },
  panic: {},
  calm: {},
  mute: {},
  unmute: {},
  alert: { alert: name, channel },
  clear: { channel },
  on: {},
  off: {},
  quit: {},
  move: { who: unitId, channel },
  acknowledge: { who: unitId },
  close: { who: unitId, reason: optional(oneOf("resolved", "accidental", "test", "other")), note: optional(name) },
  end: { who: unitId },
  patch: { channels: list(channel, 2, maxChannels), label: optional(name) },
  unpatch: { label: name },
  broadcast: { message: said },
  link: { down: span(maxTalk) },
};

/** Deeds of a unit itself; the others can also be done from outside the units. */
const own: readonly string[] = ["talk", "release", "join", "leave", "scan", "unscan", "panic", "calm", "mute", "unmute", "on", "off", "quit"] satisfies Deed["do"][];
/** Deeds that only a dispatcher does, or somebody outside the units. */
const dispatching: readonly string[] = ["move", "acknowledge", "close", "patch", "unpatch", "broadcast"] satisfies Deed["do"][];
/** Deeds that nobody on the radio does. */
const nobodys: readonly string[] = ["link", "end"] satisfies Deed["do"][];

const step: Check = (value, field, wrong) => {
  if (!isObject(value)) return wrong.add(field, mustBe("an object", value));
  const kinds = Object.keys(deeds);
  const kind = value["do"];
  if (typeof kind !== "string" || !Object.hasOwn(deeds, kind)) {
    const miswritten = kind === undefined ? Object.keys(value).find((k) => nearest(k, ["do"]) !== null && typeof value[k] === "string") : undefined;
    if (miswritten !== undefined) return wrong.add(`${field}.${miswritten}`, "unknown field; did you mean do?");
    if (kind === undefined) return wrong.add(`${field}.do`, `is missing${meant("", kinds, "deeds")}`);
    if (typeof kind !== "string") return wrong.add(`${field}.do`, mustBe("a text", kind));
    return wrong.add(`${field}.do`, `there is no deed ${JSON.stringify(kind)}${meant(kind, kinds, "deeds")}`);
  }
  const shape = { do: name, id: optional(name), unit: optional(unitId), at: optional(moment), after: optional(name), wait: optional(moment), ...deeds[kind as Deed["do"]] };
  object(shape)(value, field, wrong);
  if (!wrong.sound(field)) return;
  const { at, after, wait, unit } = value as { unit?: number; at?: number; after?: string; wait?: number };
  if ((at === undefined) === (after === undefined)) wrong.add(field, "needs either at or after");
  if (wait !== undefined && after === undefined) wrong.add(`${field}.wait`, "is allowed only with after");
  if (own.includes(kind) && unit === undefined) wrong.add(`${field}.unit`, "is missing");
  if (nobodys.includes(kind) && unit !== undefined) wrong.add(`${field}.unit`, "is not allowed here: no unit does this");
  if (dispatching.includes(kind) && unit !== undefined && unit > 0) wrong.add(`${field}.unit`, `must be a dispatcher (below -1), not ${unit}`);
};

/** Checks a deed of which no scenario tells, such as one in a theme's test. Throws what is wrong with it. */
export function checkDeed(value: unknown): void {
  if (!isObject(value)) throw new TypeError(`a deed ${mustBe("an object", value)}`);
  const kinds = Object.keys(deeds);
  const kind = value["do"];
  if (typeof kind !== "string" || !Object.hasOwn(deeds, kind)) {
    if (kind === undefined) throw new TypeError(`a deed without do${meant("", kinds, "deeds")}`);
    const near = nearest(String(kind), kinds);
    throw new TypeError(`unknown deed ${JSON.stringify(kind)}${near === null ? meant("", kinds, "deeds") : `; did you mean "${near}"?`}`);
  }
  const wrong = new Mistakes();
  const { unit, ...what } = value;
  object({ do: name, ...deeds[kind as Deed["do"]] })(what, kind, wrong);
  if (unit !== undefined) unitId(unit, `${kind}.unit`, wrong);
  else if (own.includes(kind)) wrong.add(`${kind}.unit`, "is missing");
  wrong.raise();
}

const isTrue: Check = (value, field, wrong) => {
  if (value !== true) wrong.add(field, mustBe("true", value));
};

const needs: Record<string, Shape> = {
  answer: { answer: unitId },
  acknowledge: { acknowledge: oneOf("panic", "alert"), unit: optional(unitId), channel: optional(channel) },
  emergency: { emergency: oneOf("answered", "acknowledged", "closed"), unit: optional(unitId) },
  move: { move: unitId, to: channel },
  patch: { patch: list(channel, 2, maxChannels) },
  unpatch: { unpatch: list(channel, 1, maxChannels) },
  alert: { alert: name, channel },
  clear: { clear: channel },
  broadcast: { broadcast: isTrue },
  message: { message: unitId },
  monitor: { monitor: channel },
  target: { target: channel },
  talk: { talk: channel },
  hear: { hear: unitId },
  replay: { replay: channel },
};

const need: Check = (value, field, wrong) => {
  const kinds = Object.keys(needs);
  if (!isObject(value)) return wrong.add(field, mustBe("an object", value));
  const kind = kinds.find((k) => Object.hasOwn(value, k));
  if (kind === undefined) {
    const near = Object.keys(value).find((k) => nearest(k, kinds) !== null);
    if (near !== undefined) return wrong.add(`${field}.${near}`, `unknown field${meant(near, kinds, "fields here")}`);
    return wrong.add(field, `must have one of ${kinds.join(", ")}`);
  }
  object(needs[kind] as Shape)(value, field, wrong);
  if (wrong.sound(field) && value["acknowledge"] === "alert" && value["unit"] !== undefined) wrong.add(`${field}.unit`, "is allowed only for a panic");
};

const unit = object({
  id: unitId,
  name,
  nacId: optional(name),
  unitId: optional(name),
  callsign: optional(name),
  on: optional(channel),
  scans: optional(list(channel, 0, maxChannels)),
  pitch: optional(number(60, 400, "a pitch in Hz")), // from a deep man's voice to a child's
  off: optional(flag),
});

/** What to press, with {names} of keys in it. */
const how: Check = (value, field, wrong) => {
  said(value, field, wrong);
  const each = isObject(value) ? Object.entries(value).map(([l, t]) => [t, `${field}.${l}`] as const) : [[value, field] as const];
  for (const [t, at] of each) {
    for (const [, key = ""] of typeof t === "string" ? t.matchAll(/\{([^}]*)\}/g) : []) {
      if (!keyNames.includes(key)) wrong.add(at, `there is no key {${key}}${meant(key, keyNames, "keys")}`);
    }
  }
};

const task = object({
  id: name,
  name: said,
  how: optional(how),
  hint: optional(how),
  starts: optional((value, field, wrong) => {
    if (typeof value === "string") name(value, field, wrong);
    else if (typeof value === "number") moment(value, field, wrong);
    else wrong.add(field, mustBe("the id of a step, or a number of seconds", value));
  }),
  within: span(maxTime),
  points: optional(whole(0, 1_000)),
  needs: need,
});

const scenario = object({
  name: said,
  about: said,
  guided: optional(flag),
  radio: optional((value, field, wrong) => {
    if (!isObject(value)) wrong.add(field, mustBe("an object", value)); // the core checks the rest
  }),
  seed: optional(whole(0, 2 ** 32 - 1)),
  clock: optional((value, field, wrong) => {
    const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
    if (!(at > 0 && at < latest)) wrong.add(field, mustBe('a date and time such as "2026-03-14T14:28:00Z"', value));
  }),
  desk: optional(
    object({
      callsign: optional(name),
      joined: optional((value, field, wrong) => value !== null && channel(value, field, wrong)),
      scans: optional(list(channel, 0, maxChannels)),
      zone: optional(name),
      filter: optional(oneOf(...filters)),
    }),
  ),
  units: list(unit, 0, maxUnits),
  steps: list(step, 0, maxSteps),
  chatter: optional(object({ every: spans(maxTime), lasting: spans(maxTalk), units: optional(list(unitId, 1, maxUnits)) })),
  tasks: optional(list(task, 0, maxTasks)),
  ends: optional(span(maxTime)),
});

/** Reads a scenario. Throws Mistaken, which names every field that is wrong. */
export function parseScenario(file: string): Scenario {
  const wrong = new Mistakes();
  if (file.length > maxFile) throw new Mistaken([{ field: "file", says: `must have at most ${maxFile} characters, not ${file.length}` }]);
  let value: unknown;
  try {
    value = JSON.parse(file.replace(/^\uFEFF/, "")); // some editors mark a file as UTF-8
  } catch (e) {
    throw new Mistaken([{ field: place(file, (e as Error).message), says: `is not valid JSON: ${(e as Error).message}` }]);
  }
  if (!isObject(value)) throw new Mistaken([{ field: "file", says: mustBe("a JSON object", value) }]);
  scenario(value, "", wrong);
  checkReferences(soundPart(value, wrong), wrong);
  wrong.raise();
  return value as unknown as Scenario; // every field has been checked
}

/** Where a file is not JSON, as far as the browser says it. */
function place(file: string, says: string): string {
  const direct = /line (\d+) column (\d+)/.exec(says);
  if (direct) return `line ${direct[1]}, column ${direct[2]}`;
  const at = Number(/position (\d+)/.exec(says)?.[1] ?? file.length);
  const before = file.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}
