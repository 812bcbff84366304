import { beforeEach, expect, it } from "vitest";
import { enConsole } from "../i18n/en.console";
import { addTexts, setLanguage } from "../i18n/language.svelte";
import "../i18n/dialog";
import "../i18n/later";
import { labelOf } from "../palette/label";
import { applyEmergency, type Emergency } from "../state/emergency";
import { targetsOf } from "../state/target";
import { testPorts, type TestPorts } from "./ports.testing";
import { actions, refusal, run } from "./registry";

addTexts(enConsole);
let p: TestPorts;
beforeEach(() => void (p = testPorts()));

const emergency: Emergency = {
  id: "e-1", serverId: 7, unitId: "4A-12", name: "Ana Ruiz", frequency: "154.755", raisedAt: 1, ackBy: null, ackById: null, ackAt: null,
  endedAt: null, endedBy: null, closedBy: null, closedById: null, closedAt: null, reason: null, note: "",
};

it("does what it is asked to", () => {
  expect(run(p, "target.set", { channels: ["154.755", "154.28"] })).toEqual({ ok: true });
  expect(targetsOf(p.store.now.desk)).toEqual(["154.755", "154.28"]);
  expect(run(p, "talk.here", { channel: "460.25" })).toEqual({ ok: true });
  expect(targetsOf(p.store.now.desk)).toEqual(["460.25"]);
  expect(run(p, "unit.move", { unit: 7, channel: "460.25" })).toEqual({ ok: true });
  expect(p.sent.at(-1)).toEqual(["POST /radio/dispatch/switchChannel", { serverId: 7, frequency: "460.25", oldFrequency: "154.755" }]);
  expect(run(p, "recall.play", {})).toEqual({ ok: true });
});

it("a wrong argument is named, and nothing is done", () => {
  const { desk } = p.store.now;
  expect(run(p, "talk.here", {})).toEqual({ ok: false, field: "channel", error: "missing" });
  expect(run(p, "talk.here", { channel: "1.0" })).toEqual({ ok: false, field: "channel", error: 'no channel "1.0"' });
  expect(run(p, "talk.here", { channel: 154.755 })).toEqual({ ok: false, field: "channel", error: "not a text" });
  expect(run(p, "talk.here", { channel: "154.755", loud: true })).toEqual({ ok: false, field: "loud", error: "not known here" });
  expect(run(p, "unit.move", { unit: 99, channel: "154.755" })).toEqual({ ok: false, field: "unit", error: "no unit 99" });
  expect(run(p, "unit.move", { unit: 7, channel: "no" })).toEqual({ ok: false, field: "channel", error: 'no channel "no"' });
  expect(run(p, "channel.volume", { channel: "154.755", percent: 101 })).toEqual({ ok: false, field: "percent", error: "not between 0 and 100" });
  expect(run(p, "channel.volume", { channel: "154.755", percent: Number.NaN })).toEqual({ ok: false, field: "percent", error: "not a number" });
  expect(run(p, "recall.play", { seconds: 61 })).toEqual({ ok: false, field: "seconds", error: "not between 1 and 60" });
  expect(run(p, "look.set", { look: "pink" })).toEqual({ ok: false, field: "look", error: "not one of night, day, contrast, lcd" });
  expect(run(p, "channel.mute", { channel: "154.755", muted: "yes" })).toEqual({ ok: false, field: "muted", error: "neither true nor false" });
  expect(run(p, "alert.raise", { alert: "SIGNAL 9", channel: "154.755" })).toEqual({ ok: false, field: "alert", error: 'no alert "SIGNAL 9"' });
  expect(run(p, "tone.send", { tone: "GONG", channel: "154.755" })).toEqual({ ok: false, field: "tone", error: 'no tone "GONG"' });
  expect(run(p, "group.arm", { group: "g9" })).toEqual({ ok: false, field: "group", error: 'no group "g9"' });
  expect(run(p, "patch.end", { patch: "p-9" })).toEqual({ ok: false, field: "patch", error: 'no patch "p-9"' });
  expect(run(p, "zone.show", { zone: "9" })).toEqual({ ok: false, field: "zone", error: 'no zone "9"' });
  expect(run(p, "patch.create", { channels: ["154.755"] })).toEqual({ ok: false, field: "channels", error: "fewer than 2" });
  expect(run(p, "patch.create", { channels: ["154.755", "x"] })).toEqual({ ok: false, field: "channels", error: 'no channel "x"' });
  expect(run(p, "patch.create", { channels: "154.755" })).toEqual({ ok: false, field: "channels", error: "not a list" });
  expect(run(p, "unit.text", { unit: 7, text: "" })).toEqual({ ok: false, field: "text", error: "empty" });
  expect(run(p, "unit.text", { unit: 7, text: "x".repeat(501) })).toEqual({ ok: false, field: "text", error: "longer than 500" });
  expect(run(p, "emergency.close", { emergency: "e-1", reason: "test" })).toEqual({ ok: false, field: "emergency", error: 'no emergency "e-1"' });
  expect(p.sent).toEqual([]);
  expect(p.store.now.desk).toBe(desk);
});

