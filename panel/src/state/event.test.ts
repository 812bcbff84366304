import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ConfigBody, DispatchStatus } from "../wire.gen";
import { applyEvent, type RadioEvent } from "./event";
import { channelName, emptyRadio, homeOf, logLength, nameOf, patchOf, type Radio, unitOf } from "./radio";
import { applyConfig, applyStatus } from "./status";
import { unitsOnAir } from "./traffic";

// The same transcript as the Go side's: what its encoder really sends.
const file = (name: string): string[] =>
  readFileSync(new URL(`../../../core/wire/testdata/${name}`, import.meta.url), "utf8").trim().split("\n");

interface Line {
  after: string;
  to: string;
  event: RadioEvent["name"];
  payload: never;
}

const lines = file("events.golden.jsonl").map((l) => JSON.parse(l) as Line);
const replies = new Map(
  file("replies.golden.jsonl").map((l) => {
    const { route, reply } = JSON.parse(l) as { route: string; reply: unknown };
    return [route, reply];
  }),
);
const config = replies.get("GET /radio/dispatch/config") as ConfigBody;
const status = replies.get("GET /radio/dispatch/status") as DispatchStatus;

/** What desk 1 receives, one event per second. */
const told = lines
  .filter((l) => /everyone|dispatch|-1/.test(l.to))
  .map((l, i): { after: string; event: RadioEvent } => ({
    after: l.after,
    event: { name: l.event, payload: l.payload, at: 1_000_000 + i * 1000 } as RadioEvent,
  }));

function until(after: string, radio: Radio = applyConfig(emptyRadio, config)): Radio {
  const last = told.findLastIndex((x) => x.after === after);
  expect(last, `the transcript tells "${after}"`).toBeGreaterThanOrEqual(0);
  return told.slice(0, last + 1).reduce((r, x) => applyEvent(r, x.event), radio);
}

