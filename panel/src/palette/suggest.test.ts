import { beforeEach, expect, it } from "vitest";
import { testPorts, type TestPorts } from "../action/ports.testing";
import { actions, run } from "../action/registry";
import { setLanguage } from "../i18n/language.svelte";
import "../i18n/dialog";
import "../i18n/later";
import type { ConfigBody } from "../wire.gen";
import { applyConfig } from "../state/status";
import { thingsOf } from "./find";
import { labelOf } from "./label";
import { type Suggestion, suggest } from "./suggest";
import { verbs } from "./verbs";

let p: TestPorts;
beforeEach(() => {
  p = testPorts();
  run(p, "layout.save", { name: "Nachtdienst" });
});

const all = (typed: string): Suggestion[] => suggest(p, thingsOf(p), typed);
const first = (typed: string): [string, unknown] => {
  const s = all(typed)[0];
  return [s?.action ?? "", s?.more ?? s?.args];
};

it.each([
  ["move Ana to TAC 1", "unit.move", { unit: 7, channel: "460.25" }],
  ["move ana tac 2", "unit.move", { unit: 7, channel: "460.3" }],
  ["verlege Ana nach TAC 1", "unit.move", { unit: 7, channel: "460.25" }],
  ["Ana nach TAC 1 verlegen", "unit.move", { unit: 7, channel: "460.25" }],
  ["schalte Ana auf TAC 1", "unit.move", { unit: 7, channel: "460.25" }],
  ["move 4A-12 to fire", "unit.move", { unit: 7, channel: "154.28" }],
  ["talk FIRE DISP", "talk.here", { channel: "154.28" }],
  ["talk on fire", "talk.here", { channel: "154.28" }],
  ["sprich auf FIRE DISP", "talk.here", { channel: "154.28" }],
  ["monitor statewide", "monitor.on", { channel: "851.0" }],
  ["FIRE DISP mithören", "monitor.on", { channel: "154.28" }],
  ["text Ana: stage at Elm and 5th", "unit.text", { unit: 7, text: "stage at Elm and 5th" }],
  ["schreibe Ben Okoye: Sammeln an Tor 2", "unit.text", { unit: 8, text: "Sammeln an Tor 2" }],
  ["patch TAC 1 and TAC 2", "patch.create", { channels: ["460.25", "460.3"] }],
  ["patch tac 1, tac 2 and fire", "patch.create", { channels: ["460.25", "460.3", "154.28"] }],
  ["kopple TAC 1 und FIRE", "patch.create", { channels: ["460.25", "154.28"] }],
  ["tone PAGE 1 on FIRE DISP", "tone.send", { tone: "PAGE 1", channel: "154.28" }],
  ["Ton PAGE 1 auf FIRE DISP", "tone.send", { tone: "PAGE 1", channel: "154.28" }],
  ["alert SIGNAL 3 on STATEWIDE", "alert.raise", { alert: "SIGNAL 3", channel: "851.0" }],
  ["Alarm SIGNAL 3 auf STATEWIDE", "alert.raise", { alert: "SIGNAL 3", channel: "851.0" }],
  // As the tasks of scenarios are written.
  ["Raise SIGNAL 100 on LSPD DISP", "alert.raise", { alert: "SIGNAL 100", channel: "154.755" }],
  ["SIGNAL 100 auf LSPD DISP auslösen", "alert.raise", { alert: "SIGNAL 100", channel: "154.755" }],
  ["replay TAC 1 30", "recall.play", { channel: "460.25", seconds: 30 }],
  ["replay 30 s", "recall.play", { seconds: 30 }],
  ["replay", "recall.play", {}],
  ["volume TAC 1 50%", "channel.volume", { channel: "460.25", percent: 50 }],
  ["unmute tac 1", "channel.mute", { channel: "460.25", muted: false }],
  ["zone fire", "zone.show", { zone: "2" }],
  ["look high contrast", "look.set", { look: "contrast" }],
  ["deutsch", "language.set", { language: "de" }],
  ["Sprache Deutsch", "language.set", { language: "de" }],
  ["filter mine", "filter.set", { filter: "mine" }],
  ["zeige alle", "filter.set", { filter: "all" }],
  ["zoom 125%", "zoom.set", { percent: 125 }],
  ["layout nachtdienst", "layout.use", { layout: "Nachtdienst" }],
  ["Layout speichern als Großlage", "layout.save", { name: "Großlage" }],
  ["theme wall", "theme.set", { theme: "wall" }],
  ["theme quiet night", "theme.set", { theme: "quiet" }],
  ["kein theme", "theme.set", { theme: "" }],
  ["group everybody", "group.arm", { group: "g1" }],
  ["rename Ana to LINCOLN 4", "unit.callsign", { unit: 7, callsign: "LINCOLN 4" }],
  ["sign out", "logout", {}],
  ["abmelden", "logout", {}],
  ["TAC 1", "channel.show", { channel: "460.25" }],
  ["154.28", "channel.show", { channel: "154.28" }],
  ["ben okoye", "unit.open", { unit: 8 }],
])("“%s” means %s", (typed, action, args) => {
  expect(first(typed)).toEqual([action, args]);
});

