import { expect, test } from "vitest";
import { cardOf, type CardState, cardStates } from "../../state/card";
import { closedOn, emergencyState, openEmergencies } from "../../state/emergency";
import { type ChipState, chipsOf, pttFace } from "../../state/pttbar";
import { channelsOf } from "../../state/radio";
import type { State } from "../../state/state";
import { at, county, type ChannelName } from "./county";
import { allScenes, groups, type Scene, sceneOf, stateOf } from "./scenes";

const made = (name: string): State => stateOf(sceneOf(name)!, {});
const cards = (s: State): CardState[] => channelsOf(s.radio).map((c) => cardOf(s, c.frequency).state);
const all = allScenes.map((scene) => stateOf(scene, {}));

test("every scene has a name of its own, says in both languages what it shows, and belongs to a section", () => {
  const names = allScenes.map((s) => s.name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, group, about } of allScenes) {
    expect(name).toMatch(/^[a-z0-9-]+$/);
    expect(groups).toContain(group);
    expect(about).toMatchObject({ en: expect.stringMatching(/\S/), de: expect.stringMatching(/\S/) });
  }
  expect([...new Set(allScenes.map((s) => s.group))]).toEqual([...groups]);
});

test("scenes are pure: they are made from the county, and leave it as it is", () => {
  const before = structuredClone(county);
  const twice = (scene: Scene): [State, State] => [stateOf(scene, {}), stateOf(scene, {})];
  for (const scene of allScenes) {
    const [one, two] = twice(scene);
    expect(one, scene.name).toEqual(two);
  }
  expect(county).toEqual(before);
  expect(made("rest")).toEqual(county);
});

test("every state of a card is drawn, all but one in one scene", () => {
  const drawn = new Set(all.flatMap(cards));
  expect(cardStates.filter((s) => !drawn.has(s))).toEqual([]);
  expect(cardStates.filter((s) => !cards(made("cards")).includes(s))).toEqual(["link"]);
});

test("the cards of that scene are in the states that it means", () => {
  const s = made("cards");
  const card = (name: ChannelName): CardState => cardOf(s, at[name]).state;
  expect({
    rx: card("LSPD DISP"), off: card("LSPD TRUNK"), noaudio: card("BCSO DISP"), busy: card("BCSO TAC"), wait: card("PARKS"), em: card("FIRE DISP"), ack: card("FIREGROUND"),
    tx: card("EMS DISP"), ended: card("EMS TAC"), overridden: card("CALLING"), denied: card("STATEWIDE"), over: card("AIR SUPPORT"), idle: card("LSPD TAC 1"),
  }).toEqual({
    rx: "rx", off: "off", noaudio: "noaudio", busy: "busy", wait: "wait", em: "em", ack: "ack", tx: "tx", ended: "ended", overridden: "overridden", denied: "denied", over: "over", idle: "idle",
  });
});

test("every face of the push-to-talk key and every result of a target is drawn", () => {
  const faces = new Set(all.map(pttFace));
  expect(["IDLE", "REQUESTED", "TX", "TAIL", "DENIED", "LATCHED", "NOMIC", "NOLINK"].filter((f) => !faces.has(f as never))).toEqual([]);
  const chips = new Set(all.flatMap((s) => chipsOf(s).map((c) => c.state)));
  const wanted: ChipState[] = ["ready", "heard", "wait", "tx", "busy", "denied", "overridden", "link"];
  expect(wanted.filter((c) => !chips.has(c))).toEqual([]);
});

test("emergencies: none, one in each state, two, and more than there is room for", () => {
  const states = (name: string): string[] => openEmergencies(made(name).radio).map(emergencyState);
  expect(states("rest")).toEqual([]);
  expect(states("emergency")).toEqual(["unacknowledged"]);
  expect(states("acknowledged")).toEqual(["acknowledged"]);
  for (const by of ["unit", "timeout", "script", "disconnect"]) {
    expect(states(`ended-${by}`)).toEqual(["ended"]);
    expect(openEmergencies(made(`ended-${by}`).radio)[0]?.endedBy).toBe(by);
  }
  expect(states("two")).toHaveLength(2);
  expect(new Set(states("many"))).toEqual(new Set(["unacknowledged", "acknowledged", "ended"]));
  expect(states("many").length).toBeGreaterThan(3); // the lane has two places, a wall three
  expect(closedOn(made("closed").radio, at["FIRE DISP"])?.closedAt).not.toBeNull();
});

test("flags of a card are drawn both ways", () => {
  const flags = { heard: new Set(), target: new Set(), alert: new Set(), patched: new Set(), muted: new Set() };
  for (const s of all)
    for (const c of channelsOf(s.radio)) {
      const card = cardOf(s, c.frequency);
      flags.heard.add(card.heard);
      flags.target.add(card.target);
      flags.alert.add(card.alert !== null);
      flags.patched.add(card.patch !== "");
      flags.muted.add(card.muted);
    }
  for (const [flag, values] of Object.entries(flags)) expect(values, flag).toEqual(new Set([true, false]));
});

test("a link that is good, stale and lost", () => {
  expect(new Set(all.map((s) => s.session.health))).toEqual(new Set(["connected", "stale", "disconnected"]));
});

test("none, one and 160 channels", () => {
  expect(["no-channels", "one-channel", "many-channels"].map((n) => channelsOf(made(n).radio).length)).toEqual([0, 1, 160]);
  expect(cards(made("many-channels")).filter((s) => s === "rx" || s === "off").length).toBeGreaterThan(20);
});

test("every dialog, tab and kind of notice is drawn", () => {
  const seen = (f: (s: State) => unknown): Set<unknown> => new Set(all.map(f));
  expect(seen((s) => s.screen.dialog?.name ?? null)).toEqual(new Set([null, "settings", "palette", "broadcast", "patch", "unit", "keys"]));
  expect(seen((s) => s.screen.desk)).toEqual(new Set(["units", "patches", "groups", "tones"]));
  expect(seen((s) => s.screen.rail)).toEqual(new Set(["log", "recall"]));
  expect(seen((s) => s.screen.tab)).toEqual(new Set(["channels", "log", "units", "more"]));
  expect(new Set(all.flatMap((s) => s.radio.notices.map((n) => n.kind)))).toEqual(new Set(["broadcast", "oneshot", "user", "info", "fault"]));
});