describe("the radio as the Go side tells it", () => {
  test("people join, scan and are named", () => {
    const r = until("desk 1 joins Main");
    expect(r.live["154.755"]).toMatchObject({ speakers: [-1, 7, 9], listeners: [8] });
    expect(nameOf(r, 7)).toBe("Ana");
    expect(unitOf(r, 7)).toBe("A-7");
    expect(unitOf(r, 8)).toBe("200");
    expect(nameOf(r, 99)).toBe("#99");
    expect(unitsOnAir(r, "").map((u) => u.id)).toEqual([7, 8, 9, -1]);
    expect(unitsOnAir(r, "a-7").map((u) => u.id)).toEqual([7]);
  });

  test("a talker is heard on its channel and over the patch", () => {
    const r = until("the CAD patches Main and Tac");
    expect(r.live["154.755"]?.talkers.map((t) => t.id)).toEqual([7]);
    expect(r.live["460.25"]?.talkers.map((t) => t.id)).toEqual([7]);
    expect(patchOf(r, "460.25")?.id).toBe("p-1");
    expect(r.log.map((t) => [t.frequency, t.patchId, t.endedAt])).toEqual([
      ["460.25", "p-1", null],
      ["154.755", undefined, null],
    ]);
  });

  test("a released transmission is logged with its length", () => {
    const r = until("7 lets go");
    expect(r.live["154.755"]?.talkers).toEqual([]);
    expect(r.log.every((t) => t.endedAt !== null && t.durationMs > 0)).toBe(true);
  });

  test("an alert is active until it is cleared; a repeated one that wants its banner is unseen again", () => {
    let r = until("desk 1 raises SIGNAL 100");
    expect(r.alerts["154.755"]).toMatchObject({ seen: false, config: { name: "SIGNAL 100" } });
    const seen = { ...r.alerts["154.755"]!, seen: true };
    r = { ...r, alerts: { "154.755": seen } };
    const repeat = told.find((x) => x.after === "ten seconds pass")!;
    expect(applyEvent(r, repeat.event).alerts["154.755"]?.seen).toBe(false);
    expect(until("desk 1 clears the alert").alerts).toEqual({});
  });

  test("what was already active on connect or join makes no sound and no notice", () => {
    const late = (at: number): RadioEvent[] =>
      lines
        .filter((l) => l.after === "desk 3 comes late" && l.event === "dispatchNotification")
        .map((l) => ({ name: l.event, payload: l.payload, at }) as RadioEvent);
    expect(late(0).map((e) => e.payload)).toMatchObject([
      { type: "alert", current: true },
      { type: "panic", serverId: 7, current: true },
      { type: "panic", serverId: 9, current: true },
    ]);
    const before = until("desk 1 acknowledges the emergency");
    const seen = { ...before, alerts: { "154.755": { ...before.alerts["154.755"]!, seen: true, since: 5 } } };
    expect(late(9e6).reduce(applyEvent, seen)).toBe(seen);
    // A console that did not know the alert learns since when it is on.
    const since = (late(0)[0]!.payload as { timestamp: number }).timestamp;
    const fresh = late(since + 5000).reduce(applyEvent, emptyRadio);
    expect(fresh.alerts["154.755"]).toMatchObject({ since, by: "#-1" });
    expect(fresh.panics).toEqual([7, 9].map((id) => ({ id, frequency: "154.755", since })));
    expect(fresh.notices).toEqual([]);
    // The same for a console that knew it from the status; an alert that was seen
    // stays seen.
    const alert = fresh.alerts["154.755"]!;
    const told = {
      ...emptyRadio,
      alerts: { "154.755": { ...alert, since: since + 4000, by: "", seen: true } },
      panics: [7, 9].map((id) => ({ id, frequency: "154.755", since: since + 4000 })),
    };
    const knows = late(since + 5000).reduce(applyEvent, told);
    expect(knows.alerts["154.755"]).toEqual({ ...alert, by: "", seen: true });
    expect(knows.panics).toEqual(fresh.panics);
  });

  test("an emergency is raised and acknowledged by somebody", () => {
    expect(until("9 presses its panic button").panics).toMatchObject([{ id: 9, frequency: "154.755" }]);
    const r = until("desk 2 acknowledges the panic");
    expect(r.panics.map((p) => p.id)).toEqual([7]);
    expect(r.notices[0]).toMatchObject({ kind: "info", title: "Cy", by: "Desk 2" });
    expect(r.closed).toMatchObject([{ id: "e-1", serverId: 9, ackBy: "Desk 2", closedBy: "Desk 2", reason: "acknowledged" }]);
  });

  test("an emergency that its unit ended stays open until a dispatcher closes it", () => {
    const acknowledged = until("desk 1 acknowledges the emergency").emergencies;
    expect(acknowledged.map((e) => [e.id, e.ackBy])).toEqual([["e-1", null], ["e-2", "Dana"]]);
    const ended = until("7 resets its panic button");
    expect(ended.panics).toEqual([]);
    expect(ended.emergencies).toMatchObject([{ id: "e-2", endedBy: "unit" }]);
    expect(until("desk 2 closes the emergency").emergencies).toEqual([]);
  });

  test("a talkgroup owns its working frequencies until they are freed", () => {
    const r = until("8 joins the talkgroup by authority");
    expect(homeOf(r, "852")).toBe("851");
    expect(channelName(r, "852")).toBe(channelName(r, "851"));
    expect(until("the CAD disconnects 8").live["852"]).toBeUndefined();
  });

  test("patches, groups and callsigns come and go", () => {
    expect(until("the CAD removes the patch").patches).toEqual([]);
    expect(until("desk 1 arms the group").armed).toBe("all");
    expect(until("desk 1 disarms it").armed).toBeNull();
    expect(nameOf(until("7 gets a callsign"), 7)).toBe("2-ADAM-7");
    expect(nameOf(until("the callsign of 7 is cleared"), 7)).toBe("Ana");
  });

  test("a broadcast is a notice that stays; a tone-only alert is not", () => {
    const r = until("the CAD tells everybody");
    expect(r.notices[0]).toMatchObject({ kind: "broadcast", title: "Information Alert", sticky: true, by: "CAD" });
    expect(r.notices.some((n) => n.title === "Boop")).toBe(false);
  });

  test("the whole transcript over the status ends where the transcript alone ends", () => {
    // Events come while the status is fetched: it already includes some of them.
    const alone = until("the operator changes the configuration");
    const over = until("the operator changes the configuration", applyStatus(applyConfig(emptyRadio, config), status, 1));
    for (const [f, live] of Object.entries(alone.live)) {
      expect(over.live[f], f).toMatchObject({ speakers: live.speakers, listeners: live.listeners, talkers: live.talkers });
    }
    expect(over.panics).toEqual(alone.panics);
    expect(over.alerts).toEqual(alone.alerts);
    expect(over.patches).toEqual(alone.patches);
  });

  test("an event that comes twice changes nothing the second time", () => {
    for (const after of new Set(told.map((x) => x.after))) {
      const r = until(after);
      const last = told.findLast((x) => x.after === after)!;
      if (last.event.name === "channelState") continue; // a snapshot replaces with an equal one
      expect(applyEvent(r, last.event), after).toEqual(r);
    }
  });

  test("the previous state is never changed", () => {
    const frozen = deepFreeze(until("the CAD patches Main and Tac"));
    expect(() => told.reduce((r, x) => deepFreeze(applyEvent(r, x.event)), frozen)).not.toThrow();
  });

  test("the log does not grow without end", () => {
    let r = applyConfig(emptyRadio, config);
    for (let i = 0; i < logLength + 50; i++) {
      for (const state of [true, false]) {
        r = applyEvent(r, { name: "talkingState", payload: { serverId: 7, frequency: "154.755", state }, at: i });
      }
    }
    expect(r.log).toHaveLength(logLength);
  });
});