it("what is still to be chosen is written on", () => {
  expect(first("move")).toEqual(["unit.move", "move "]);
  // The first shift tells its trainee to type these words.
  expect(first("verlegen")).toEqual(["unit.move", "verlegen "]);
  expect(first("patch")).toEqual(["patch.create", "patch "]);
  expect(first("koppeln")).toEqual(["patch.create", "koppeln "]);
  expect(first("move ana")).toEqual(["unit.move", "move Ana Ruiz to "]);
  expect(first("text ben")).toEqual(["unit.text", "text Ben Okoye: "]);
  expect(first("patch tac 1")).toEqual(["patch.create", "patch TAC 1 and "]);
  expect(all("move ana")[0]?.label).toBe("Move Ana Ruiz to …");
  // What the palette has written, it understands.
  expect(first("move Ana Ruiz to ")).toEqual(["unit.move", "move Ana Ruiz to "]);
  expect(first("move Ana Ruiz to TAC 1")).toEqual(["unit.move", { unit: 7, channel: "460.25" }]);
});

it("a name that another begins with is not taken apart", () => {
  p.store.change((s) => ({ ...s, radio: { ...s.radio, users: { 1: { id: 1, name: "Unit 1", nacId: null, unitId: null, callsign: null }, 2: { id: 2, name: "Unit 2", nacId: null, unitId: null, callsign: null } } } }));
  expect(first("move unit 2")).toEqual(["unit.move", "move Unit 2 to "]);
  expect(first("move unit 2 to tac 2")).toEqual(["unit.move", { unit: 2, channel: "460.3" }]);
});

it("both units of a name are there", () => {
  p.store.change((s) => ({ ...s, radio: { ...s.radio, users: { ...s.radio.users, 9: { id: 9, name: "Ana Berg", nacId: null, unitId: "M-1", callsign: null } } } }));
  const moves = all("move ana to tac 1").filter((s) => s.more === null && s.action === "unit.move");
  expect(moves.map((s) => s.args["unit"]).sort()).toEqual([7, 9]);
});

it("what cannot be done is not offered", () => {
  expect(all("talk LISTEN").map((s) => s.action)).not.toContain("talk.here");
  expect(all("make coffee")).toEqual([]);
});

it("says what it means in the dispatcher's language", async () => {
  await setLanguage("de");
  expect(all("move ana to tac 1")[0]?.label).toBe("Ana Ruiz auf TAC 1 schalten");
  await setLanguage("en");
});

