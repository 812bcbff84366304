import type { ConfigBody, DispatchStatus } from "../wire.gen";
import { called, openOf } from "./emergency";
import type { ActiveAlert, Live, Panic, Radio, Talker, User } from "./radio";
import { logEmergency } from "./log";
import { logStatus, since } from "./transmission";

/** Replaces the whole configuration. */
export function applyConfig(radio: Radio, config: ConfigBody): Radio {
  const channels: Radio["channels"] = {};
  for (const zone of config.zones) for (const c of zone.channels) channels[c.frequency] = c;
  return { ...radio, config, zones: config.zones, channels };
}

/** Replaces what events tell by the status, and keeps what only this desk knows. */
export function applyStatus(radio: Radio, status: DispatchStatus, now: number): Radio {
  const live: Record<string, Live> = {};
  for (const c of Object.values(status.channels)) {
    const before = radio.live[c.frequency]?.talkers ?? [];
    const talkers: Talker[] = c.activeTalkers.map((id) => before.find((t) => t.id === id) ?? { id, since: now });
    live[c.frequency] = {
      frequency: c.frequency,
      control: c.controlFrequency ?? null,
      speakers: c.speakers,
      listeners: c.listeners,
      talkers,
    };
  }
  const users: Record<number, User> = {};
  for (const [key, u] of Object.entries(status.users)) {
    const id = Number(key);
    users[id] = { id, name: u.name, nacId: u.nacId, unitId: u.unitId, callsign: u.callsign };
  }
  for (const d of status.dispatchers) {
    users[d.serverId] ??= { id: d.serverId, name: d.name, nacId: null, unitId: null, callsign: d.callsign };
  }
  // Older servers send neither.
  const { emergencies: told = [], transmissions = [] } = status as Partial<DispatchStatus>;
  const skew = now - Date.parse(status.timestamp) || 0;
  const emergencies = told.map((e) => called({ users, skew }, e));
  const next = {
    ...radio,
    live,
    users,
    alerts: alertsOf(radio, status, now),
    panics: panicsOf(radio, status, now),
    emergencies: openOf(emergencies),
    patches: Object.values(status.activePatches),
    skew,
  };
  const logged = logStatus(emergencies.reduce(logEmergency, next), transmissions, now);
  for (const f of Object.keys(live)) live[f] = since(logged.log, live[f]!);
  return logged;
}

function alertsOf(radio: Radio, status: DispatchStatus, now: number): Record<string, ActiveAlert> {
  const alerts: Record<string, ActiveAlert> = {};
  for (const [frequency, config] of Object.entries(status.activeAlerts)) {
    const known = radio.alerts[frequency];
    alerts[frequency] =
      known?.config.name === config.name ? { ...known, config } : { frequency, config, since: now, by: "", seen: false };
  }
  return alerts;
}

function panicsOf(radio: Radio, status: DispatchStatus, now: number): Panic[] {
  const panics: Panic[] = [];
  for (const [frequency, ids] of Object.entries(status.panicStatus)) {
    for (const key of Object.keys(ids)) {
      const id = Number(key);
      panics.push(radio.panics.find((p) => p.id === id && p.frequency === frequency) ?? { frequency, id, since: now });
    }
  }
  return panics;
}
