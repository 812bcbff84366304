// The picture that Lua sends of the radio. Lua cannot send null: what is not there is
// left out, and its empty lists may come as objects.

import type { FromLua, View } from "./message";

export const off: View = {
  power: false, open: false, focus: false, model: "handheld-a", theme: "", night: false,
  zone: "", zones: [], channel: null, channels: [], listening: [], scanning: false,
  volume: 0.5, toneVolume: 0.5, volume3d: 0.5, volumeStep: 0.05, battery: 100, signal: 0, gps: false, earbuds: false,
  emergency: null, alert: null, talker: null, talking: false, transmitting: "idle",
  callsign: null, name: "", nacId: null, unitId: null, connected: false, connecting: false, mic: "unknown", notice: null,
  features: { scan: true, gps: true, panic: true },
};

/** whole is a picture with everything in it. */
export function whole(m: FromLua & { type: "view" }): View {
  const out: Record<string, unknown> = { ...off };
  for (const key of Object.keys(off) as (keyof View)[]) {
    const given = m[key];
    if (given === undefined || given === null) continue;
    out[key] = Array.isArray(off[key]) && !Array.isArray(given) ? [] : given;
  }
  return out as unknown as View;
}

/** Models and displays, in the order in which the keys go through them. */
export const models: readonly View["model"][] = ["handheld-a", "handheld-b", "car"];
export const themes = ["standard", "blue", "green", "amber", "contrast"] as const;

/** after is the next one of a list, which is a ring; by -1 the one before. */
export function after<T>(all: readonly T[], now: T, by = 1): T {
  return all[(all.indexOf(now) + by + all.length) % all.length]!;
}
