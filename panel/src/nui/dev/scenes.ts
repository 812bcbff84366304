// What a radio can show, for the test page and for pictures.

import type { View, ViewChannel } from "../message";

const channel = (name: string, frequency: string, type = "conventional", canTransmit = true): ViewChannel => ({ name, frequency, type, canTransmit });
export const channels = [channel("PATROL 1", "154.755"), channel("FIRE DISPATCH", "154.28"), channel("SHERIFF", "460.25", "digital"), channel("TAC 3", "851.0125", "trunked"), channel("STATE INTEROP", "155.475", "conventional", false)];

const kay = { serverId: 21, name: "Kay Moss", unitId: "2B21", frequency: "154.755" };

export const rest: View = {
  power: true, open: true, focus: true, model: "handheld-a", theme: "standard", night: false,
  zone: "Downtown", zones: ["Downtown", "County"], channel: channels[0]!, channels, listening: [], scanning: false,
  volume: 0.6, toneVolume: 0.5, volume3d: 0.5, volumeStep: 0.05, battery: 82, signal: 100, gps: true, earbuds: false,
  emergency: null, alert: null, talker: null, talking: false, transmitting: "idle",
  callsign: "1-ADAM-12", name: "Ana Ruiz", nacId: "$293", unitId: "1A12", connected: true, connecting: false, mic: "ready", notice: null,
  features: { scan: true, gps: true, panic: true },
};

export const scenes: Record<string, Partial<View>> = {
  idle: {},
  rx: { talker: kay },
  tx: { transmitting: "talking" },
  asking: { transmitting: "asking" },
  busy: { transmitting: "denied", talker: kay },
  scan: { scanning: true, listening: ["154.28", "460.25"], channel: channels[3]!, earbuds: true },
  long: { channel: channels[4]!, zone: "Mutual aid and interoperability", battery: 9, signal: 35 },
  alert: { alert: { name: "SIGNAL 100", color: "#d4101f" } },
  notice: { notice: { text: "Dispatcher moved you to TAC 3", kind: "info" } },
  emergency: { emergency: { active: true, frequency: "154.755", hotMicMs: 10_000 }, transmitting: "talking" },
  others: { emergency: { active: true, frequency: "154.755", hotMicMs: 0 }, talker: kay },
  lost: { connected: false },
  connecting: { connected: false, connecting: true },
  silent: { mic: "refused" },
  asks: { mic: "asking" },
  off: { power: false },
  away: { focus: false, talker: kay },
  awayTx: { focus: false, transmitting: "talking" },
  awayEmergency: { focus: false, emergency: { active: true, frequency: "154.755", hotMicMs: 0 }, talker: kay },
};
