import { expect, test } from "vitest";
import { city, quietCity } from "./city.testing";
import { Stage } from "./stage.testing";

const main = "154.755";
const chatter = { every: [1, 2] as [number, number], lasting: [0.5, 1] as [number, number] };

test("small talk goes on for ever, as call and answer, and never over a talk", async () => {
  const s = await Stage.open(quietCity({ chatter }));
  await s.pass(120);
  expect(s.over).toBe(false);
  const lines = s.talks();
  expect(lines.length).toBeGreaterThan(60);
  expect(s.begins(7).length).toBeGreaterThan(10);
  expect(s.begins(8).length).toBeGreaterThan(10);
  expect(s.begins(9)).toEqual([]); // nobody else is on TAC
  expect(s.denials).toBe(0);
  for (let i = 0; i + 1 < lines.length; i += 2) expect(lines[i + 1]).toContain(`${lines[i]?.split(" ")[1]} ends`);
});

test("small talk keeps off a channel where the dispatcher talks, or that is in an emergency", async () => {
  const s = await Stage.open(quietCity({ chatter, radio: { ...city, panicTimeout: 0 }, steps: [{ at: 40, unit: 9, do: "join", channel: "MAIN" }, { at: 40, unit: 9, do: "panic" }] }));
  await s.send("setTalking", { state: true, frequency: main });
  await s.pass(20);
  expect(s.talks().filter((l) => !l.includes(" -1 "))).toEqual([]);
  expect(s.denials).toBe(0); // nor tries to
  await s.send("setTalking", { state: false, frequency: main });
  await s.pass(20);
  const before = s.talks().length;
  expect(before).toBeGreaterThan(6);
  await s.pass(60);
  expect(s.talks().length).toBeLessThanOrEqual(before + 2); // an answer at most
});

test("small talk lets a call that waits for the channel go first", async () => {
  const s = await Stage.open(
    quietCity({
      units: [7, 8, 9].map((id) => ({ id, name: `Unit ${id}`, on: "MAIN" })),
      chatter: { every: [0.1, 0.2], lasting: [1, 2], units: [7, 9] },
      steps: [{ at: 2, unit: 8, do: "talk", for: 3 }],
    }),
  );
  await s.send("setTalking", { state: true, frequency: main });
  await s.pass(5);
  await s.send("setTalking", { state: false, frequency: main });
  await s.pass(3);
  expect(s.talks()[2]).toMatch(/ 8 talks /);
});

test("only those make small talk who are named", async () => {
  const s = await Stage.open(quietCity({ units: [7, 8, 9].map((id) => ({ id, name: `Unit ${id}`, on: "MAIN" })), chatter: { ...chatter, units: [8, 9] } }));
  await s.pass(30);
  expect(s.begins(7)).toEqual([]);
  expect(s.begins(8).length).toBeGreaterThan(0);
});

test("the same seed gives the same traffic, another seed does not", async () => {
  const talks = async (seed: number): Promise<string[]> => {
    const s = await Stage.open(quietCity({ chatter, seed }));
    await s.pass(30);
    return s.talks();
  };
  expect(await talks(5)).toEqual(await talks(5));
  expect(await talks(5)).not.toEqual(await talks(6));
});
