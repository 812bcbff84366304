import { describe, expect, test } from "vitest";
import { city, quietCity, south, withSouth } from "./city.testing";
import { Stage } from "./stage.testing";

const main = "154.755";
const tac = "154.815";

describe("coming on the air", () => {
  test("units are announced, tuned and named; one that is off is not there until it is switched on", async () => {
    const s = await Stage.open(
      quietCity({
        units: [
          { id: 7, name: "Adam", nacId: "police", unitId: "A12", callsign: "1-ADAM-12", on: "MAIN", scans: ["TAC", "FIRE"] },
          { id: 8, name: "Berta", on: "TAC", off: true },
          south,
        ],
        steps: [{ at: 5, unit: 8, do: "on" }],
      }),
    );
    await s.pass(1);
    expect(s.unit(7)).toMatchObject({ on: true, channel: main, scans: [tac, "460.25"], talking: false, told: "" });
    expect(s.unit(8)).toMatchObject({ on: false, channel: null });
    expect(s.unit(-2)).toMatchObject({ on: true, channel: main });
    const told = s.heard.map(({ message: m }) => m);
    expect(told).toContainEqual(expect.objectContaining({ name: "playerInfoUpdate", payload: { serverId: 7, name: "Adam", nacId: "police", unitId: "A12", callsign: null } }));
    expect(told).toContainEqual(expect.objectContaining({ payload: expect.objectContaining({ type: "callsign", serverId: 7, callsign: "1-ADAM-12" }) as object }));
    await s.pass(5);
    expect(s.unit(8)).toMatchObject({ on: true, channel: tac });
    expect(s.show().problem).toBe("");
  });

  test("in a talkgroup a unit is shown on the talkgroup, wherever it was put", async () => {
    const s = await Stage.open(quietCity({ units: [{ id: 7, name: "Adam", on: "TRUNK" }], steps: [{ at: 1, unit: 7, do: "talk", for: 2 }] }));
    await s.pass(2);
    expect(s.unit(7)).toMatchObject({ channel: "856", talking: true });
    expect(s.talks().some((l) => l === "1 7 talks 856.0125")).toBe(true);
  });

  test("a channel that the radio does not have is named with its field", async () => {
    await expect(Stage.open(quietCity({ units: [{ id: 7, name: "Adam", on: "NOWHERE" }] }))).rejects.toThrow('units[0].on: the radio has no channel "NOWHERE"');
  });

  test("a refusal names its field, and the rest goes on", async () => {
    const s = await Stage.open(
      quietCity({
        units: [{ id: 7, name: "Adam", on: "CLOSED" }, { id: 8, name: "Berta", on: "MAIN" }],
        steps: [{ at: 1, unit: 8, do: "join", channel: "CLOSED" }, { at: 2, unit: 8, do: "talk", for: 1 }],
      }),
    );
    await s.pass(4);
    expect(s.show().problem).toBe("units[0]: No access to 155.1");
    expect(s.begins(8)).toEqual([2]);
  });

  test("a refused talk is reported", async () => {
    const s = await Stage.open(quietCity({ steps: [{ at: 1, unit: 7, do: "talk", on: "TAC", for: 2 }] }));
    await s.pass(3);
    expect(s.show().problem).toBe("steps[0]: Players may transmit only on their own channel");
  });
});

