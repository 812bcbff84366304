// What the game's Lua and this page say to each other. Lua holds the radio's state;
// the page carries, plays and shows.

import type { Ear } from "../audio/place";

/** Lua → page. */
export type FromLua =
  | { type: "link"; serverId: number; path: "webrtc" | "socket"; url?: string; token?: string; version?: string }
  | { type: "answer"; id: number | string; sdp?: string; error?: string }
  | { type: "unlink" }
  | { type: "probe" }
  | { type: "emit"; name: string; payload?: unknown; id?: number | string }
  | { type: "ptt"; down: boolean; frequency?: string; source?: "key" | "script" | "panic" }
  | { type: "tone"; name: string; announcement?: boolean }
  | { type: "sound"; voice?: number; tone?: number; audio3d?: number; earbuds?: boolean; announcement?: number }
  | { type: "siren"; on: boolean }
  | { type: "scene"; ear: Ear; talkers: readonly Talker[] }
  | { type: "save"; settings: Settings }
  | ({ type: "view" } & Partial<View>);

/** Whose voice comes from where: server id, x, y, z. */
export type Talker = readonly [number, number, number, number];

/** What Lua has the page keep for the next time. */
export type Settings = Record<string, unknown>;

export interface ViewChannel {
  name: string;
  frequency: string;
  type: string;
  canTransmit: boolean;
}

export type Model = "handheld-a" | "handheld-b" | "car";
export type Microphone = "unknown" | "asking" | "ready" | "refused";
export type Transmitting = "idle" | "asking" | "talking" | "denied";

/** What the radio shows. */
export interface View {
  power: boolean;
  open: boolean;
  focus: boolean;
  model: Model;
  theme: string;
  night: boolean;
  zone: string;
  zones: readonly string[];
  channel: ViewChannel | null;
  channels: readonly ViewChannel[];
  listening: readonly string[];
  scanning: boolean;
  /** 0..1 */
  volume: number;
  toneVolume: number;
  volume3d: number;
  volumeStep: number;
  /** 0..100 */
  battery: number;
  signal: number;
  gps: boolean;
  earbuds: boolean;
  emergency: { active: boolean; frequency: string; hotMicMs: number } | null;
  alert: { name: string; color?: string } | null;
  talker: { serverId: number; name: string; unitId?: string | null; frequency: string } | null;
  talking: boolean;
  transmitting: Transmitting;
  callsign: string | null;
  name: string;
  nacId: string | null;
  unitId: string | null;
  connected: boolean;
  connecting: boolean;
  mic: Microphone;
  notice: { text: string; kind?: "info" | "warn" | "alarm" } | null;
  features: { scan: boolean; gps: boolean; panic: boolean };
}

/** Page → Lua, by NUI callback: its name and what goes with it. */
export interface ToLua {
  ready: { version: string; settings: Settings | null; browser: string };
  offer: { id: number; sdp: string };
  connection: Connection;
  event: { name: string; payload: unknown };
  ack: { id: number | string; reply: unknown };
  /** A reason with "idle" means that the transmission was ended by force: held keys count no more. */
  ptt: { state: Transmitting; frequency?: string; reason?: string; talker?: number };
  ui: { action: Action; value?: number | string | boolean };
  mic: { state: Microphone };
}

/** The condition of the link, and what getConnectionDiagnostics tells. */
export interface Connection {
  connected: boolean;
  /** It tries by itself. */
  connecting: boolean;
  path: "webrtc" | "socket" | "none";
  /** ms; null: not known. */
  rtt: number | null;
  mic: Microphone;
  /** What makes packets of the voice. */
  encoder: "webrtc" | "webcodecs" | "none";
  /** 0..1, over the last 5 s; null: not known. */
  packetsLost: number | null;
  reason?: string;
  detail?: string;
  /** The page may not open the address at all, because it is not https. */
  mixedContent?: boolean;
}

export type Action =
  | "power"
  | "ptt_down"
  | "ptt_up"
  | "channel_up"
  | "channel_down"
  | "zone_up"
  | "zone_down"
  | "volume"
  | "scan"
  | "emergency"
  | "tone_volume"
  | "gps"
  | "earbuds"
  | "layout"
  | "theme"
  | "night"
  | "close";
