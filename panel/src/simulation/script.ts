// Reads scenario files. The format is described in panel/SCENARIOS.md.

import type { Deed, Need, Scenario } from "./api";
import { type Check, fault, flag, isObject, list, number, object, oneOf, optional, type Shape, span, spans, text, whole } from "./fields";

/** Characters of a file. Origin: 2000 steps with two long texts each are below 1 MB. */
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
/** Ids are 32 bits in the core. */
const maxId = 2 ** 31 - 1;

const words = text(maxText);
const channel = words;
const moment = number(0, maxTime, "a number of seconds");

const unitId: Check = (value, field) => {
  whole(-maxId, maxId)(value, field);
  if (value === 0) throw fault(field, "must not be 0");
  if (value === -1) throw fault(field, "must not be -1, which is this desk");
};

const deeds: Record<Deed["do"], Shape> = {
  talk: { for: span(maxTalk), on: optional(channel), says: optional(words), override: optional(flag) },
  release: {},
  join: { channel },
  leave: {},
  scan: { channel },
  unscan: { channel },
  panic: {},
  calm: {},
  alert: { alert: words, channel },
  clear: { channel },
  on: {},
  off: {},
  move: { who: unitId, channel },
  patch: { channels: list(channel, 2, maxChannels), label: optional(words) },
  unpatch: { label: words },
  broadcast: { message: words },
  link: { down: span(maxTalk) },
};

/** Deeds of a unit itself; the others can also be done from outside the units. */
const own: readonly string[] = ["talk", "release", "join", "leave", "scan", "unscan", "panic", "calm", "on", "off"] satisfies Deed["do"][];
/** Deeds that only a dispatcher does, or somebody outside the units. */
const dispatching: readonly string[] = ["move", "patch", "unpatch", "broadcast"] satisfies Deed["do"][];

const kindOf = (value: unknown, field: string): Deed["do"] => {
  const kind = isObject(value) ? value["do"] : undefined;
  if (kind === undefined) throw fault(`${field}.do`, "is missing");
  if (typeof kind !== "string" || !Object.hasOwn(deeds, kind)) throw fault(`${field}.do`, `must be one of ${Object.keys(deeds).join(", ")}`);
  return kind as Deed["do"];
};

const step: Check = (value, field) => {
  const kind = kindOf(value, field);
  object({
    do: words,
    id: optional(words),
    unit: optional(unitId),
    at: optional(moment),
    after: optional(words),
    wait: optional(moment),
    ...deeds[kind],
  })(value, field);
  const s = value as { unit?: number; at?: number; after?: string; wait?: number };
  if ((s.at === undefined) === (s.after === undefined)) throw fault(field, "needs either at or after");
  if (s.wait !== undefined && s.after === undefined) throw fault(`${field}.wait`, "is allowed only with after");
  if (own.includes(kind) && s.unit === undefined) throw fault(`${field}.unit`, "is missing");
  if (kind === "link" && s.unit !== undefined) throw fault(`${field}.unit`, "is not allowed here: it is this console's link");
  if (dispatching.includes(kind) && s.unit !== undefined && s.unit > 0) throw fault(`${field}.unit`, "must be a dispatcher (below -1)");
};

const needs: Record<string, Shape> = {
  answer: { answer: unitId },
  acknowledge: { acknowledge: oneOf("panic", "alert"), unit: optional(unitId), channel: optional(channel) },
  move: { move: unitId, to: channel },
  patch: { patch: list(channel, 2, maxChannels) },
  unpatch: { unpatch: list(channel, 1, maxChannels) },
  alert: { alert: words, channel },
  clear: { clear: channel },
  broadcast: {
    broadcast: (value, field) => {
      if (value !== true) throw fault(field, "must be true");
    },
  },
  message: { message: unitId },
};

const need: Check = (value, field) => {
  const kind = isObject(value) ? Object.keys(needs).find((k) => k in value) : undefined;
  if (kind === undefined) throw fault(field, `must have one of ${Object.keys(needs).join(", ")}`);
  object(needs[kind] as Shape)(value, field);
  const n = value as { acknowledge?: string; unit?: number };
  if (n.acknowledge === "alert" && n.unit !== undefined) throw fault(`${field}.unit`, "is allowed only for a panic");
};

const unit = object({
  id: unitId,
  name: words,
  nacId: optional(words),
  unitId: optional(words),
  callsign: optional(words),
  on: optional(channel),
  scans: optional(list(channel, 0, maxChannels)),
  pitch: optional(number(60, 400, "a pitch in Hz")), // from a deep man's voice to a child's
  off: optional(flag),
});

const task = object({
  id: words,
  name: words,
  starts: (value, field) => (typeof value === "number" ? moment : words)(value, field),
  within: span(maxTime),
  points: optional(whole(0, 1_000)),
  needs: need,
});

const scenario = object({
  name: words,
  about: words,
  radio: optional((value, field) => {
    if (!isObject(value)) throw fault(field, "must be an object"); // the core checks the rest
  }),
  seed: optional(whole(0, 2 ** 32 - 1)),
  desk: optional(
    object({
      callsign: optional(words),
      joined: optional(channel),
      scans: optional(list(channel, 0, maxChannels)),
      zone: optional(words),
    }),
  ),
  units: list(unit, 0, maxUnits),
  steps: list(step, 0, maxSteps),
  chatter: optional(object({ every: spans(maxTime), lasting: spans(maxTalk), units: optional(list(unitId, 1, maxUnits)) })),
  tasks: optional(list(task, 0, maxTasks)),
  ends: optional(span(maxTime)),
});

