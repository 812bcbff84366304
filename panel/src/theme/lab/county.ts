// The small radio that every scene of the lab is drawn with: names and times are always
// the same, so that two pictures of a scene can be compared.

import type { Radio, Transmission, User } from "../../state/radio";
import type { State } from "../../state/state";
import { Store } from "../../state/store.svelte";
import type { AlertConfig, ConfigBody, ConfigChannel, ConfigZone } from "../../wire.gen";

/** The moment that all scenes show, ms since the epoch. */
export const moment = Date.parse("2026-03-14T14:32:21Z");
/** So many seconds before it. */
export const ago = (seconds: number): number => moment - seconds * 1000;

/** This console, and the one at the next desk. */
export const me = -1;
export const other = -2;

const rows = [
  ["Los Santos", "LSPD DISP", "154.755", "conventional"],
  ["Los Santos", "LSPD TAC 1", "154.815", "conventional"],
  ["Los Santos", "LSPD TRUNK", "856.1125", "trunked"],
  ["Los Santos", "AIR SUPPORT", "155.190", "conventional"],
  ["Blaine County", "BCSO DISP", "460.250", "digital"],
  ["Blaine County", "BCSO TAC", "460.400", "digital"],
  ["Blaine County", "PARKS", "151.415", "conventional"],
  ["Blaine County", "WEATHER", "162.550", "conventional"],
  ["Fire and Rescue", "FIRE DISP", "154.280", "conventional"],
  ["Fire and Rescue", "FIREGROUND", "153.830", "conventional"],
  ["Fire and Rescue", "EMS DISP", "463.000", "digital"],
  ["Fire and Rescue", "EMS TAC", "462.950", "digital"],
  ["Interop", "CALLING", "155.7525", "conventional"],
  ["Interop", "STATEWIDE", "769.40625", "digital"],
] as const;

export type ChannelName = (typeof rows)[number][1];

/** Frequencies as the radio writes them, without zeros at their end. */
export const at = Object.fromEntries(rows.map(([, name, shown]) => [name, String(Number(shown))])) as Record<ChannelName, string>;

function channel(name: string, display: string, type: string, canTransmit = true): ConfigChannel {
  return {
    id: name, name, type, frequency: String(Number(display)), display, allowedNacs: [], scanAllowedNacs: [],
    gps: { color: "", visibleToNacs: [] }, canTransmit, listeners: 0, users: [],
  };
}

function zone(name: string, channels: ConfigChannel[]): ConfigZone {
  return { id: name, name, nacIds: [], channels, Channels: channels };
}

const zones = [...new Set(rows.map((r) => r[0]))].map((name) =>
  zone(name, rows.filter((r) => r[0] === name).map(([, channelName, shown, type]) => channel(channelName, shown, type, channelName !== "WEATHER"))),
);

/** Colours are an operator's own: among them the emergency's red, white, and black. */
export const alerts: Record<string, AlertConfig> = Object.fromEntries(
  [
    { name: "SIGNAL 3", color: "#d8a500", isPersistent: true, repeatInterval: 30, repeatShowBanner: true },
    { name: "SIGNAL 100", color: "#d01c1c", isPersistent: true },
    { name: "HOLD THE AIR", color: "#ffffff", isPersistent: true, deactivateLabel: "RESUME", deactivateColor: "#1a814a" },
    { name: "EVACUATE", color: "#000000", isPersistent: true },
    { name: "NO COLOUR", isPersistent: true },
    { name: "Ping", color: "#0049d1", isPersistent: false },
    { name: "Page", tone: "PAGE 1", toneOnly: true },
  ].map((a) => [a.name, a]),
);

const config: ConfigBody = {
  zones,
  alerts: Object.values(alerts),
  tones: [{ name: "ALERT", file: "alert.wav" }, { name: "PAGE 1", file: "page.wav" }, { name: "PANIC", file: "panic.wav" }],
  volumes: { voiceVolume: 0.8, sfxVolume: 0.5, default3DVolume: 0.5, volumeStep: 0.1 },
  radioFx: {},
  signal: null,
  themes: [],
  defaultTheme: "",
  announcementGroups: [{ id: "all", name: "All dispatch", frequencies: [at["LSPD DISP"], at["BCSO DISP"], at["FIRE DISP"], at["EMS DISP"]] }],
  layouts: [],
  bonking: { blockTransmission: true, playBonkTone: true, bonkInterval: 1000, playerOverride: false },
  pttReleaseDelay: 0,
  panicTimeout: 0,
  timeoutTimer: 0,
  useCallsignSystem: true,
  serverName: "Los Santos Metro",
  version: "",
};

const people = [
  [12, "Priya Nair", "4A-44", "LSPD DISP"], [15, "Ana Ruiz", "4A-12", "LSPD DISP"], [16, "Marcus Bell", "4A-31", "LSPD TAC 1"],
  [17, "Omar Haddad", "4A-50", "LSPD TRUNK"], [22, "Air 1", "A-1", "AIR SUPPORT"], [13, "Dana Whitfield", "2-SAM-7", "BCSO DISP"],
  [23, "Lee Park", "2-SAM-9", "BCSO TAC"], [19, "Ranger 3", "R-3", "PARKS"], [10, "Jo Lindqvist", "E-3", "FIRE DISP"],
  [14, "Kay Moss", "E-9", "FIREGROUND"], [18, "Rui Costa", "M-4", "EMS DISP"], [11, "Sam Ortega", "M-9", "EMS TAC"],
  [20, "Engine 7", "E-7", "CALLING"], [21, "County 1", "C-1", "STATEWIDE"],
] as const;

