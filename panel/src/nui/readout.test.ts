import { expect, it } from "vitest";
import type { View } from "./message";
import { bars, clock, hertz, readout } from "./readout";
import { en } from "./words";

const radio: View = {
  power: true, open: true, focus: true, model: "handheld-a", theme: "", night: false, zone: "Downtown", zones: ["Downtown"],
  channel: { name: "PATROL", frequency: "154.755", type: "conventional", canTransmit: true }, channels: [], listening: [], scanning: false,
  volume: 0.5, toneVolume: 0.5, volume3d: 0.5, volumeStep: 0.05, battery: 80, signal: 100, gps: false, earbuds: false,
  emergency: null, alert: null, talker: null, talking: false, transmitting: "idle", callsign: "1-ADAM-12", name: "Ana", nacId: null, unitId: "1A12",
  connected: true, connecting: false, mic: "ready", notice: null, features: { scan: true, gps: true, panic: true },
};
const shows = (more: Partial<View>, seconds = 0, hot = 0) => readout({ ...radio, ...more }, en, seconds, hot);
const kay = { serverId: 7, name: "Kay Moss", unitId: "2B21", frequency: "154.755" };

it("shows zone, channel and the own callsign while nobody talks", () => {
  expect(shows({})).toEqual({ mood: "idle", zone: "Downtown", channel: "PATROL", detail: "154.7550  FM", title: "", text: "1-ADAM-12", lamp: "off" });
  expect(shows({ callsign: null }).text).toBe("1A12");
  expect(shows({ callsign: null, unitId: null }).text).toBe("Ana");
});

it("says who talks, by unit id", () => {
  expect(shows({ talker: kay })).toMatchObject({ mood: "rx", title: "2B21", text: "Kay Moss", lamp: "green" });
  expect(shows({ talker: { ...kay, unitId: null } }).title).toBe("UNIT 7");
});

it("counts the own transmission, and says who holds a busy channel", () => {
  expect(shows({ transmitting: "talking" }, 65)).toMatchObject({ mood: "tx", title: "TRANSMIT", text: "1:05", lamp: "amber" });
  expect(shows({ transmitting: "asking" })).toMatchObject({ mood: "wait", lamp: "off" });
  expect(shows({ transmitting: "denied", talker: kay })).toMatchObject({ mood: "busy", title: "BUSY", text: "2B21 Kay Moss" });
});

it("puts an emergency before everything else, even without service", () => {
  const emergency = { active: true, frequency: "154.755", hotMicMs: 10_000 };
  expect(shows({ emergency, connected: false })).toMatchObject({ mood: "emergency", title: "EMERGENCY", text: "EMERGENCY SENT", lamp: "flash" });
  expect(shows({ emergency, transmitting: "talking" }, 2, 7.6).text).toBe("MIC OPEN 0:07");
  expect(shows({ emergency, talker: kay }, 0, 0).text).toBe("2B21 Kay Moss");
  expect(shows({ emergency: { ...emergency, active: false } }).mood).toBe("idle");
});

it("claims no channel's silence without a link", () => {
  expect(shows({ connected: false, talker: kay })).toMatchObject({ mood: "fault", title: "NO SERVICE", lamp: "off" });
  expect(shows({ connected: false, connecting: true }).title).toBe("CONNECTING");
});

it("is dark when it is switched off", () => {
  expect(shows({ power: false, talker: kay, emergency: { active: true, frequency: "1", hotMicMs: 0 } })).toMatchObject({ mood: "off", channel: "", zone: "", lamp: "off" });
});

it("marks what is special about a channel", () => {
  const channel = { name: "TAC", frequency: "851.0125", type: "trunked", canTransmit: false };
  expect(shows({ channel }).detail).toBe("851.0125  TRK  RX ONLY");
  expect(shows({ channel: null })).toMatchObject({ channel: "NO CHANNEL", detail: "" });
});

it("tells of the microphone, the scan list and notices where nothing else is said", () => {
  expect(shows({ mic: "refused" }).text).toBe("NO MICROPHONE");
  expect(shows({ scanning: true, listening: ["1", "2"] }).text).toBe("SCAN LIST 2");
  expect(shows({ notice: { text: "Moved to TAC 1", kind: "info" } })).toMatchObject({ mood: "idle", text: "Moved to TAC 1" });
  expect(shows({ notice: { text: "EMERGENCY 2B21", kind: "alarm" } }).mood).toBe("notice");
  expect(shows({ notice: { text: "Moved to TAC 1" }, talker: kay }).title).toBe("2B21");
});

it("writes frequencies and times as radios do", () => {
  expect(hertz("154.28")).toBe("154.2800");
  expect(hertz("154.755125")).toBe("154.755125");
  expect(hertz("TG 5")).toBe("TG 5");
  expect(clock(-3)).toBe("0:00");
  expect(clock(600)).toBe("10:00");
});

it("shows a bar as long as there is anything", () => {
  expect([0, 1, 50, 99, 100, 120].map((l) => bars(l))).toEqual([0, 1, 3, 5, 5, 5]);
});
