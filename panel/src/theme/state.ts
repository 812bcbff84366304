// What themes know: the store's state, in the words of the table.

import { heard, priorityOf } from "../state/desk";
import { openEmergencies } from "../state/emergency";
import { channelsOf } from "../state/radio";
import { type State, voiceStatus } from "../state/state";
import { copy } from "./copy";
import {
  type AlertType, type DispatchSettings, type DispatchState, type Emergency, limits, type Tone, type TransmissionEntry,
} from "./table.gen";
import { Zones } from "./zones";

/** The channel that the console speaks on; "": none. */
export const channelOf = (s: State): string => s.desk.joined ?? "";

/** The monitored channels, in the operator's order. */
export function scannedOf({ desk, radio }: Pick<State, "desk" | "radio">): string[] {
  const monitored = new Set([...Object.keys(desk.scans), ...heard(desk).filter((f) => priorityOf(desk, f) !== undefined)]);
  const known = channelsOf(radio).map((c) => c.frequency).filter((f) => monitored.delete(f));
  return [...known, ...monitored];
}

/** Held: asked for, or on air. What is denied or over is not. */
const held = ({ ptt }: State): boolean => ptt.state === "REQUESTED" || ptt.state === "TX";

/** Whether the global push-to-talk, that of a group or that of a patch is held. */
export const globalHeld = (s: State): boolean => held(s) && s.ptt.target !== null && s.ptt.target.kind !== "channel";

/** The channel whose own push-to-talk is held; "": none. */
export const channelHeld = (s: State): string => (held(s) && s.ptt.target?.kind === "channel" ? s.ptt.target.frequency : "");

/** The names of the active alerts, by frequency. */
export function alertsOf({ radio }: Pick<State, "radio">): Record<string, string> {
  return Object.fromEntries(Object.values(radio.alerts).map((a) => [a.frequency, a.config.name]));
}

/** The configured alerts; an alert's id is its name. */
export const alertTypesOf = ({ radio }: Pick<State, "radio">): AlertType[] => (radio.config?.alerts ?? []).map((a) => ({ ...a, id: a.name }));

const tonesOf = ({ radio }: State): Tone[] => (radio.config?.tones ?? []).map(({ name }) => ({ id: name, name }));

/** The newest transmissions, newest first. */
export const transmissionsOf = ({ radio }: Pick<State, "radio">): readonly TransmissionEntry[] => radio.log.slice(0, limits.transmissions);

/** What themes may read and change of a dispatcher's settings. */
export function settingsOf({ desk }: Pick<State, "desk">): DispatchSettings {
  const { voiceVolume, sfxVolume, globalPTT, channelPTT, announcementGroupPTT } = desk.settings;
  return { callsign: desk.callsign, voiceVolume, sfxVolume, globalPTT, channelPTT, announcementGroupPTT };
}

/** The open emergencies, oldest first. */
export const emergenciesOf = ({ radio }: Pick<State, "radio">): Emergency[] =>
  openEmergencies(radio).map(({ id, serverId, unitId, name, frequency, raisedAt, ackBy, ackAt, endedAt, endedBy }) => ({
    id, serverId, unitId, name, frequency, raisedAt, ackBy, ackAt, endedAt, endedBy,
  }));

/** Null until the microphone is there or is known to be missing. */
function micReady({ sound: { voice } }: State): boolean | null {
  if (voice.micReady) return true;
  return voice.noMicrophone === null ? null : false;
}

/** Everything that getState tells at a time of the radio, as a copy. zones may remember what was asked for last. */
export function themeState(s: State, now: number, zones = new Zones()): DispatchState {
  const channelPtt = channelHeld(s);
  return copy<DispatchState>({
    channel: channelOf(s),
    scannedChannels: scannedOf(s),
    zones: zones.of(s.radio) as DispatchState["zones"],
    pttActive: globalHeld(s),
    channelPttActive: channelPtt !== "",
    channelPttFrequency: channelPtt,
    voiceStatus: voiceStatus(s),
    micReady: micReady(s),
    activeAlerts: alertsOf(s),
    alertTypes: alertTypesOf(s),
    tones: tonesOf(s),
    patches: s.radio.patches,
    transmissions: transmissionsOf(s) as TransmissionEntry[],
    announcementGroups: s.radio.config?.announcementGroups ?? [],
    activeAnnouncementGroup: s.desk.group,
    settings: settingsOf(s),
    callsign: s.desk.callsign,
    serverName: s.session.serverName,
    connected: s.session.connected,
    health: s.session.health,
    authenticated: s.session.phase === "live",
    emergencies: emergenciesOf(s),
    now,
  });
}
