import type { Scenario, UnitScript } from "./api";

/** A small radio in the form of core.Config: four channels, one of them a talkgroup. For tests. */
export const city = {
  serverName: "City",
  zones: [
    {
      name: "City",
      channels: [
        { name: "MAIN", type: "conventional", frequency: "154.755" },
        { name: "TAC", type: "conventional", frequency: "154.815" },
        { name: "FIRE", type: "digital", frequency: "460.25" },
        { name: "CLOSED", type: "conventional", frequency: "155.1", allowedNacs: ["detective"] },
        { name: "TRUNK", type: "trunked", frequency: "856", low: "856", high: "856.1", coverage: 500 },
      ],
    },
  ],
  alerts: [
    { name: "SIGNAL 100", persistence: 1, tones: { activate: "ALERT_A" } },
    { name: "Ping", persistence: 2, tones: {} },
  ],
  tones: [{ name: "ALERT_A", file: "a.wav" }, { name: "BEEP", file: "b.wav" }],
  bonking: { blockTransmission: true },
  panicTimeout: 60_000,
  timeoutTimer: 60_000,
  talkLease: 2_000,
  resumeWindow: 30_000,
  useCallsignSystem: true,
  callsign: { minLength: 1, maxLength: 32 },
  limits: { users: 100, scans: 10, follows: 10, patches: 10, patchSize: 4, messageRunes: 200, alertBytes: 4096 },
};

/** A scenario in the city: Adam (7) and Berta (8) on MAIN, Cesar (9) on TAC, nothing happens. */
export function quietCity(more: Partial<Scenario> = {}): Scenario {
  return {
    name: "City",
    about: "For tests.",
    radio: city,
    units: [
      { id: 7, name: "Adam", on: "MAIN" },
      { id: 8, name: "Berta", on: "MAIN" },
      { id: 9, name: "Cesar", on: "TAC" },
    ],
    steps: [],
    ...more,
  };
}

export const south: UnitScript = { id: -2, name: "SOUTH", callsign: "SOUTH", on: "MAIN" };

/** The city with another dispatcher on MAIN. */
export function withSouth(more: Partial<Scenario> = {}): Scenario {
  const s = quietCity(more);
  return { ...s, units: [...s.units, south] };
}
