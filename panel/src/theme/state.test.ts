import { expect, it } from "vitest";
import { testPorts } from "../action/ports.testing";
import { applyEvent } from "../state/event";
import type { Emergency } from "../state/emergency";
import type { Transmission } from "../state/radio";
import { initial, type State } from "../state/state";
import { themeState } from "./state";
import { stateFields } from "./table.gen";
import { Zones } from "./zones";

const transmission = (n: number): Transmission => ({
  id: `t-${n}`, serverId: 7, name: "Ana Ruiz", unitId: "4A-12", frequency: "154.755", encoding: "opus", startedAt: n, endedAt: n + 1, durationMs: 1,
});
const emergency: Emergency = {
  id: "e-1", serverId: 7, unitId: "4A-12", name: "Ana Ruiz", frequency: "154.755", raisedAt: 5, ackBy: null, ackById: null, ackAt: null,
  endedAt: null, endedBy: null, closedBy: null, closedById: null, closedAt: null, reason: null, note: "",
};

/** A desk with something in every field. */
function busy(): State {
  const { now } = testPorts().store;
  return {
    ...now,
    session: { ...now.session, serverName: "Test", health: "connected" },
    desk: {
      ...now.desk, callsign: "DISPATCH", joined: "154.755", group: "g1", scans: { "851.0": 0, "460.25": 1 },
      settings: { ...now.desk.settings, channelPTT: { "460.25": { pttKey: "F4", pttType: "key", pttMouseButton: 4 } } },
    },
    ptt: { ...now.ptt, state: "TX", source: "key", target: { kind: "channel", frequency: "460.25" }, granted: ["460.25"] },
    sound: { ...now.sound, voice: { ...now.sound.voice, micReady: true } },
    radio: {
      ...now.radio,
      live: {
        ...now.radio.live,
        "154.755": { frequency: "154.755", control: null, speakers: [7, -1], listeners: [8, -1], talkers: [{ id: 7, since: 1 }] },
        "851.5": { frequency: "851.5", control: "851.0", speakers: [8], listeners: [9], talkers: [] },
      },
      alerts: { "460.25": { frequency: "460.25", config: { name: "SIGNAL 100", isPersistent: true }, since: 1, by: "", seen: false } },
      panics: [{ frequency: "154.755", id: 7, since: 5 }],
      emergencies: [emergency],
      patches: [{ id: "p-1", label: "Pursuit", frequencies: ["154.755", "154.28"], createdBy: -1, createdAt: 3 }],
      log: Array.from({ length: 60 }, (_, n) => transmission(60 - n)),
    },
  };
}

it("has every field of the table, with what the radio knows", () => {
  const s = themeState(busy(), 9);
  expect(Object.keys(s).sort()).toEqual([...stateFields].sort());
  expect(s).toMatchObject({
    channel: "154.755", scannedChannels: ["460.25", "851.0"], pttActive: false, channelPttActive: true, channelPttFrequency: "460.25",
    voiceStatus: "TX (Opus)", micReady: true, activeAlerts: { "460.25": "SIGNAL 100" }, tones: [{ id: "PANIC", name: "PANIC" }, { id: "PAGE 1", name: "PAGE 1" }],
    patches: [{ id: "p-1", label: "Pursuit", frequencies: ["154.755", "154.28"], createdBy: -1, createdAt: 3 }],
    announcementGroups: [{ id: "g1", name: "Everybody", frequencies: ["154.755", "154.28"] }], activeAnnouncementGroup: "g1",
    callsign: "DISPATCH", serverName: "Test", connected: true, health: "connected", authenticated: true,
  });
  expect(s.alertTypes).toEqual([{ id: "SIGNAL 100", name: "SIGNAL 100", isPersistent: true }, { id: "SIGNAL 3", name: "SIGNAL 3", isPersistent: false }]);
  expect(s.settings).toEqual({
    callsign: "DISPATCH", voiceVolume: 0.8, sfxVolume: 0.5, globalPTT: { pttKey: "F2", pttType: "key", pttMouseButton: 4 },
    channelPTT: { "460.25": { pttKey: "F4", pttType: "key", pttMouseButton: 4 } }, announcementGroupPTT: {},
  });
  expect(s.transmissions.map((t) => t.id)).toEqual(Array.from({ length: 50 }, (_, n) => `t-${60 - n}`));
  expect(s.now).toBe(9);
  expect(s.emergencies).toEqual([{ id: "e-1", serverId: 7, unitId: "4A-12", name: "Ana Ruiz", frequency: "154.755", raisedAt: 5, ackBy: null, ackAt: null, endedAt: null, endedBy: null }]);
});

