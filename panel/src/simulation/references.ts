// Checks what a scenario's fields say about each other and about its radio. Entries
// that have mistakes of their own are left out: what they mean is not known.

import type { Need, Scenario, Step, Task, UnitScript } from "./api";
import { configurationOf } from "./configuration";
import { isObject, meant } from "./fields";
import { Mistakes } from "./mistakes";
import { Names } from "./names";

/** An entry of a list, and its field. */
type Entry<T> = readonly [of: T, field: string];

/** What is valid by itself in a scenario. */
export interface Part {
  readonly guided: boolean;
  readonly desk: Scenario["desk"];
  readonly chatter: Scenario["chatter"];
  readonly units: readonly Entry<UnitScript>[];
  readonly steps: readonly Entry<Step>[];
  readonly tasks: readonly Entry<Task>[];
  /** Whether the ids of all units are known, and those of all steps and tasks. */
  readonly allUnits: boolean;
  readonly allIds: boolean;
  /** Null: only the core can tell. */
  readonly names: Names | null;
}

export function soundPart(value: Record<string, unknown>, wrong: Mistakes): Part {
  const entries = <T>(name: string): Entry<T>[] => {
    const list = value[name];
    if (!Array.isArray(list) || wrong.has(name)) return [];
    return list.map((x: unknown, i): Entry<T> => [x as T, `${name}[${i}]`]).filter(([, field]) => wrong.sound(field));
  };
  const one = <T>(name: string): T | undefined => (isObject(value[name]) && wrong.sound(name) ? (value[name] as T) : undefined);
  return {
    guided: value["guided"] === true,
    desk: one("desk"),
    chatter: one("chatter"),
    units: entries("units"),
    steps: entries("steps"),
    tasks: entries("tasks"),
    allUnits: wrong.sound("units"),
    allIds: wrong.sound("steps") && wrong.sound("tasks"),
    names: Names.of(configurationOf(value["radio"])),
  };
}

export function checkReferences(s: Part, wrong: Mistakes): void {
  checkIds(s, wrong);
  if (s.allUnits) checkUnits(s, wrong);
  checkCalls(s, wrong);
  checkStarts(s, wrong);
  if (s.allIds) checkOrder(s, wrong);
  if (s.names) checkNames(s, s.names, wrong);
}

/** Checks that a radio has all that the scenario names. Throws Mistaken. */
export function checkRadio(scenario: Scenario, names: Names): void {
  const wrong = new Mistakes();
  checkNames(soundPart(scenario as unknown as Record<string, unknown>, wrong), names, wrong);
  wrong.raise();
}

function checkIds({ units, steps, tasks }: Part, wrong: Mistakes): void {
  const ids = new Set<number>();
  for (const [u, field] of units) {
    if (ids.has(u.id)) wrong.add(`${field}.id`, `${u.id} occurs twice`);
    ids.add(u.id);
  }
  // Steps and tasks share their ids, because "after" names both.
  const taken = new Set<string>();
  for (const [{ id }, field] of [...steps, ...tasks]) {
    if (id === undefined) continue;
    if (taken.has(id)) wrong.add(`${field}.id`, `"${id}" occurs twice`);
    taken.add(id);
  }
}

function checkUnits(s: Part, wrong: Mistakes): void {
  const known = new Set(s.units.map(([u]) => u.id));
  const must = (id: number | undefined, field: string): void => {
    if (id !== undefined && !known.has(id)) wrong.add(field, `unknown unit ${id}${meant(String(id), [...known].map(String), "units")}`);
  };
  for (const [x, field] of s.steps) {
    must(x.unit, `${field}.unit`);
    if ("who" in x) must(x.who, `${field}.who`);
  }
  s.chatter?.units?.forEach((id, i) => must(id, `chatter.units[${i}]`));
  for (const [t, field] of s.tasks) must(...unitOf(t.needs, `${field}.needs`));
}

function unitOf(n: Need, field: string): [number | undefined, string] {
  if ("answer" in n) return [n.answer, `${field}.answer`];
  if ("hear" in n) return [n.hear, `${field}.hear`];
  if ("move" in n) return [n.move, `${field}.move`];
  if ("message" in n) return [n.message, `${field}.message`];
  if ("acknowledge" in n || "emergency" in n) return [n.unit, `${field}.unit`];
  return [undefined, field];
}

