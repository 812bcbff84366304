// What the page must know of the channels to mix them: read from what the service
// sends. Pure.

import type { ChannelAudio } from "../audio/api";
import { kindOf } from "../audio/kind";
import type { ChannelState, ConfigBody, Self } from "../wire.gen";

export interface Channels {
  config: Partial<ConfigBody>;
  /** The own channel, as it is selected: a talkgroup, or a frequency. */
  own: string | null;
  /** Talkgroups by the working frequencies that they use now. */
  groups: ReadonlyMap<string, string>;
  /** Channels with an emergency. */
  emergencies: ReadonlySet<string>;
  listening: readonly string[];
}

export const noChannels: Channels = { config: {}, own: null, groups: new Map(), emergencies: new Set(), listening: [] };

/** learn takes an event; the same object comes back if it changes nothing here. */
export function learn(c: Channels, name: string, payload: unknown): Channels {
  switch (name) {
    case "configUpdate":
      return { ...c, config: { ...c.config, ...(payload as Partial<ConfigBody>) } };
    case "self": {
      const s = payload as Self;
      const groups = new Map(c.groups);
      if (s.channel !== null && s.controlFrequency !== undefined) groups.set(s.channel, s.controlFrequency);
      return { ...c, own: s.controlFrequency ?? s.channel, groups, emergencies: new Set(s.panic), listening: s.listening };
    }
    case "channelState": {
      const { frequency, controlFrequency } = payload as ChannelState;
      if (controlFrequency === undefined || c.groups.get(frequency) === controlFrequency) return c;
      return { ...c, groups: new Map(c.groups).set(frequency, controlFrequency) };
    }
    case "channelDeleted": {
      if (!c.groups.has(String(payload))) return c;
      const groups = new Map(c.groups);
      groups.delete(String(payload));
      return { ...c, groups };
    }
    default:
      return c;
  }
}

/** strips is how each channel that may be heard is mixed: the own one loud, the scanned ones behind it. */
export function strips(c: Channels): Map<string, ChannelAudio> {
  const kinds = new Map((c.config.zones ?? []).flatMap((z) => z.channels.map((x) => [x.frequency, x.type] as const)));
  const out = new Map<string, ChannelAudio>();
  const add = (frequency: string, home: string): void => {
    const emergency = c.emergencies.has(home) || c.emergencies.has(frequency);
    out.set(frequency, { volume: 1, pan: 0, muted: false, selected: home === c.own, priority: 0, emergency, kind: kindOf(kinds.get(home)), home });
  };
  for (const f of kinds.keys()) add(f, f);
  for (const f of [c.own, ...c.listening]) if (f !== null && !out.has(f)) add(f, f);
  for (const [working, home] of c.groups) add(working, home);
  return out;
}
