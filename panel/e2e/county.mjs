// The names that the tests use for the radio of config.lua.

/** Frequencies as the radio writes them, by the name of the channel. */
export const frequencies = { MAIN: "154.755", TAC: "154.815", STATE: "460.25", FIRE: "154.28", TRUNK: "856.1125" };

export function frequencyOf(channel) {
  const f = frequencies[channel];
  if (!f) throw new Error(`the radio of the tests has no channel ${channel}`);
  return f;
}

export function channelAt(frequency) {
  return Object.keys(frequencies).find((name) => frequencies[name] === frequency) ?? frequency;
}
