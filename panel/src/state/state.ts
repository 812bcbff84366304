import { type Desk, emptyDesk } from "./desk";
import type { RecallState } from "../audio/api";
import type { Fault, VoiceState } from "../link/voice/api";
import type { Barred } from "../link/link";
import type { Ptt } from "../ptt/machine";
import { emptyRadio, homeOf, type Radio } from "./radio";

export type Health = "connected" | "stale" | "disconnected";
export type VoiceStatus = "MUTED" | "LISTENING" | "TRANSMITTING" | "TX (IMBE)" | "TX (Opus)";

export interface Session {
  /** starting: it is not known yet whether there is a session; unloaded: there is one, but the console could not be fetched. */
  phase: "starting" | "login" | "unloaded" | "live";
  /** Why a login is needed, if something went wrong. */
  error: string;
  busy: boolean;
  authMethod: string;
  serverName: string;
  version: string;
  me: number;
  connected: boolean;
  health: Health;
  /** Why the service refuses this console; null: it does not, or was not reached. */
  barred: Barred | null;
  /** Why the service cannot store anything; empty: it can. */
  degraded: string;
  /** No login is accepted before this time, ms since the epoch. */
  until: number;
  /** Heartbeat there and back, ms; null before the first. */
  roundTrip: number | null;
}

export interface Sound {
  voice: VoiceState;
  /** Talkers whose voice should arrive but does not. */
  faults: readonly Fault[];
  /** Talkers for whom no slot was free. */
  waiting: readonly { serverId: number; frequency: string }[];
  /**
   * Sound is off, so that nothing is heard and nothing is sent: until the user has
   * touched the page, while it starts, for want of a device, or because what makes
   * it could not be fetched.
   */
  off: null | "click" | "start" | "device" | "unloaded";
  /** Push-to-talk was pressed while sound was off. */
  unsent: boolean;
  /** The recall that is playing, or the last one; null: none is shown. */
  recall: RecallState | null;
}

export interface Screen {
  dialog: null | { name: DialogName; frequency?: string; id?: number };
  /** The channel that shortcuts work on: the last one that had the focus. */
  focused: string | null;
  filter: string;
}

export type DialogName = "settings" | "palette" | "broadcast" | "patch" | "unit" | "channel" | "keys";

export interface State {
  session: Session;
  radio: Radio;
  desk: Desk;
  ptt: Ptt;
  sound: Sound;
  screen: Screen;
}

const notTalking: Ptt = {
  state: "IDLE", source: null, target: null, asked: [], granted: [], denials: [], override: false, latched: false,
  deadline: null, pressedAt: 0, forced: null,
};

const noVoice: VoiceState = {
  plane: "connecting", reason: null, detail: "", micReady: false, noMicrophone: null, roundTrip: null, loss: null,
};

export const initial: State = {
  session: {
    phase: "starting", error: "", busy: false, authMethod: "nac", serverName: "", version: "", me: -1,
    connected: false, health: "disconnected", roundTrip: null, barred: null, degraded: "", until: 0,
  },
  radio: emptyRadio,
  desk: emptyDesk,
  ptt: notTalking,
  sound: { voice: noVoice, faults: [], waiting: [], off: null, unsent: false, recall: null },
  screen: { dialog: null, focused: null, filter: "" },
};

/** The five states that themes and integrations know by name. */
export function voiceStatus(s: State): VoiceStatus {
  const digital = s.ptt.granted.some((f) => s.radio.channels[homeOf(s.radio, f)]?.type === "digital");
  if (s.ptt.state === "REQUESTED") return "TRANSMITTING";
  if (s.ptt.state === "TX" || s.ptt.state === "TAIL") return digital ? "TX (IMBE)" : "TX (Opus)";
  if (s.sound.off || !s.sound.voice.micReady || s.desk.settings.voiceVolume === 0) return "MUTED";
  return "LISTENING";
}

/** Stale after 5 s without an answer to a heartbeat, disconnected after 15 s. */
export function healthOf(connected: boolean, sinceAnswer: number): Health {
  if (!connected || sinceAnswer >= 15_000) return "disconnected";
  return sinceAnswer >= 5_000 ? "stale" : "connected";
}

/** What the global PTT keys: the armed group, else the joined and the selected channels. */
export function globalTargets(s: State): string[] {
  if (s.desk.group) {
    const group = s.radio.config?.announcementGroups.find((g) => g.id === s.desk.group);
    if (group) return group.frequencies;
  }
  const all = [...new Set([...(s.desk.joined ? [s.desk.joined] : []), ...s.desk.selected])];
  return all.filter((f) => s.radio.channels[f]?.canTransmit);
}

/** Panics and alerts that nobody at this desk has acknowledged. */
export function unacknowledged(s: State): boolean {
  return s.radio.panics.length > 0 || Object.values(s.radio.alerts).some((a) => !a.seen && a.config.toneOnly !== true);
}
