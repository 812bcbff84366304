import type { AlertConfig, ConfigBody, ConfigChannel, ConfigZone, Emergency, Patch, RecordingInfo } from "../wire.gen";
import type { LogEntry } from "./entry";

/** Who talks, and since when (ms since the epoch, this computer's clock). */
export interface Talker {
  id: number;
  since: number;
}

/** What happens on one frequency. */
export interface Live {
  frequency: string;
  /** The talkgroup that a working frequency belongs to. */
  control: string | null;
  speakers: number[];
  listeners: number[];
  talkers: Talker[];
}

export interface User {
  id: number;
  name: string;
  nacId: string | null;
  unitId: string | null;
  callsign: string | null;
}

/** An alert that is active on a channel. Seen: this dispatcher has acknowledged it. */
export interface ActiveAlert {
  frequency: string;
  config: AlertConfig;
  since: number;
  by: string;
  seen: boolean;
}

export interface Panic {
  frequency: string;
  id: number;
  since: number;
}

/** A line that should be read: broadcasts, one-shot alerts, acknowledgements. */
export interface Notice {
  id: number;
  kind: "broadcast" | "oneshot" | "user" | "info" | "fault";
  title: string;
  text: string;
  frequency: string | null;
  by: string;
  at: number;
  color: string | null;
  /** Stays until it is dismissed. */
  sticky: boolean;
}

/** One entry of the transmission log. */
export interface Transmission {
  id: string;
  serverId: number;
  name: string;
  unitId: string | null;
  frequency: string;
  /** The talkgroup that a working frequency belongs to. */
  controlFrequency?: string;
  patchId?: string;
  encoding: "opus" | "imbe";
  startedAt: number;
  endedAt: number | null;
  durationMs: number;
  /** The id by which the service has told it, which is its recording's too. */
  told?: string;
  /** When it ended is not known. */
  cut?: boolean;
  /** What the recorder has of it, and what was said. */
  recording?: RecordingInfo;
  transcript?: string;
}

/** The radio as the service reports it. Everything here is replaced, never changed. */
export interface Radio {
  zones: ConfigZone[];
  /** Configured channels by frequency. */
  channels: Record<string, ConfigChannel>;
  config: ConfigBody | null;
  live: Record<string, Live>;
  users: Record<number, User>;
  alerts: Record<string, ActiveAlert>;
  panics: Panic[];
  /** The records of the open emergencies, oldest first, and those closed last, newest first. */
  emergencies: Emergency[];
  closed: Emergency[];
  patches: Patch[];
  notices: Notice[];
  /** Transmissions, the newest first. */
  log: Transmission[];
  /** What else happened, the newest first. */
  entries: LogEntry[];
  /** How far this computer's clock is ahead of the server's, ms. */
  skew: number;
  armed: string | null;
  /** Source of ids for notices and log entries. */
  counter: number;
}

export const emptyRadio: Radio = {
  zones: [],
  channels: {},
  config: null,
  live: {},
  users: {},
  alerts: {},
  panics: [],
  emergencies: [],
  closed: [],
  patches: [],
  notices: [],
  log: [],
  entries: [],
  skew: 0,
  armed: null,
  counter: 0,
};

/** How many transmissions the log keeps: half an hour of a busy county. The theme API shows the last 50 of them. */
export const logLength = 2_000;

/** How many notices are kept; the service's audit log has the older ones. */
export const noticeCount = 30;

/** The configured channel that a frequency belongs to: itself, or its talkgroup. */
export function homeOf(radio: Radio, frequency: string): string {
  if (radio.channels[frequency]) return frequency;
  return radio.live[frequency]?.control ?? frequency;
}

/** A user's name as a dispatcher knows it: callsign, else name, else the id. */
export function nameOf(radio: Pick<Radio, "users">, id: number): string {
  const user = radio.users[id];
  return user?.callsign || user?.name || `#${id}`;
}

/** Shown beside the name: unit id, else NAC id, else the number. */
export function unitOf(radio: Pick<Radio, "users">, id: number): string {
  const user = radio.users[id];
  return user?.unitId || user?.nacId || String(id);
}

export function channelName(radio: Radio, frequency: string | null): string {
  if (!frequency) return "";
  const home = homeOf(radio, frequency);
  return radio.channels[home]?.name ?? frequency;
}

/** All configured channels in the order of the zones. (A record's own order puts "463" before "154.755".) */
export function channelsOf(radio: Radio): ConfigChannel[] {
  return radio.zones.flatMap((z) => z.channels).filter((c) => radio.channels[c.frequency] === c);
}

/** A frequency as the operator writes it: 460.250. */
export function shown(radio: Radio, frequency: string): string {
  return radio.channels[frequency]?.display ?? frequency;
}

export function patchOf(radio: Radio, frequency: string): Patch | undefined {
  return radio.patches.find((p) => p.frequencies.includes(frequency));
}

/** Tone-only alerts have no banner. */
export function hasBanner(config: AlertConfig): boolean {
  return config.toneOnly !== true;
}
