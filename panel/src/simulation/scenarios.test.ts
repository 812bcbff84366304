import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Need, Task } from "./api";
import { parseScenario } from "./script";
import { shipped } from "./scenarios";
import { Stage } from "./stage.testing";

const folder = new URL("./scenarios/", import.meta.url);

test("every file in the folder is shipped, and is a scenario", () => {
  const files = readdirSync(folder).sort();
  expect(files).toEqual(shipped.map((s) => `${s.id}.json`).sort());
  for (const { id, scenario } of shipped) expect(parseScenario(readFileSync(new URL(`${id}.json`, folder), "utf8"))).toEqual(scenario);
});

/** Seconds between two looks of the trainee. */
const look = 0.25;

/** Does what a task asks for, as a console would; an answer is released a second later. */
async function fulfil(s: Stage, t: Task, release: Map<string, number>, second: number): Promise<void> {
  const n = t.needs;
  const at = (named: string): string => s.channel(named) ?? "";
  if ("answer" in n) {
    const unit = s.unit(n.answer);
    if (unit.talking || unit.channel === null || release.has(unit.channel)) return;
    await s.send("setTalking", { state: true, frequency: unit.channel });
    release.set(unit.channel, second + 1);
  } else if ("acknowledge" in n && n.acknowledge === "alert") s.noticed("acknowledgeAlert", at(n.channel ?? ""));
  else if ("acknowledge" in n) await tend(s, { emergency: "acknowledged", ...(n.unit === undefined ? {} : { unit: n.unit }) });
  else if ("move" in n) await s.call("POST /radio/dispatch/switchChannel", { serverId: n.move, frequency: at(n.to), oldFrequency: null });
  else if ("patch" in n) await s.call("POST /api/patch/create", { frequencies: n.patch.map(at) });
  else if ("unpatch" in n) {
    const { patches } = (await s.call("GET /api/patches", undefined)).reply as { patches: { id: string }[] };
    for (const p of patches) await s.call("POST /api/patch/remove", { id: p.id });
  } else if ("alert" in n) await s.call("POST /radio/dispatch/alert/trigger", { frequency: at(n.channel), alertType: n.alert });
  else if ("clear" in n) await s.call("POST /radio/dispatch/alert/clear", { frequency: at(n.clear) });
  else if ("broadcast" in n) await s.call("POST /radio/dispatch/broadcast", { message: "Silver Sultan, two men, armed.", type: "General Alert" });
  else if ("monitor" in n) s.noticed("monitors", at(n.monitor));
  else if ("target" in n) s.noticed("targets", at(n.target));
  else if ("replay" in n) s.noticed("replay", at(n.replay));
  else if ("talk" in n) {
    if (release.has(at(n.talk))) return;
    await s.send("setTalking", { state: true, frequency: at(n.talk) });
    release.set(at(n.talk), second + 1);
  } else if ("emergency" in n) await tend(s, n);
  else if ("message" in n) await s.call("POST /dispatch/user/alert", { userId: n.message, message: "Legion Square" });
}

/** Does with an emergency what a task asks for. */
async function tend(s: Stage, n: Extract<Need, { emergency: string }>): Promise<void> {
  const { emergencies } = (await s.call("GET /radio/dispatch/status", undefined)).reply as { emergencies: { id: string; serverId: number; frequency: string }[] };
  for (const { id, serverId, frequency } of emergencies) {
    if (n.unit !== undefined && n.unit !== serverId) continue;
    if (n.emergency === "closed") await s.send("closeEmergency", { id, reason: "accidental" });
    else await s.send("acknowledgeEmergency", { id });
    if (n.emergency === "answered") s.noticed("targets", frequency);
  }
}

/** Plays a training to its end with a trainee who does everything at once, or nothing. */
async function play(id: string, diligent: boolean): Promise<Stage> {
  const { scenario } = shipped.find((s) => s.id === id) as (typeof shipped)[number];
  const s = await Stage.open(scenario);
  const release = new Map<string, number>();
  for (let second = 0; !s.over && second < 600; second += look) {
    await s.pass(look);
    for (const [frequency, when] of release) {
      if (second < when) continue;
      await s.send("setTalking", { state: false, frequency });
      release.delete(frequency);
    }
    if (!diligent) continue;
    for (const t of scenario.tasks ?? []) {
      if (s.score().tasks.find((x) => x.id === t.id)?.state === "open") await fulfil(s, t, release, second);
    }
  }
  return s;
}