function checkCalls({ steps, tasks }: Part, wrong: Mistakes): void {
  for (const [{ needs, starts }, field] of tasks) {
    const call = typeof starts === "string" ? steps.find(([x]) => x.id === starts)?.[0] : undefined;
    if ("answer" in needs && call?.do === "talk" && call.unit !== needs.answer)
      wrong.add(`${field}.needs.answer`, `the call "${starts}" is made by unit ${call.unit}, not ${needs.answer}`);
  }
}

/** A guided scenario's tasks follow each other; others each begin with something. */
function checkStarts({ guided, tasks }: Part, wrong: Mistakes): void {
  for (const [t, field] of tasks) {
    if (!guided && t.starts === undefined) wrong.add(`${field}.starts`, "is missing");
    if (guided && typeof t.starts === "number") wrong.add(`${field}.starts`, `must be the id of a step in a guided scenario, not ${t.starts}`);
  }
}

/** Checks that everything that comes after something else can ever begin. */
function checkOrder({ guided, steps, tasks }: Part, wrong: Mistakes): void {
  const after = new Map<string, string[]>(); // id → what it comes after
  const stepIds = steps.flatMap(([x]) => x.id ?? []);
  for (const [x] of steps) if (x.id !== undefined) after.set(x.id, x.after === undefined ? [] : [x.after]);
  tasks.forEach(([t], i) => {
    const before = guided ? tasks[i - 1]?.[0].id : undefined;
    after.set(t.id, [t.starts, before].filter((id) => typeof id === "string"));
  });
  for (const [{ starts }, field] of tasks) {
    if (typeof starts === "string" && !stepIds.includes(starts)) wrong.add(`${field}.starts`, `unknown step "${starts}"${meant(starts, stepIds, "steps")}`);
  }
  const known = [...after.keys()];
  const fine = new Set<string>();
  /** The id to which something leads back; null: it begins some time. */
  const loop = (id: string, path: Set<string>): string | null => {
    if (path.has(id)) return id;
    if (fine.has(id)) return null;
    path.add(id);
    for (const before of after.get(id) ?? []) {
      const back = loop(before, path);
      if (back !== null) return back;
    }
    path.delete(id);
    fine.add(id);
    return null;
  };
  for (const [x, field] of steps) {
    if (x.after === undefined) continue;
    if (!after.has(x.after)) wrong.add(`${field}.after`, `unknown step or task "${x.after}"${meant(x.after, known, "steps and tasks")}`);
    const back = loop(x.after, new Set(x.id === undefined ? [] : [x.id]));
    if (back !== null) wrong.add(`${field}.after`, `leads back to "${back}": it would never start`);
  }
}

/** Checks the channels and alerts: a task with an unknown one could not be done. */
function checkNames(s: Part, names: Names, wrong: Mistakes): void {
  const channel = (named: string | undefined, field: string): void => {
    if (named !== undefined && names.channel(named) === null) wrong.add(field, `the radio has no channel "${named}"${meant(named, names.channels, "channels")}`);
  };
  const alert = (named: string, field: string): void => {
    if (!names.alert(named)) wrong.add(field, `the radio has no alert "${named}"${meant(named, names.alerts, "alerts")}`);
  };
  const each = (named: string | readonly string[] | undefined, field: string): void => {
    if (typeof named === "string") channel(named, field);
    else named?.forEach((n, i) => channel(n, `${field}[${i}]`));
  };
  channel(s.desk?.joined ?? undefined, "desk.joined");
  each(s.desk?.scans, "desk.scans");
  for (const [u, field] of s.units) {
    channel(u.on, `${field}.on`);
    each(u.scans, `${field}.scans`);
  }
  for (const [x, field] of s.steps) {
    if (x.do === "alert") alert(x.alert, `${field}.alert`);
    if ("channel" in x) channel(x.channel, `${field}.channel`);
    if (x.do === "talk") channel(x.on, `${field}.on`);
    if (x.do === "patch") each(x.channels, `${field}.channels`);
  }
  for (const [{ needs }, entry] of s.tasks) {
    const field = `${entry}.needs`;
    for (const [key, value] of Object.entries(needs)) {
      if (key === "alert") alert(value as string, `${field}.alert`);
      else if (channelKeys.includes(key)) each(value as string | string[], `${field}.${key}`);
    }
  }
}

/** Fields of a need that name channels. */
const channelKeys: readonly string[] = ["channel", "to", "patch", "unpatch", "clear", "monitor", "target", "talk", "replay"];
