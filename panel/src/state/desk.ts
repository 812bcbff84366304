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
  /** The theme's slug; "": none; null: the operator's default. */
  theme: string | null;
  density: Density;
  language: Language;
  utc: boolean;
  /** Screen readers announce talkers. Off by default: on a busy radio they would never be silent. */
  announceTalkers: boolean;
  /** The microphone does not hear the loudspeakers: tones sound while the dispatcher talks. */
  headset: boolean;
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

export const filters = ["mine", "active", "all"] as const;
export type Filter = (typeof filters)[number];

/** How large the console is drawn: a factor, or as large as shows the dispatcher's own channels without scrolling. */
export type Zoom = number | "fit";
export const zooms = { least: 0.9, most: 2 } as const;

/** How the rail is divided. */
export interface RailSize {
  /** Width in px at 100 %. */
  width: number;
  /** Part of the height that the log takes, 0 to 1. */
  split: number;
}
export const railWidths = { least: 280, most: 640 } as const;

/** A desk's arrangement under a name: saved here, or published by an administrator. */
export interface Layout {
  name: string;
  order: string[];
  scans: Record<string, Priority>;
  targets: string[];
  filter: Filter;
  zoom: Zoom;
  density: Density;
  rail: RailSize;
}

/** A channel that an emergency opened, and how it was before. */
export interface AutoMonitor {
  /** The emergency's id. */
  emergency: string;
  /** The dispatcher has set the channel otherwise since: it stays as it is. */
  touched: boolean;
}

/** What the global PTT keys: the group in use, if there is one, else the targets. */
export interface Targets {
  targets: string[];
  group: string | null;
}

/** How far the first run has come; "done" also when it was skipped. */
export type FirstRun = 0 | 1 | 2 | "done";

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
  filter: Filter;
  zoom: Zoom;
  /** Frequencies in the order of the cards; the others follow as the zones have them. */
  order: string[];
  /** The layouts saved in this browser. */
  layouts: Layout[];
  /** The name of the layout in use; "": none. */
  layout: string;
  rail: RailSize;
  /** Channels that are heard because of an emergency, until it is closed. */
  auto: Record<string, AutoMonitor>;
  /** What the PTT keyed before an emergency was answered; null: nothing to go back to. */
  restore: Targets | null;
  first: FirstRun;
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
  theme: null,
  density: "comfortable",
  language: "en",
  utc: false,
  announceTalkers: false,
  headset: false,
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
  filter: "all",
  zoom: "fit",
  order: [],
  layouts: [],
  layout: "",
  rail: { width: 360, split: 0.53 },
  auto: {},
  restore: null,
  first: 0,
  settings: defaultSettings,
};

export const defaultLevel: Level = { volume: 1, pan: 0, muted: false };

/** An emergency opens its channel at full voice level, whatever it was set to. */
export function levelOf(desk: Desk, frequency: string): Level {
  const level = desk.levels[frequency] ?? defaultLevel;
  return opened(desk, frequency) ? { ...level, volume: 1, muted: false } : level;
}

/** Whether a channel is heard as an emergency has opened it. */
export const opened = (desk: Desk, frequency: string): boolean => desk.auto[frequency]?.touched === false;

/** A channel that an emergency opened was set by hand: from now on it is monitored as the dispatcher wants it, also after the emergency. */
export function touch(desk: Desk, frequency: string): Desk {
  if (!opened(desk, frequency)) return desk;
  return {
    ...desk,
    auto: { ...desk.auto, [frequency]: { ...desk.auto[frequency]!, touched: true } },
    scans: { ...desk.scans, [frequency]: 1 },
    levels: { ...desk.levels, [frequency]: levelOf(desk, frequency) },
  };
}

/** The priority with which a channel is heard; undefined: it is not monitored. */
export function priorityOf(desk: Desk, frequency: string): Priority | undefined {
  return opened(desk, frequency) ? 1 : desk.scans[frequency];
}

/** What this desk hears: monitored channels, PTT targets, and those opened by an emergency; the joined one is not included. */
export function heard(desk: Desk): string[] {
  return [...new Set([...Object.keys(desk.scans), ...desk.selected, ...Object.keys(desk.auto).filter((f) => opened(desk, f))])].filter((f) => f !== desk.joined);
}