const trainings = shipped.filter((s) => s.scenario.tasks && !s.scenario.guided);
const guided = shipped.filter((s) => s.scenario.guided);

test.each([...trainings, ...guided].map((s) => s.id))("%s: who does everything at once gets all points", async (id) => {
  const s = await play(id, true);
  expect(s.over).toBe(true);
  expect(s.show().problem).toBe("");
  const score = s.score();
  expect(score.tasks.filter((t) => t.state !== "done").map((t) => t.id)).toEqual([]);
  expect([score.points, score.missedCalls]).toEqual([score.of, 0]);
  expect(s.show().units.filter((u) => u.talking)).toEqual([]);
});

test.each(trainings)("$id: who does nothing misses every call", async ({ id, scenario }) => {
  const s = await play(id, false);
  expect(s.over).toBe(true);
  const score = s.score();
  expect([score.points, score.meanTime]).toEqual([0, null]);
  expect(score.missedCalls).toBe(scenario.tasks?.filter((t) => "answer" in t.needs).length);
  expect(new Set(score.tasks.map((t) => t.state))).toEqual(new Set(["missed"]));
});

test.each(trainings.map((s) => s.id))("%s: the same deeds lead to the same radio", async (id) => {
  const [one, other] = [await play(id, true), await play(id, true)];
  expect(one.talks()).toEqual(other.talks());
  expect(await one.hash()).toBe(await other.hash());
});

test.each(guided)("$id: who does nothing stays at the first task, and who skips every task ends with nothing done", async ({ id, scenario }) => {
  const s = await play(id, false);
  expect(s.over).toBe(false);
  expect(s.score().tasks.filter((t) => t.state !== "waiting").map((t) => t.state)).toEqual(["open"]);
  for (let i = 0; i < 20; i++) {
    s.skip();
    await s.pass(30);
  }
  expect(s.over).toBe(true);
  expect(s.show().problem).toBe("");
  const states = s.score().tasks.map((t) => t.state);
  expect(states).toEqual(scenario.tasks?.map((t) => ("hear" in t.needs ? "done" : "skipped"))); // whoever waits has heard it
});

test("every text that somebody reads is in both languages", () => {
  const names = new Set(["name", "about", "says", "how", "hint", "message"]);
  const texts = (value: unknown): unknown[] =>
    typeof value !== "object" || value === null ? [] : Object.entries(value).flatMap(([key, v]) => (names.has(key) && typeof v !== "number" ? [v] : key === "units" ? [] : texts(v)));
  for (const { id, scenario } of shipped) {
    const { radio: _, ...told } = scenario;
    for (const text of texts(told)) {
      if (text === "Demo") continue; // the same word in both
      expect(text, id).toMatchObject({ en: expect.any(String), de: expect.any(String) });
      const { en, de } = text as Record<"en" | "de", string>;
      expect(de, id).not.toBe(en);
      const keys = (t: string): string[] => [...t.matchAll(/\{\w+\}/g)].map(String).sort();
      expect(keys(de), en).toEqual(keys(en));
    }
  }
});

test("the demo can be heard within 3 seconds, and goes on by itself", async () => {
  const demo = shipped[0]!.scenario;
  const s = await Stage.open(demo);
  await s.pass(3);
  expect(s.talks()[0]).toMatch(/ talks 154.755$/);
  expect(s.show().captions[0]?.says).toBeTruthy();
  await s.pass(297);
  expect(s.show().problem).toBe("");
  const told = (type: string): unknown[] =>
    s.heard.filter(({ message: m }) => m.name === "dispatchNotification" && (m.payload as { type: string }).type === type);
  for (const type of ["panic", "panicCleared", "alert", "alertCleared", "patch"]) expect(told(type), type).not.toEqual([]);
  const talks = s.talks().length;
  await s.pass(300);
  expect(s.talks().length).toBeGreaterThan(talks + 50);
  expect(s.over).toBe(false);
  expect(s.show().score).toBeNull();
});
