import { describe, expect, test } from "vitest";
import type { ConfigBody } from "../wire.gen";
import { emptyDesk, heard } from "./desk";
import { readDesk } from "./memory";
import { channelsOf, shown } from "./radio";
import { applyConfig } from "./status";
import { globalTargets, healthOf, initial, type State, voiceStatus } from "./state";

const channel = (frequency: string, type = "conventional", canTransmit = true) => ({
  id: frequency, name: `CH ${frequency}`, type, frequency, allowedNacs: [], scanAllowedNacs: [],
  gps: { color: "", visibleToNacs: [] }, canTransmit,
});
const channels = [channel("1"), channel("2", "digital"), channel("3", "conventional", false), channel("800", "trunked")];
const config = {
  zones: [{ id: "zone-1", name: "Z", nacIds: [], channels, Channels: channels }],
  announcementGroups: [{ id: "all", name: "All", frequencies: ["1", "2"] }],
} as unknown as ConfigBody;

const base: State = {
  ...initial,
  radio: applyConfig(initial.radio, config),
  sound: { ...initial.sound, voice: { ...initial.sound.voice, micReady: true } },
};

describe("voice status", () => {
  test("is muted without a microphone or at volume 0, else listening", () => {
    expect(voiceStatus(base)).toBe("LISTENING");
    expect(voiceStatus({ ...base, sound: initial.sound })).toBe("MUTED");
    const silent = { ...base.desk, settings: { ...base.desk.settings, voiceVolume: 0 } };
    expect(voiceStatus({ ...base, desk: silent })).toBe("MUTED");
  });
  test("tells asking, analogue and digital apart", () => {
    expect(voiceStatus({ ...base, ptt: { ...base.ptt, state: "REQUESTED", asked: ["1"] } })).toBe("TRANSMITTING");
    expect(voiceStatus({ ...base, ptt: { ...base.ptt, state: "TX", granted: ["1"] } })).toBe("TX (Opus)");
    expect(voiceStatus({ ...base, ptt: { ...base.ptt, state: "TAIL", granted: ["2"] } })).toBe("TX (IMBE)");
  });
});

test("channels are listed as the zones have them, as the operator writes them", () => {
  const zone = (id: string, channels: object[]) => ({ id, name: id, nacIds: [], channels, Channels: channels });
  const radio = applyConfig(initial.radio, {
    zones: [zone("zone-1", [channel("154.755"), { ...channel("460.25"), display: "460.250" }]), zone("zone-2", [channel("463")])],
  } as unknown as ConfigBody);
  expect(channelsOf(radio).map((c) => shown(radio, c.frequency))).toEqual(["154.755", "460.250", "463"]);
});

test("health goes from connected over stale to disconnected", () => {
  expect([0, 4999, 5000, 14_999, 15_000].map((ms) => healthOf(true, ms))).toEqual([
    "connected", "connected", "stale", "stale", "disconnected",
  ]);
  expect(healthOf(false, 0)).toBe("disconnected");
});

describe("what the global PTT keys", () => {
  test("the joined and the selected channels, each once, none that may not be keyed", () => {
    expect(globalTargets(base)).toEqual([]);
    expect(globalTargets({ ...base, desk: { ...emptyDesk, joined: "1", selected: ["1", "2", "3"] } })).toEqual(["1", "2"]);
  });
  test("the armed group instead; a group that is gone arms nothing", () => {
    expect(globalTargets({ ...base, desk: { ...emptyDesk, joined: "800", group: "all" } })).toEqual(["1", "2"]);
    expect(globalTargets({ ...base, desk: { ...emptyDesk, joined: "800", group: "gone" } })).toEqual(["800"]);
  });
});

test("a desk hears its scans and selected channels; the joined one it hears anyway", () => {
  expect(heard({ ...emptyDesk, joined: "1", scans: { 1: 0, 2: 1 }, selected: ["2", "3"] }).sort()).toEqual(["2", "3"]);
});

describe("what the browser kept", () => {
  test("is read back unchanged", () => {
    const desk = {
      ...emptyDesk, callsign: "NORTH", joined: "1", scans: { 2: 1 as const }, selected: ["3"], follows: [7], group: "all", zone: "zone-1",
      levels: { 1: { volume: 0.6, pan: -1, muted: true } }, settings: { ...emptyDesk.settings, look: "lcd" as const, theme: "wall", latch: true },
    };
    expect(readDesk(JSON.stringify(desk))).toEqual(desk);
  });
  test("a new desk speaks the first language of the browser that the panel speaks", () => {
    const language = (kept: string | null, ...asked: string[]): string => readDesk(kept, asked).settings.language;
    expect(language(null, "de-AT", "en")).toBe("de");
    expect(language("{", "DE")).toBe("de");
    expect(language(null, "fr", "de", "en")).toBe("de");
    expect(language(null, "fr", "en-GB", "de")).toBe("en");
    expect(language(null, "fr")).toBe("en");
    expect(language(null)).toBe("en");
    expect(language('{"settings":{"language":"en"}}', "de")).toBe("en");
  });
  test("is not trusted", () => {
    for (const bad of [null, "", "{", "null", "[]", '"x"', '{"scans":5,"levels":{"1":null},"settings":{"look":"x","theme":5,"voiceVolume":9}}']) {
      const desk = readDesk(bad);
      expect(desk.settings).toEqual(emptyDesk.settings);
      expect(desk.scans).toEqual({});
    }
    expect(readDesk('{"levels":{"1":{"volume":7,"pan":"left"}}}').levels).toEqual({ 1: { volume: 1, pan: 0, muted: false } });
  });
});
