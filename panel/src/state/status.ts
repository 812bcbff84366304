import type { ConfigBody, DispatchStatus } from "../wire.gen";
import type { ActiveAlert, Live, Panic, Radio, Talker, User } from "./radio";

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
  return {
    ...radio,
    live,
    users,
    alerts: alertsOf(radio, status, now),
    panics: panicsOf(radio, status, now),
    patches: Object.values(status.activePatches),
    log: radio.log.map((t) =>
      t.endedAt === null && !live[t.frequency]?.talkers.some((x) => x.id === t.serverId)
        ? { ...t, endedAt: now, durationMs: now - t.startedAt }
        : t,
    ),
  };
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