function deepFreeze<T>(v: T): T {
  if (typeof v === "object" && v !== null && !Object.isFrozen(v)) {
    Object.freeze(v);
    Object.values(v).forEach(deepFreeze);
  }
  return v;
}
test("a unit is where it talks, wherever else it listens", () => {
  const at = (...frequencies: [string, object][]) =>
    unitsOnAir({ ...emptyRadio, live: Object.fromEntries(frequencies.map(([f, more]) => [f, { frequency: f, control: null, speakers: [], listeners: [], talkers: [], ...more }])) }, "");
  expect(at(["1", { listeners: [7] }], ["2", { speakers: [7] }])).toEqual([{ id: 7, frequency: "2", talking: false }]);
  expect(at(["1", { speakers: [7] }], ["2", { listeners: [7] }])).toEqual([{ id: 7, frequency: "1", talking: false }]);
  expect(at(["1", { listeners: [7] }])).toEqual([{ id: 7, frequency: null, talking: false }]);
  const group = at(["800", { speakers: [7], talkers: [{ id: 7, since: 0 }] }], ["801", { speakers: [7], control: "800" }]);
  expect(group).toEqual([{ id: 7, frequency: "801", talking: true }]);
});

test("the themes that are installed are in the configuration, and follow it when they change", () => {
  const radio = applyConfig(emptyRadio, config);
  const themes = [{ slug: "wall", name: "Wall", version: "1.0", author: "", description: "", hasJs: true, build: "b1", css: "style.css", builtIn: false }];
  const event = { name: "dispatchNotification", payload: { type: "themes", themes, defaultTheme: "wall", timestamp: 1 }, at: 1 } as RadioEvent;
  const next = applyEvent(radio, event);
  expect(next.config).toEqual({ ...config, themes, defaultTheme: "wall" });
  expect({ ...next, config }).toEqual({ ...radio, config });
  expect(applyEvent(emptyRadio, event).config).toBeNull(); // it is loaded with them
});
