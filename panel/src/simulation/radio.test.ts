import { expect, test } from "vitest";
import type { Message, Route } from "../link/wasm";
import type { Program } from "./api";
import { Clock } from "./clock";
import { testCore } from "./core.testing";
import { Radio } from "./radio";

const start = JSON.stringify({
  config: {
    talkLease: 2_000, timeoutTimer: 60_000, limits: { users: 100, scans: 10, follows: 10, patches: 10, patchSize: 4, messageRunes: 200, alertBytes: 4096 },
    zones: [{ name: "City", channels: [{ name: "MAIN", type: "conventional", frequency: "154.755" }] }],
  },
});
const began = 1_700_000_000_000;

/** A program that does given things at their moments, and remembers what it heard. */
class Plan implements Program {
  readonly told: string[] = [];
  constructor(private readonly steps: { at: number; work: () => Promise<unknown> }[]) {}
  next = (): number | null => this.steps[0]?.at ?? null;
  happens = (): number | null => this.next();
  async act(now: number): Promise<void> {
    while (this.steps[0] && this.steps[0].at <= now) await this.steps.shift()!.work();
  }
  hear(m: Message, now: number): void {
    this.told.push(`${now - began} ${m.name}`);
  }
  routes(rows: Route[], now: number): void {
    this.told.push(`${now - began} ${rows.map((r) => `${r.talker} is heard by ${r.legs.map((l) => l.user).join(",")}`).join("; ") || "silence"}`);
  }
  did(): void {}
  deed = async (): Promise<void> => {};
  over = (): boolean => this.steps.length === 0;
  show(): never {
    throw new Error("nobody looks");
  }
}

/** A radio whose clock stands still until it is moved. */
async function radio(me = -1): Promise<{ radio: Radio; begin(plan: Plan): Promise<void>; pass(ms: number): Promise<void> }> {
  const r = new Radio(await testCore(), { message: () => {}, routes: () => {}, passed: () => {}, failed: (p) => expect.fail(p) }, () => me);
  let computer = 0;
  const begin = async (plan: Plan): Promise<void> => {
    await r.turn(() => r.begin(start, began, async () => plan));
    r.clock = new Clock(began, () => computer);
  };
  const pass = async (ms: number): Promise<void> => {
    computer += ms;
    await r.turn(async () => undefined);
  };
  return { radio: r, begin, pass };
}

test("whatever is due happens at its own moment, in order, however late the look", async () => {
  const { radio: r, begin, pass } = await radio();
  const event = (event: string, payload: unknown) => () => r.ask({ user: 7 }, { event }, payload);
  const plan = new Plan([
    { at: began + 100, work: event("connect", { serverId: 7 }) },
    { at: began + 100, work: event("setSpeakerChannel", "154.755") },
    { at: began + 250, work: event("setTalking", true) },
    { at: began + 900, work: event("setTalking", false) },
  ]);
  await begin(plan);
  await pass(5_000);
  const talks = plan.told.filter((line) => /talkingState|heard|silence/.test(line));
  expect(talks).toEqual(["250 7 is heard by ", "250 talkingState", "900 silence", "900 talkingState"]);
  expect(r.now()).toBe(began + 5_000);
});

test("the radio wakes by itself: a key that is held runs into the time-out timer", async () => {
  const { radio: r, begin, pass } = await radio();
  const plan = new Plan([]);
  await begin(plan);
  await r.turn(async () => {
    await r.ask({ user: 7 }, { event: "connect" }, { serverId: 7 });
    await r.ask({ user: 7 }, { event: "setSpeakerChannel" }, "154.755");
    await r.ask({ user: 7 }, { event: "setTalking" }, true);
  });
  expect(r.happens()).toBe(began + 60_000);
  await pass(59_999);
  expect(plan.told.filter((l) => l.endsWith("talkingState"))).toEqual(["0 talkingState"]);
  await pass(1);
  expect(plan.told.filter((l) => l.endsWith("talkingState"))).toEqual(["0 talkingState", "60000 talkingState"]);
});

test("the console keeps its floor while it talks, and loses it to nobody", async () => {
  const { radio: r, begin, pass } = await radio(-1);
  const plan = new Plan([]);
  await begin(plan);
  await r.turn(async () => {
    for (const user of [-1, 7]) await r.ask({ user }, { event: "connect" }, { serverId: user });
    for (const user of [-1, 7]) await r.ask({ user }, { event: "setSpeakerChannel" }, "154.755");
    await r.ask({ user: -1 }, { event: "setTalking" }, { state: true, frequency: "154.755" });
  });
  await pass(30_000);
  await r.turn(() => r.ask({ user: 7 }, { event: "setTalking" }, true));
  expect(plan.told.at(-1)).toBe("30000 ptt:denied");
});

test("a step goes to the next thing that happens and no further", async () => {
  const { radio: r, begin } = await radio();
  const done: number[] = [];
  await begin(new Plan([400, 700].map((ms) => ({ at: began + ms, work: async () => done.push(ms) }))));
  r.clock.setRate(0);
  await r.step();
  expect([done, r.clock.now() - began]).toEqual([[400], 400]);
  await r.step();
  expect([done, r.clock.now() - began]).toEqual([[400, 700], 700]);
  await r.step(); // nothing more
  expect(r.clock.now() - began).toBe(700);
});

test("a failed request fails for its caller alone", async () => {
  const { radio: r, begin } = await radio();
  await begin(new Plan([]));
  await expect(r.turn(async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect((await r.turn(() => r.ask({ user: 7 }, { event: "connect" }, { serverId: 7 }))).reply).toEqual({ serverId: 7 });
  await expect(r.turn(() => r.begin('{"config":{"zones":[{"channels":[{}]}]}}', began, async () => new Plan([])))).rejects.toThrow(/^radio: zones\[1\]\.channels\[1\]\.frequency must be/);
});
