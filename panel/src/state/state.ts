import { type Desk, emptyDesk } from "./desk";
import type { Ptt } from "./ptt";
import type { LogKind } from "./entry";
import { emptyRadio, homeOf, type Radio } from "./radio";
import type { RecallState } from "./recall";
import { keyedWith, targetsOf } from "./target";
import type { Fault, VoiceState } from "./voice";

export type Health = "connected" | "stale" | "disconnected";
export type VoiceStatus = "MUTED" | "LISTENING" | "TRANSMITTING" | "TX (IMBE)" | "TX (Opus)";

/** The service does not let the panel onto the radio. */
export interface Barred {
  /** bad_id, bad_scope, locked_out, full */
  code: string;
  /** The service's words. */
  error: string;
  /** When the panel tries again by itself, ms since the epoch. */
  until: number;
}

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
  /** The alarm of emergencies, as it sounds now. */
  alarm: "off" | "on" | "loud";
  /** The recall that is playing, or the last one; null: none is shown. */
  recall: RecallState | null;
}

/** What the lower pane of the rail shows in place of its tabs. */
export type Drawer = { kind: "channel"; frequency: string } | { kind: "close"; emergency: string };

export interface Screen {
  drawer: Drawer | null;
  /** The channel that was last asked for: its card scrolls into view and takes the focus. A new object each time. */
  shown: { frequency: string } | null;
  /** The unit that is pointed out in the list of units. */
  unit: number | null;
  dialog: null | { name: DialogName; frequency?: string; id?: number };
  /** The channel that shortcuts work on: the last one that had the focus. */
  focused: string | null;
  /** The log's search and kind; "all": every kind. */
  filter: string;
  logKind: LogKind | "all";
  /** The tabs of the rail's two panes. */
  rail: RailTab;
  desk: DeskTab;
  /** The channel that tones are sent on: chosen for that and never changed by anything else. */
  toneOn: string | null;
  /** What can still be taken back; null: nothing. */
  undo: Undo | null;
  /** The factor that the console is drawn with: the desk's, or what fits. */
  zoom: number;
  /** Counts up when the list of all open emergencies is asked for. */
  listed: number;
  /** Counts up when the dispatcher chooses what is shown: only then may cards move. */
  arranged: number;
  /** Counts up when the layout changes: only then may Fit choose another zoom. */
  fitted: number;
  /** The order of the cards while a layout is edited; null: it is not. */
  editing: string[] | null;
  /** What a phone shows: it has no room for all at once. */
  tab: Tab;
  /** The incident review is open. */
  incident?: boolean;
}

export type RailTab = "log" | "recall";
export type DeskTab = "units" | "patches" | "groups" | "tones";

/** A move that can be taken back for a while. */
export interface Undo {
  unit: number;
  /** The channel that it was moved to, and the one that it was moved from. */
  to: string;
  from: string;
}

export type Tab = "channels" | "log" | "units" | "more";

export type DialogName = "settings" | "palette" | "broadcast" | "patch" | "unit" | "keys";

export interface State {
  session: Session;
  radio: Radio;
  desk: Desk;
  ptt: Ptt;
  sound: Sound;
  screen: Screen;
}

const notTalking: Ptt = {
  state: "IDLE", source: null, target: null, asked: [], granted: [], denials: [], lost: [], override: false, latched: false,
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
  sound: { voice: noVoice, faults: [], waiting: [], off: null, unsent: false, alarm: "off", recall: null },
  screen: { drawer: null, shown: null, unit: null, dialog: null, focused: null, filter: "", logKind: "all", rail: "log", desk: "units", toneOn: null, undo: null, zoom: 1, listed: 0, arranged: 0, fitted: 0, editing: null, tab: "channels" },
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

/** Whether what is known of the radio is of now: without a link it is only the last that was. */
export const linked = (s: Pick<State, "session">): boolean => s.session.connected && s.session.health !== "disconnected";

/** What the global PTT keys: the armed group, else the joined and the selected channels. */
export const globalTargets = (s: State): string[] => keyedWith(s.radio, { targets: targetsOf(s.desk), group: s.desk.group });