it("writes on in the dispatcher's language, or in that of the verb", async () => {
  expect(first("verlege ana")).toEqual(["unit.move", "verlege Ana Ruiz auf "]);
  expect(first("kopple tac 1")).toEqual(["patch.create", "kopple TAC 1 und "]);
  await setLanguage("de");
  p.store.change((s) => ({ ...s, desk: { ...s.desk, settings: { ...s.desk.settings, language: "de" } } }));
  expect(all("ana ruiz").map((s) => s.more)).toContain("schalte Ana Ruiz auf ");
  expect(all("").map((s) => s.more)).toContain("kopple ");
  expect(first("move ana")).toEqual(["unit.move", "move Ana Ruiz to "]);
  await setLanguage("en");
});

it("what it says in German, it understands", async () => {
  await setLanguage("de");
  const channel = "154.28";
  const said: [string, Record<string, unknown>][] = [
    ["talk.here", { channel }], ["monitor.on", { channel }], ["monitor.off", { channel }], ["target.add", { channel }], ["target.remove", { channel }],
    ["channel.show", { channel }], ["channel.drawer", { channel }], ["channel.mute", { channel, muted: true }], ["channel.mute", { channel, muted: false }],
    ["channel.volume", { channel, percent: 50 }], ["recall.play", { channel }], ["unit.move", { unit: 7, channel }], ["unit.open", { unit: 7 }], ["unit.follow", { unit: 7 }],
    ["unit.unfollow", { unit: 7 }], ["unit.panic", { unit: 7 }], ["unit.disconnect", { unit: 7 }], ["alert.raise", { alert: "SIGNAL 3", channel }], ["tone.send", { tone: "PAGE 1", channel }],
    ["patch.create", { channels: ["460.25", "460.3"] }], ["group.arm", { group: "g1" }], ["broadcast.open", { channel }], ["zoom.set", { percent: 125 }],
  ];
  for (const [action, args] of said) {
    const sentence = labelOf(p, action, args).replace("…", "");
    expect(first(sentence), sentence).toEqual([action, args]);
    run(p, action, args); // so that what ends it can be done
  }
  await setLanguage("en");
});

it("everything that it offers can be done", () => {
  for (const typed of ["", "fire", "a", "t", "on", "move ana to", "replay tac 1", "mute", "s", "kopple tac 1 und tac 2"]) {
    for (const s of all(typed)) {
      const outcome = s.more === null ? run(p, s.action, s.args) : { ok: true };
      expect(outcome, `${typed}: ${s.label}`).toEqual({ ok: true });
    }
  }
});

it("every verb is of an action that there is, and fills arguments that it takes", () => {
  for (const verb of verbs) {
    const action = actions.find((a) => a.id === verb.action);
    expect(action, verb.action).toBeDefined();
    for (const name of [...verb.slots.map((s) => s.arg), ...Object.keys(verb.args ?? {})]) expect(Object.keys(action!.args), verb.action).toContain(name);
    const needed = Object.entries(action!.args).filter(([, f]) => !f.optional).map(([name]) => name);
    expect([...verb.slots.map((s) => s.arg), ...Object.keys(verb.args ?? {})], verb.action).toEqual(expect.arrayContaining(needed));
  }
});

it("is quick with 160 channels and 300 units", () => {
  const channels = Array.from({ length: 160 }, (_, i) => ({ frequency: `${400 + i}.5`, name: `TAC ${i}`, type: "conventional", canTransmit: true }));
  const config = { ...p.store.now.radio.config!, zones: [{ id: "1", name: "All", channels }] } as unknown as ConfigBody;
  const users = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, { id: i, name: `Unit ${i} Smith`, nacId: null, unitId: `U-${i}`, callsign: null }]));
  p.store.change((s) => ({ ...s, radio: { ...applyConfig(s.radio, config), users } }));
  const things = thingsOf(p);
  const text = "move unit 299 smith to tac 159";
  suggest(p, things, text);
  const counted = text.split("").map((_, i) => text.slice(0, i + 1));
  const began = performance.now();
  for (const typed of counted) suggest(p, things, typed);
  const each = (performance.now() - began) / counted.length;
  console.log(`a key in the palette: ${each.toFixed(2)} ms`);
  expect(suggest(p, things, text)[0]?.args).toEqual({ unit: 299, channel: "559.5" });
});