describe("talking", () => {
  test("a talk lasts its time, is captioned, and is heard by the listeners", async () => {
    const s = await Stage.open(quietCity({ steps: [{ at: 1, unit: 7, do: "talk", for: 2.5, says: "Radio check." }] }));
    await s.pass(2);
    expect(s.show().captions).toEqual([{ unit: 7, name: "Adam", frequency: main, says: "Radio check.", at: s.now() - 1_000 }]);
    expect(s.unit(8)).toMatchObject({ hears: [7], heardFor: 1 });
    expect(s.unit(9)).toMatchObject({ hears: [], heardFor: 0 });
    await s.pass(3);
    expect(s.talks()).toEqual([`1 7 talks ${main}`, `3.5 7 ends ${main}`]);
    expect(s.unit(8)).toMatchObject({ hears: [], heardFor: 2.5 });
  });

  test("a voice is as the scenario has it, or left to the panel", async () => {
    const s = await Stage.open(quietCity({ units: [{ id: 7, name: "Adam", pitch: 90 }, { id: 8, name: "Berta" }] }));
    expect([s.pitch(7), s.pitch(8), s.pitch(99)]).toEqual([90, undefined, undefined]);
  });

  test("a talker keeps the floor: it does not count as idle", async () => {
    const s = await Stage.open(quietCity({ steps: [{ at: 1, unit: 7, do: "talk", for: 20 }] }));
    await s.pass(15);
    const answer = await s.send("setTalking", { state: true, frequency: main });
    expect(answer.messages.map((m) => m.name)).toEqual(["ptt:denied"]);
  });

  test("a keep-alive of a talk is not the next event", async () => {
    const s = await Stage.open(quietCity({ steps: [{ at: 1, unit: 7, do: "talk", for: 20 }] }));
    await s.pass(5.5);
    expect(s.happens()).toBe(21);
  });

  test("a unit that is denied the floor waits until the channel is free, and a moment longer", async () => {
    const s = await Stage.open(
      quietCity({ steps: [{ at: 1, unit: 7, do: "talk", for: 6 }, { at: 3, unit: 8, do: "talk", for: 2 }] }),
    );
    await s.pass(12);
    const [at] = s.begins(8);
    expect(at).toBeGreaterThanOrEqual(7.3);
    expect(at).toBeLessThanOrEqual(8.5);
    expect(s.begins(8)).toHaveLength(1);
  });

  test("two who wait do not talk over each other", async () => {
    const s = await Stage.open(
      quietCity({
        units: [7, 8, 9].map((id) => ({ id, name: `Unit ${id}`, on: "MAIN" })),
        steps: [{ at: 1, unit: 7, do: "talk", for: 4 }, { at: 2, unit: 8, do: "talk", for: 4 }, { at: 2, unit: 9, do: "talk", for: 4 }],
      }),
    );
    await s.pass(25);
    const lines = s.talks();
    expect(lines).toHaveLength(6);
    expect(s.denials).toBe(2); // each at its first press only
    for (let i = 0; i < 6; i += 2) expect(lines[i + 1]).toContain(`${lines[i]?.split(" ")[1]} ends`);
  });

  test("no two press in the same moment", async () => {
    const s = await Stage.open(
      quietCity({
        units: [7, 8].map((id) => ({ id, name: `Unit ${id}`, on: "MAIN" })).concat([17, 18].map((id) => ({ id, name: `Unit ${id}`, on: "TAC" }))),
        steps: [7, 17].flatMap((id) => [
          { at: 1, unit: id, do: "talk" as const, for: 4 },
          { at: 2, unit: id + 1, do: "talk" as const, for: 4 },
        ]),
      }),
    );
    await s.pass(10);
    expect(s.begins(8)).not.toEqual(s.begins(18));
  });

  test("it gives up after 30 seconds, and the story goes on", async () => {
    const s = await Stage.open(
      quietCity({ steps: [{ id: "call", at: 2, unit: 7, do: "talk", for: 2 }, { after: "call", wait: 1, unit: 9, do: "talk", for: 1 }] }),
    );
    await s.pass(1);
    await s.send("setTalking", { state: true, frequency: main });
    await s.pass(40);
    expect(s.begins(7)).toEqual([]);
    expect(s.begins(9)).toEqual([33]);
  });

  test("one that the time-out timer cuts off lets go, and may talk again", async () => {
    const s = await Stage.open(
      quietCity({
        radio: { ...city, timeoutTimer: 3_000 },
        steps: [{ id: "long", at: 1, unit: 7, do: "talk", for: 30 }, { after: "long", wait: 0.5, unit: 7, do: "talk", for: 1 }],
      }),
    );
    await s.pass(10);
    expect(s.talks()).toEqual([`1 7 talks ${main}`, `4 7 ends ${main}`, `4.5 7 talks ${main}`, `5.5 7 ends ${main}`]);
  });

  test("an override is heard over another", async () => {
    const s = await Stage.open(
      withSouth({ steps: [{ at: 1, unit: 7, do: "talk", for: 5 }, { at: 2, unit: -2, do: "talk", on: "MAIN", for: 2, override: true }] }),
    );
    await s.pass(3);
    expect(s.unit(8).hears).toEqual([-2, 7]);
  });
});

