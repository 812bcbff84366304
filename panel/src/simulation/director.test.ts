import { describe, expect, test } from "vitest";
import type { Scenario } from "./api";
import { quietCity, withSouth } from "./city.testing";
import { Stage } from "./stage.testing";

const main = "154.755";
const tac = "154.815";

describe("by hand", () => {
  test("a unit talks until it is released", async () => {
    const s = await Stage.open(quietCity());
    await s.pass(1);
    await s.deed({ do: "talk", for: 300 }, 7);
    await s.pass(10);
    expect(s.unit(7).talking).toBe(true);
    await s.deed({ do: "release" }, 7);
    expect(s.unit(7).talking).toBe(false);
    expect(s.talks()).toEqual([`1 7 talks ${main}`, `11 7 ends ${main}`]);
  });

  test("a busy channel is reported at once", async () => {
    const s = await Stage.open(quietCity());
    await s.pass(1);
    await s.deed({ do: "talk", for: 300 }, 7);
    await expect(s.deed({ do: "talk", for: 3 }, 8)).rejects.toThrow("The channel is busy");
    await s.deed({ do: "release" }, 7);
    await s.pass(5);
    expect(s.begins(8)).toEqual([]);
  });

  test("the radio says what is wrong", async () => {
    const s = await Stage.open(quietCity());
    await s.pass(1);
    await expect(s.deed({ do: "join", channel: "NOWHERE" }, 7)).rejects.toThrow("Channel not found");
    await expect(s.deed({ do: "join", channel: "CLOSED" }, 7)).rejects.toThrow("No access to 155.1");
    await expect(s.deed({ do: "patch", channels: ["MAIN", "TAC"] }, 7)).rejects.toThrow("Authentication required");
    await expect(s.deed({ do: "unpatch", label: "None" })).rejects.toThrow('No patch has the label "None"');
    await expect(s.deed({ do: "leave" }, 99)).rejects.toThrow("Unknown unit 99");
    await s.deed({ do: "off" }, 7);
    await expect(s.deed({ do: "talk", for: 3 }, 7)).rejects.toThrow("The radio is off");
  });

  test("panic, scan, leave, off and on", async () => {
    const s = await Stage.open(quietCity());
    await s.pass(1);
    await s.deed({ do: "panic" }, 7);
    expect(s.unit(7).panic).toBe(true);
    await s.deed({ do: "calm" }, 7);
    expect(s.unit(7).panic).toBe(false);
    await s.deed({ do: "scan", channel: "TAC" }, 7);
    expect(s.unit(7).scans).toEqual([tac]);
    await s.deed({ do: "unscan", channel: tac }, 7);
    await s.deed({ do: "leave" }, 7);
    expect(s.unit(7)).toMatchObject({ scans: [], channel: null, on: true });
    await s.deed({ do: "off" }, 7);
    expect(s.unit(7).on).toBe(false);
    await s.deed({ do: "on" }, 7);
    expect(s.unit(7)).toMatchObject({ on: true, channel: main });
  });
});

test("an emergency ends by the unit, a dispatcher, a program, or with the radio", async () => {
  const s = await Stage.open(withSouth());
  const [unit, dispatcher, program, off] = [7, 8, 9, 7];
  await s.pass(1);
  for (const id of [unit, dispatcher, program]) await s.deed({ do: "panic" }, id);
  await s.deed({ do: "calm" }, unit);
  await s.deed({ do: "acknowledge", who: dispatcher }, -2);
  await s.deed({ do: "end", who: program });
  expect([unit, dispatcher, program].map((id) => s.unit(id).panic)).toEqual([false, true, false]);
  await s.deed({ do: "close", who: dispatcher, note: "All well" }, -2);
  expect(s.unit(dispatcher).panic).toBe(false);
  await expect(s.deed({ do: "close", who: dispatcher }, -2)).rejects.toThrow("Unit 8 has no emergency");
  await s.deed({ do: "panic" }, off);
  await s.deed({ do: "off" }, off);
  expect(s.unit(off).panic).toBe(true);
  await s.deed({ do: "on" }, off);
  await s.deed({ do: "quit" }, off);
  expect(s.unit(off)).toMatchObject({ on: false, panic: false });
  await s.deed({ do: "on" }, off);
  expect(s.unit(off)).toMatchObject({ on: true, panic: false });
});

test("a unit whose microphone fails has the floor all the same", async () => {
  const s = await Stage.open(quietCity({ steps: [{ at: 1, unit: 7, do: "mute" }, { at: 2, unit: 7, do: "talk", for: 9 }, { at: 4, unit: 7, do: "unmute" }] }));
  await s.pass(3);
  expect([s.unit(7).talking, s.muted(7), s.muted(8)]).toEqual([true, true, false]);
  await s.pass(1);
  expect(s.muted(7)).toBe(false);
});