it("what is not possible now says so", () => {
  expect(run(p, "talk.here", { channel: "155.34" })).toEqual({ ok: false, field: "", error: "not possible now" });
  expect(run(p, "alert.clear", { channel: "154.755" })).toEqual({ ok: false, field: "", error: "not possible now" });
  expect(run(p, "make.coffee")).toEqual({ ok: false, field: "id", error: 'no action "make.coffee"' });
});

it("answering and acknowledging take the oldest emergency, closing needs one and a reason", () => {
  p.store.change((s) => ({ ...s, radio: applyEmergency(applyEmergency(s.radio, { ...emergency, id: "e-2", serverId: 8, raisedAt: 2 }), emergency) }));
  run(p, "emergency.acknowledge");
  expect(p.sent.at(-1)).toEqual(["acknowledgeEmergency", { id: "e-1" }]);
  expect(refusal(p, "emergency.close", { emergency: "e-1" })).toEqual({ field: "reason", error: "missing" });
  run(p, "emergency.close", { emergency: "e-1", reason: "test", note: "drill" });
  expect(p.sent.at(-1)).toEqual(["closeEmergency", { id: "e-1", reason: "test", note: "drill" }]);
});

it("no two actions have the same name, and no flag, number or choice lets another type through", () => {
  expect(new Set(actions.map((a) => a.id)).size).toBe(actions.length);
  for (const action of actions) {
    for (const [name, field] of Object.entries(action.args)) {
      if (field.kind === "choice") expect(field.of, `${action.id}.${name}`).not.toHaveLength(0);
      const others = Object.fromEntries(Object.keys(action.args).map((k) => [k, {}]));
      expect(refusal(p, action.id, { ...others, [name]: {} }), action.id).toMatchObject({ field: expect.any(String), error: expect.stringMatching(/./) });
    }
  }
});

it("every action has a label in both languages, and says in it what it is about", async () => {
  const about = {
    channel: "154.28", unit: 8, emergency: "e-1", alert: "SIGNAL 3", tone: "PAGE 1", group: "g1", patch: "p-1", zone: "2", theme: "wall", layout: "Night", name: "Night",
    channels: ["154.755", "154.28"], text: "stage at 5th", callsign: "D-9", percent: 50, seconds: 30, reason: "test", muted: true,
    priority: "1", filter: "mine", look: "day", density: "dense", language: "de", note: "", label: "North", type: "General Alert",
  };
  const said = { channel: /FIRE DISP/, unit: /Ben Okoye/, emergency: /Ana Ruiz/, alert: /SIGNAL 3/, tone: /PAGE 1/, group: /Everybody/, patch: /North/, zone: /Fire/, theme: /Wall screen/, channels: /LSPD DISP.*FIRE DISP/ };
  run(p, "layout.save", { name: "Night" });
  p.store.change((s) => ({
    ...s,
    radio: { ...applyEmergency(s.radio, emergency), patches: [{ id: "p-1", label: "North", frequencies: [], createdBy: 0, createdAt: 0 }] },
  }));
  const all: Record<string, string[]> = {};
  for (const language of ["en", "de"] as const) {
    expect(await setLanguage(language)).toBe(true);
    for (const action of actions) {
      const names = Object.keys(action.args);
      for (const name of names) expect(about, `${action.id} takes ${name}`).toHaveProperty(name);
      const label = labelOf(p, action.id, Object.fromEntries(names.map((n) => [n, about[n as keyof typeof about]])));
      expect(label, action.id).not.toBe(action.id);
      expect(label, action.id).not.toMatch(/[{}]|^cmd\./);
      for (const [name, text] of Object.entries(said)) if (action.args[name] && action.id !== "broadcast.send") expect(label, action.id).toMatch(text);
      (all[language] ??= []).push(label);
    }
  }
  await setLanguage("en");
  expect(all["de"]).not.toEqual(all["en"]);
});