export type UnitName = (typeof people)[number][1];
const units = new Map<string, (typeof people)[number]>(people.map((p) => [p[1], p]));

/** A unit's id, unit id and the channel that it is on. */
export function unit(name: UnitName): { id: number; unitId: string; on: ChannelName } {
  const [id, , unitId, on] = units.get(name)!;
  return { id, unitId, on };
}

const user = (id: number, name: string, unitId: string | null, callsign: string | null = null): User => ({ id, name, nacId: null, unitId, callsign });

const said = (name: UnitName, from: number, seconds: number, encoding: "opus" | "imbe" = "opus"): Transmission => {
  const { id, unitId, on } = unit(name);
  return { id: `said-${id}-${from}`, serverId: id, name, unitId, frequency: at[on], encoding, startedAt: ago(from), endedAt: ago(from - seconds), durationMs: seconds * 1000 };
};

/** What was said before, the newest first: cards and log are not empty. */
const log = [
  said("Ana Ruiz", 29, 4), said("Rui Costa", 41, 3, "imbe"), said("Marcus Bell", 71, 3), said("Ranger 3", 161, 6), said("Kay Moss", 183, 3),
  said("Dana Whitfield", 211, 9, "imbe"), said("Engine 7", 231, 5), said("County 1", 250, 2, "imbe"),
];

/** What a console knows before it knows anything. */
export const nothing: State = new Store().now;

function configured(r: Radio, to: ConfigBody): Radio {
  return { ...r, config: to, zones: to.zones, channels: Object.fromEntries(to.zones.flatMap((z) => z.channels.map((c) => [c.frequency, c]))) };
}

/** A county of fourteen channels at rest: this desk talks on EMS DISP and hears all but three. */
export const county: State = {
  ...nothing,
  session: {
    ...nothing.session, phase: "live", serverName: config.serverName, version: config.version, me, connected: true, health: "connected", roundTrip: 38,
  },
  radio: {
    ...configured(nothing.radio, config),
    live: Object.fromEntries(rows.map(([, name]) => {
      const here = people.filter((p) => p[3] === name).map((p) => p[0] as number);
      const consoles = name === "EMS DISP" ? [me] : name === "CALLING" ? [other] : [];
      return [at[name], { frequency: at[name], control: null, speakers: [...consoles, ...here], listeners: [], talkers: [] }];
    })),
    users: Object.fromEntries([
      ...people.map(([id, name, unitId]) => [id, user(id, name, unitId)] as const),
      [me, user(me, "D-1", null, "D-1")] as const,
      [other, user(other, "D-2", null, "D-2")] as const,
    ]),
    log,
    entries: [
      { id: "moved-16", what: "moved", at: ago(83), serverId: 16, name: "Marcus Bell", frequency: at["LSPD TAC 1"], by: other, byName: "D-2", detail: "" },
      { id: "callsign-15", what: "callsign", at: ago(200), serverId: 15, name: "Ana Ruiz", frequency: null, by: 0, byName: "", detail: "4A-12" },
    ],
  },
  desk: {
    ...nothing.desk,
    callsign: "D-1",
    joined: at["EMS DISP"],
    selected: [at["CALLING"], at["FIREGROUND"]],
    scans: Object.fromEntries(rows.map((r) => r[1]).filter((n) => !["LSPD TRUNK", "PARKS", "WEATHER", "EMS DISP"].includes(n)).map((n) => [at[n], 0 as const])),
    first: "done",
  },
  sound: { ...nothing.sound, voice: { ...nothing.sound.voice, plane: "webrtc", micReady: true, roundTrip: 24 } },
};

/** The county with other channels: so many, named by number, in zones of twenty. */
export function withChannels(s: State, count: number): State {
  const all = Array.from({ length: count }, (_, i) => channel(`CH ${String(i + 1).padStart(3, "0")}`, (150 + i * 0.025).toFixed(3), i % 5 === 4 ? "digital" : "conventional"));
  const zones = Array.from({ length: Math.ceil(count / 20) }, (_, i) => zone(`Zone ${i + 1}`, all.slice(20 * i, 20 * i + 20)));
  const first = all[0]?.frequency ?? null;
  return {
    ...s,
    radio: {
      ...configured({ ...s.radio, log: [], entries: [] }, { ...config, zones, announcementGroups: [] }),
      live: Object.fromEntries(all.map((c, i) => [c.frequency, { frequency: c.frequency, control: null, speakers: i === 0 ? [me] : [], listeners: [], talkers: [] }])),
    },
    desk: { ...s.desk, joined: first, selected: [], scans: Object.fromEntries(all.slice(1, 60).map((c) => [c.frequency, 0 as const])), filter: "all" },
  };
}