describe("its end", () => {
  test("without tasks and small talk it is over when every step is done", async () => {
    const s = await Stage.open(quietCity({ steps: [{ id: "a", at: 1, unit: 7, do: "talk", for: 2 }, { after: "a", wait: 3, unit: 8, do: "talk", for: 1 }] }));
    await s.pass(6.9);
    expect(s.over).toBe(false);
    await s.pass(0.1);
    expect(s.over).toBe(true);
    expect(s.happens()).toBeNull();
  });

  test("it ends nothing that is done by hand", async () => {
    const s = await Stage.open(quietCity({ steps: [{ at: 1, unit: 7, do: "talk", for: 2 }] }));
    await s.pass(2);
    await s.deed({ do: "talk", for: 10 }, 9);
    await s.pass(5);
    expect([s.over, s.unit(9).talking]).toEqual([true, true]);
    await s.pass(6);
    expect(s.unit(9).talking).toBe(false);
  });

  test("a scenario without an end goes on; small talk of a training ends with it", async () => {
    const empty = await Stage.open(quietCity());
    await empty.pass(60);
    expect(empty.over).toBe(false);
    const training = await Stage.open(
      quietCity({
        chatter: { every: [1, 2], lasting: [0.5, 1] },
        tasks: [{ id: "t", name: "Broadcast", starts: 10, within: 5, needs: { broadcast: true } }],
      }),
    );
    await training.pass(20);
    expect(training.over).toBe(true);
    expect(training.happens()).toBeNull();
  });

  test("at its last second whoever talks falls silent, and open tasks are missed", async () => {
    const s = await Stage.open(
      quietCity({
        ends: 10,
        steps: [{ id: "call", at: 5, unit: 7, do: "talk", for: 60 }],
        tasks: [{ id: "t", name: "Answer", starts: "call", within: 30, needs: { answer: 7 } }],
      }),
    );
    await s.pass(11);
    expect(s.over).toBe(true);
    expect(s.unit(7).talking).toBe(false);
    expect(s.score()).toMatchObject({ points: 0, missedCalls: 1 });
  });

  test("what comes after a task that was missed does not come", async () => {
    const s = await Stage.open(
      quietCity({
        steps: [{ id: "call", at: 1, unit: 7, do: "talk", for: 2 }, { id: "thanks", after: "t", unit: 7, do: "talk", for: 2 }],
        tasks: [
          { id: "t", name: "Answer", starts: "call", within: 5, needs: { answer: 7 } },
          { id: "u", name: "Answer again", starts: "thanks", within: 5, needs: { answer: 7 } },
        ],
      }),
    );
    await s.pass(8);
    expect(s.over).toBe(true);
    expect(s.score().tasks.map((t) => t.state)).toEqual(["missed", "waiting"]);
  });
});

describe("scoring", () => {
  const call = (more: Partial<Scenario> = {}): Scenario =>
    quietCity({
      steps: [{ id: "call", at: 1, unit: 7, do: "talk", for: 4 }],
      tasks: [{ id: "t", name: "Answer", starts: "call", within: 10, needs: { answer: 7 } }],
      ...more,
    });
  const answer = (s: Stage, frequency: string): Promise<unknown> => s.send("setTalking", { state: true, frequency });

  test("an answer counts from the end of the call", async () => {
    const s = await Stage.open(call());
    await s.pass(3);
    expect(s.score().tasks[0]).toMatchObject({ state: "open", took: 0 });
    await answer(s, main); // denied: the unit talks
    await s.pass(4);
    expect(s.score().tasks[0]).toMatchObject({ state: "open", took: 2_000 });
    await answer(s, main);
    expect(s.score()).toMatchObject({ points: 10, of: 10, meanTime: 2_000 });
  });

  test("an answer on another channel is none; through a patch it is one", async () => {
    const s = await Stage.open(call());
    await s.pass(6);
    await answer(s, tac);
    expect(s.score().tasks[0]?.state).toBe("open");
    await s.send("setTalking", { state: false, frequency: tac });
    await s.call("POST /api/patch/create", { frequencies: [main, tac] });
    await answer(s, tac);
    expect(s.score().tasks[0]?.state).toBe("done");
  });

  test("a unit of a talkgroup is answered on the talkgroup", async () => {
    const s = await Stage.open(call({ units: [{ id: 7, name: "Adam", on: "TRUNK" }] }));
    await s.pass(6);
    await answer(s, "856");
    expect(s.score().tasks[0]?.state).toBe("done");
  });

  test("a call that nobody could hear, because the dispatcher held the channel, is a missed one", async () => {
    const s = await Stage.open(call());
    await answer(s, main);
    await s.pass(40);
    expect(s.score()).toMatchObject({ missedCalls: 1, points: 0 });
  });

  test("an alert is acknowledged at the desk, without the radio", async () => {
    const s = await Stage.open(
      quietCity({
        steps: [{ id: "alert", at: 1, do: "alert", alert: "SIGNAL 100", channel: "MAIN" }],
        tasks: [{ id: "t", name: "Acknowledge", starts: "alert", within: 10, needs: { acknowledge: "alert", channel: "MAIN" } }],
      }),
    );
    await s.pass(2);
    s.noticed("acknowledgeAlert", tac);
    expect(s.score().tasks[0]?.state).toBe("open");
    s.noticed("acknowledgeAlert", main);
    expect(s.score()).toMatchObject({ points: 10, meanTime: 1_000 });
  });
});
