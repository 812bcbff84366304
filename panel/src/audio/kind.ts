// What the configuration says of how channels sound.

import type { ChannelKind, EffectLevels } from "./api";

/** kindOf is how a channel of a type is mixed. */
export function kindOf(type: string | undefined): ChannelKind {
  return type === "digital" || type === "trunked" ? type : "conventional";
}

/** levelsOf are the levels of radioFx; files write them as 0..1 or 0..100. */
export function levelsOf(radioFx: Record<string, number>): EffectLevels {
  return Object.fromEntries(Object.entries(radioFx).map(([kind, level]) => [kind, level > 1 ? level / 100 : level]));
}
