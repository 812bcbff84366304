/** How a PTT is bound. pttKey is a KeyboardEvent.code. */
export interface PTTSettings {
  pttKey: string;
  pttType: "key" | "mouse" | "gamepad";
  /** 3, 4 or 5 as they are counted on mice; a gamepad's button index otherwise. */
  pttMouseButton: number;
}

export const looks = ["night", "day", "contrast", "lcd"] as const;
export const densities = ["comfortable", "compact", "dense"] as const;
export const languages = ["en", "de"] as const;
export type Look = (typeof looks)[number];
export type Density = (typeof densities)[number];
export type Language = (typeof languages)[number];

export interface Settings {
  /** 0 to 1. */
  voiceVolume: number;
  sfxVolume: number;
  globalPTT: PTTSettings;
  channelPTT: Record<string, PTTSettings>;
  announcementGroupPTT: Record<string, PTTSettings>;
  /** One press keys, the next releases. Opt-in. */
  latch: boolean;
  look: Look;
  density: Density;
  language: Language;
  utc: boolean;
  /** Screen readers announce talkers. Off by default: on a busy radio they would never be silent. */
  announceTalkers: boolean;
  microphone: string;
  /** 0 to 2; 1 leaves it as it is. */
  microphoneLevel: number;
  /** Output devices: for everything, and for the selected channels. "" is the default. */
  output: string;
  selectedOutput: string;
}

export interface Level {
  /** 0 to 1; 1 leaves it as it is. */
  volume: number;
  /** -1 left, 1 right. */
  pan: number;
  muted: boolean;
}

/** 0 scans without priority; 1 pre-empts everything, 2 all but 1. */
export type Priority = 0 | 1 | 2;

/** What this dispatcher has set up; it survives reloads and restarts of the service. */
export interface Desk {
  callsign: string;
  joined: string | null;
  scans: Record<string, Priority>;
  /** Channels that the global PTT keys beside the joined one. */
  selected: string[];
  follows: number[];
  levels: Record<string, Level>;
  group: string | null;
  zone: string;
  settings: Settings;
}

/** Not a letter (WCAG 2.1.4), on every keyboard, and without a use in browsers. */
export const defaultPTT: PTTSettings = { pttKey: "F2", pttType: "key", pttMouseButton: 4 };

export const defaultSettings: Settings = {
  voiceVolume: 0.8,
  sfxVolume: 0.5,
  globalPTT: defaultPTT,
  channelPTT: {},
  announcementGroupPTT: {},
  latch: false,
  look: "night",
  density: "comfortable",
  language: "en",
  utc: false,
  announceTalkers: false,
  microphone: "",
  microphoneLevel: 1,
  output: "",
  selectedOutput: "",
};

export const emptyDesk: Desk = {
  callsign: "",
  joined: null,
  scans: {},
  selected: [],
  follows: [],
  levels: {},
  group: null,
  zone: "",
  settings: defaultSettings,
};

export const defaultLevel: Level = { volume: 1, pan: 0, muted: false };

export function levelOf(desk: Desk, frequency: string): Level {
  return desk.levels[frequency] ?? defaultLevel;
}

/** What this desk hears: scans and selected channels; the joined one is not included. */
export function heard(desk: Desk): string[] {
  return [...new Set([...Object.keys(desk.scans), ...desk.selected])].filter((f) => f !== desk.joined);
}