describe("what the dispatchers do", () => {
  test("a moved unit stays moved: its talk ends, the next one is on the new channel", async () => {
    const s = await Stage.open(quietCity({ steps: [{ at: 1, unit: 7, do: "talk", for: 10 }, { at: 6, unit: 7, do: "talk", for: 2 }] }));
    await s.pass(3);
    await s.call("POST /radio/dispatch/switchChannel", { serverId: 7, frequency: tac, oldFrequency: main });
    await s.pass(7);
    expect(s.talks()).toEqual([`1 7 talks ${main}`, `3 7 ends ${main}`, `6 7 talks ${tac}`, `8 7 ends ${tac}`]);
    expect(s.unit(7)).toMatchObject({ channel: tac, told: tac, toldAs: "moved" });
  });

  test("a disconnected unit is off: its steps do not happen until one switches it on", async () => {
    const s = await Stage.open(
      quietCity({
        steps: [
          { at: 1, unit: 7, do: "talk", for: 10 },
          { at: 5, unit: 7, do: "join", channel: "TAC" },
          { id: "silent", at: 6, unit: 7, do: "talk", for: 1 },
          { after: "silent", unit: 7, wait: 4, do: "on" },
          { at: 12, unit: 7, do: "talk", for: 1 },
        ],
      }),
    );
    await s.pass(3);
    await s.call("POST /dispatch/user/disconnect", { userId: 7 });
    await s.pass(1);
    expect(s.unit(7)).toMatchObject({ on: false, channel: null, talking: false, toldAs: "kicked" });
    await s.pass(12);
    expect(s.talks()).toEqual([`1 7 talks ${main}`, `3 7 ends ${main}`, `12 7 talks ${main}`, `13 7 ends ${main}`]);
    expect(s.show().problem).toBe("");
  });

  test("units are told: a text, a broadcast, an alert, a tone, a patch, that a panic is taken care of", async () => {
    const s = await Stage.open(quietCity({ steps: [{ at: 6, unit: 7, do: "panic" }] }));
    const told = (id: number): string => `${s.unit(id).toldAs} ${s.unit(id).told}`;
    await s.pass(1);
    await s.call("POST /dispatch/user/alert", { userId: 7, message: "Call me" });
    expect([told(7), told(8)]).toEqual(["message Call me", " "]);
    await s.call("POST /radio/dispatch/broadcast", { message: "Fog", frequency: main });
    expect([told(7), told(8), told(9)]).toEqual(["broadcast Fog", "broadcast Fog", " "]);
    await s.pass(1);
    await s.call("POST /radio/dispatch/alert/trigger", { frequency: main, alertType: "SIGNAL 100" });
    expect(told(8)).toBe("alert SIGNAL 100"); // its tone comes at the same moment
    await s.pass(1);
    await s.call("POST /radio/dispatch/tone", { frequency: main, tone: "BEEP" });
    expect(told(8)).toBe("tone BEEP");
    await s.call("POST /radio/dispatch/alert/clear", { frequency: main });
    expect(told(8)).toBe("cleared SIGNAL 100");
    await s.call("POST /api/patch/create", { frequencies: [main, tac], label: "Together" });
    expect(told(9)).toBe("patched Together");
    await s.pass(4);
    expect(s.unit(7).panic).toBe(true);
    expect(told(8)).toBe("panic Adam");
    await s.send("acknowledgePanic", { serverId: 7 });
    expect(s.unit(7)).toMatchObject({ panic: false, toldAs: "calmed" });
  });

  test("another dispatcher patches, moves, broadcasts and takes the patch down again", async () => {
    const s = await Stage.open(
      withSouth({
        steps: [
          { at: 1, unit: -2, do: "patch", channels: ["MAIN", "TAC"], label: "Both" },
          { at: 2, unit: 7, do: "talk", for: 2 },
          { at: 5, unit: -2, do: "unpatch", label: "Both" },
          { at: 6, unit: 7, do: "talk", for: 2 },
          { at: 9, unit: -2, do: "move", who: 8, channel: "FIRE" },
          { at: 10, unit: -2, do: "broadcast", message: "Good night" },
        ],
      }),
    );
    await s.pass(3);
    expect(s.unit(9).hears).toEqual([7]);
    await s.pass(4);
    expect(s.unit(9)).toMatchObject({ hears: [], heardFor: 2 });
    await s.pass(5);
    expect(s.unit(8).channel).toBe("460.25");
    expect(s.unit(9)).toMatchObject({ told: "Good night", toldAs: "broadcast" });
    expect(s.show().problem).toBe("");
  });

  test("a patch removed by somebody else is gone", async () => {
    const s = await Stage.open(
      withSouth({ steps: [{ at: 1, unit: -2, do: "patch", channels: ["MAIN", "TAC"], label: "Both" }, { at: 5, unit: -2, do: "unpatch", label: "Both" }] }),
    );
    await s.pass(3);
    await s.call("POST /api/patch/remove", { id: "p-1" });
    await s.pass(3);
    expect(s.show().problem).toBe("");
  });

  test("an alert from outside the radio, and a failing console link", async () => {
    const s = await Stage.open(
      quietCity({
        steps: [
          { at: 1, do: "alert", alert: "SIGNAL 100", channel: "MAIN" },
          { at: 2, unit: 8, do: "clear", channel: "MAIN" },
          { at: 3, unit: 8, do: "alert", alert: "Ping", channel: "MAIN" },
          { at: 4, do: "link", down: 6 },
        ],
      }),
    );
    await s.pass(5);
    const types = s.heard.flatMap(({ message: m }) => (m.name === "dispatchNotification" ? [(m.payload as { type: string }).type] : []));
    expect(types).toEqual(["alert", "alertCleared", "oneshot"]);
    expect(s.cuts).toEqual([6]);
  });
});
