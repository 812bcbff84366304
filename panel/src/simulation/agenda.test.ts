import { expect, test } from "vitest";
import { Agenda } from "./agenda";

test("whatever is due happens in order, also when it is added meanwhile", async () => {
  const agenda = new Agenda();
  const done: string[] = [];
  agenda.put(20, () => void done.push("c"));
  agenda.put(10, (now) => {
    done.push("a");
    agenda.put(now, () => void done.push("added"));
  });
  agenda.put(10, async () => void done.push("b"));
  expect(agenda.next()).toBe(10);
  await agenda.act(9);
  expect(done).toEqual([]);
  await agenda.act(15);
  expect(done).toEqual(["a", "b", "added"]);
  expect(agenda.next()).toBe(20);
});

test("a dropped event does not happen; a silent one is no step", async () => {
  const agenda = new Agenda();
  const done: string[] = [];
  const entry = agenda.put(10, () => void done.push("dropped"));
  agenda.put(12, () => void done.push("silent"), true);
  agenda.put(14, () => void done.push("loud"));
  agenda.drop(entry);
  agenda.drop(null);
  expect([agenda.next(), agenda.happens()]).toEqual([12, 14]);
  await agenda.act(13);
  agenda.clear();
  expect([done, agenda.next(), agenda.happens()]).toEqual([["silent"], null, null]);
});