it("shows who is on a channel, also on the working frequencies of a talkgroup", () => {
  const [police, fire] = themeState(busy(), 9).zones;
  expect(police).toMatchObject({ id: "1", name: "Police" });
  expect(police!.channels[0]).toEqual({
    id: undefined, frequency: "154.755", name: "LSPD DISP", type: "conventional", canTransmit: true, listeners: 2, display: "154.755",
    users: [
      { id: "-1", name: "#-1", nacId: null, unitId: null, transmitting: false, panic: false },
      { id: "7", name: "Ana Ruiz", nacId: null, unitId: "4A-12", transmitting: true, panic: true },
    ],
  });
  expect(fire!.channels.map((c) => [c.name, c.canTransmit, c.listeners, c.users.map((u) => u.id)])).toEqual([
    ["FIRE DISP", true, 0, ["8"]], ["LISTEN", false, 0, []], ["STATEWIDE", true, 1, ["8"]],
  ]);
});

it("is a copy: what a theme does to it is done to nothing else", () => {
  const s = busy();
  const before = JSON.stringify(s);
  const given = themeState(s, 9);
  for (const list of [given.zones, given.zones[0]!.channels, given.patches, given.transmissions, given.alertTypes, given.announcementGroups[0]!.frequencies]) list.length = 0;
  given.settings.globalPTT.pttKey = "F9";
  given.emergencies[0]!.name = "X";
  expect(JSON.stringify(s)).toBe(before);
  const zones = new Zones();
  themeState(s, 9, zones).zones.length = 0;
  expect(themeState(s, 9, zones).zones).toHaveLength(2);
});

it("the global push-to-talk is held while it is asked for or on air, not when it is denied or over", () => {
  const at = (state: State["ptt"]["state"], target: State["ptt"]["target"] = { kind: "global" }) => {
    const { pttActive, channelPttActive } = themeState({ ...initial, ptt: { ...initial.ptt, state, target } }, 9);
    return [pttActive, channelPttActive];
  };
  expect([at("REQUESTED"), at("TX"), at("TAIL"), at("DENIED"), at("IDLE")]).toEqual([[true, false], [true, false], [false, false], [false, false], [false, false]]);
  expect(at("TX", { kind: "group", groupId: "g1" })).toEqual([true, false]);
  expect(at("TX", { kind: "channel", frequency: "1" })).toEqual([false, true]);
});

it("of the microphone nothing is known until it is there or missing", () => {
  const voice = (more: Partial<State["sound"]["voice"]>) => themeState({ ...initial, sound: { ...initial.sound, voice: { ...initial.sound.voice, ...more } } }, 9).micReady;
  expect([voice({}), voice({ micReady: true }), voice({ noMicrophone: "denied" })]).toEqual([null, true, false]);
});

it("without a session everything is empty", () => {
  expect(themeState(initial, 9)).toMatchObject({ channel: "", zones: [], connected: false, health: "disconnected", authenticated: false, channelPttFrequency: "" });
});

it("what has not changed is the same object: one change on a large radio makes one channel anew", () => {
  const zones = new Zones();
  const { radio } = busy();
  const before = zones.of(radio);
  expect(zones.of({ ...radio, counter: 9 })).toBe(before);
  const after = zones.of(applyEvent(radio, { name: "talkingState", payload: { serverId: 8, frequency: "154.28", state: true }, at: 9 }));
  expect(after).not.toBe(before);
  expect(after[0]!.channels[0]).toBe(before[0]!.channels[0]);
  expect(after[1]!.channels[0]!.users[0]!.transmitting).toBe(true);
  const renamed = { ...radio, users: { ...radio.users, 99: { id: 99, name: "Nobody here", nacId: null, unitId: null, callsign: null } } };
  expect(zones.of(renamed)[0]).toBe(zones.of(renamed)[0]);
});