/** Reads a scenario. Throws an Error that names the field at fault. */
export function parseScenario(file: string): Scenario {
  if (file.length > maxFile) throw new Error(`The file is longer than ${maxFile} characters`);
  let value: unknown;
  try {
    value = JSON.parse(file);
  } catch (e) {
    throw new Error(`Not valid JSON: ${(e as Error).message}`);
  }
  if (!isObject(value)) throw new Error("A scenario must be a JSON object");
  scenario(value, "");
  const s = value as unknown as Scenario; // every field has been checked
  checkIds(s);
  checkUnits(s);
  checkOrder(s);
  return s;
}

function checkIds(s: Scenario): void {
  const units = new Set<number>();
  s.units.forEach((u, i) => {
    if (units.has(u.id)) throw fault(`units[${i}].id`, `${u.id} occurs twice`);
    units.add(u.id);
  });
  // Steps and tasks share their ids, because "after" names both.
  const ids = new Set<string>();
  const add = (id: string, field: string): void => {
    if (ids.has(id)) throw fault(field, `"${id}" occurs twice`);
    ids.add(id);
  };
  s.steps.forEach((x, i) => x.id !== undefined && add(x.id, `steps[${i}].id`));
  s.tasks?.forEach((t, i) => add(t.id, `tasks[${i}].id`));
}

function checkUnits(s: Scenario): void {
  const known = new Set(s.units.map((u) => u.id));
  const some = [...known].slice(0, 10).join(", ") + (known.size > 10 ? ", …" : "");
  const must = (id: number | undefined, field: string): void => {
    if (id !== undefined && !known.has(id)) throw fault(field, `unknown unit ${id}; known units are ${some}`);
  };
  s.steps.forEach((x, i) => {
    must(x.unit, `steps[${i}].unit`);
    if (x.do === "move") must(x.who, `steps[${i}].who`);
  });
  s.chatter?.units?.forEach((id, i) => must(id, `chatter.units[${i}]`));
  s.tasks?.forEach((t, i) => {
    const [id, field] = unitOf(t.needs);
    must(id, `tasks[${i}].needs.${field}`);
    const call = s.steps.find((x) => x.id === t.starts);
    if ("answer" in t.needs && call?.do === "talk" && call.unit !== t.needs.answer)
      throw fault(`tasks[${i}].needs.answer`, `the call "${t.starts}" is made by unit ${call.unit}`);
  });
}

function unitOf(n: Need): [number | undefined, string] {
  if ("answer" in n) return [n.answer, "answer"];
  if ("move" in n) return [n.move, "move"];
  if ("message" in n) return [n.message, "message"];
  if ("acknowledge" in n) return [n.unit, "unit"];
  return [undefined, ""];
}

/** Checks that everything that comes after something else can ever begin. */
function checkOrder(s: Scenario): void {
  const follows = new Map<string, string | undefined>(); // id → what it comes after
  s.steps.forEach((x) => x.id !== undefined && follows.set(x.id, x.after));
  s.tasks?.forEach((t) => follows.set(t.id, typeof t.starts === "string" ? t.starts : undefined));
  s.tasks?.forEach((t, i) => {
    if (typeof t.starts === "string" && !s.steps.some((x) => x.id === t.starts))
      throw fault(`tasks[${i}].starts`, `unknown step "${t.starts}"`);
  });
  s.steps.forEach((x, i) => {
    if (x.after !== undefined && !follows.has(x.after)) throw fault(`steps[${i}].after`, `unknown step or task "${x.after}"`);
    const seen = new Set<string>();
    for (let id = x.after; id !== undefined; id = follows.get(id)) {
      if (id === x.id || seen.has(id)) throw fault(`steps[${i}].after`, `leads back to "${id}": it would never start`);
      seen.add(id);
    }
  });
}

/** Checks that the radio has every alert that is named: a task with an unknown one could not be done. Throws an Error that names the field. */
export function checkAlerts(s: Scenario, has: (named: string) => boolean): void {
  const must = (named: string, field: string): void => {
    if (!has(named)) throw fault(field, `the radio has no alert "${named}"`);
  };
  s.steps.forEach((x, i) => x.do === "alert" && must(x.alert, `steps[${i}].alert`));
  s.tasks?.forEach(({ needs: n }, i) => "alert" in n && must(n.alert, `tasks[${i}].needs.alert`));
}

/** Checks that the radio has every channel that is named. Throws an Error that names the field. */
export function checkChannels(s: Scenario, find: (named: string) => string | null): void {
  const must = (named: string | undefined, field: string): void => {
    if (named !== undefined && find(named) === null) throw fault(field, `the radio has no channel "${named}"`);
  };
  const each = (named: readonly string[] | undefined, field: string): void => named?.forEach((n, i) => must(n, `${field}[${i}]`));
  must(s.desk?.joined, "desk.joined");
  each(s.desk?.scans, "desk.scans");
  s.units.forEach((u, i) => {
    must(u.on, `units[${i}].on`);
    each(u.scans, `units[${i}].scans`);
  });
  s.steps.forEach((x, i) => {
    if ("channel" in x) must(x.channel, `steps[${i}].channel`);
    if (x.do === "talk") must(x.on, `steps[${i}].on`);
    if (x.do === "patch") each(x.channels, `steps[${i}].channels`);
  });
  s.tasks?.forEach(({ needs: n }, i) => {
    const at = `tasks[${i}].needs`;
    if ("channel" in n) must(n.channel, `${at}.channel`);
    if ("to" in n) must(n.to, `${at}.to`);
    if ("patch" in n) each(n.patch, `${at}.patch`);
    if ("unpatch" in n) each(n.unpatch, `${at}.unpatch`);
    if ("clear" in n) must(n.clear, `${at}.clear`);
  });
}
