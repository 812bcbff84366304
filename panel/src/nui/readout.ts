// What the display says, decided in one place: every model of radio shows the same.

import type { View } from "./message";
import { fill, type Words } from "./words";

export type Mood = "off" | "idle" | "rx" | "tx" | "wait" | "busy" | "notice" | "emergency" | "fault";

export interface Readout {
  mood: Mood;
  zone: string;
  channel: string;
  /** Below the channel: its frequency and what is special about it. */
  detail: string;
  /** The line of the moment: who talks, or what is wrong. */
  title: string;
  text: string;
  /** What a lamp does. */
  lamp: "off" | "green" | "amber" | "flash";
}

/** The time of a stretch in seconds, as a radio shows it. */
export function clock(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

/** Frequencies as radios show them: four digits after the point, or as many as needed. */
export function hertz(frequency: string): string {
  const [mega = "", rest = ""] = frequency.split(".");
  return /^\d+$/.test(mega) ? `${mega}.${rest.padEnd(4, "0")}` : frequency;
}

/** The unit that talks: its id, or its number in the game. */
function unitOf(t: NonNullable<View["talker"]>, w: Words): string {
  return t.unitId || fill(w.unit, { id: t.serverId });
}

/** readout is what a display shows; seconds are those since the own transmission began, hot those until the hot microphone closes. */
export function readout(v: View, w: Words, seconds: number, hot: number): Readout {
  const r = base(v, w);
  if (!v.power) return { ...r, mood: "off", lamp: "off", zone: "", channel: "", detail: "" };
  const { emergency, talker } = v;
  if (emergency?.active) {
    const own = hot > 0 ? fill(w.hot, { s: clock(hot) }) : w.mine;
    const heard = talker ? `${unitOf(talker, w)} ${talker.name}` : own;
    return { ...r, mood: "emergency", lamp: "flash", title: w.emergency, text: v.transmitting === "talking" ? own : heard };
  }
  if (!v.connected) return { ...r, mood: "fault", lamp: "off", title: v.connecting ? w.connecting : w.noService, text: "" };
  switch (v.transmitting) {
    case "asking":
      return { ...r, mood: "wait", title: w.asking, text: "" };
    case "talking":
      return { ...r, mood: "tx", lamp: "amber", title: w.tx, text: clock(seconds) };
    case "denied":
      return { ...r, mood: "busy", title: w.denied, text: talker ? `${unitOf(talker, w)} ${talker.name}` : (v.notice?.text ?? "") };
  }
  if (talker) return { ...r, mood: "rx", lamp: "green", title: unitOf(talker, w), text: talker.name };
  if (v.talking) return { ...r, mood: "tx", lamp: "amber", title: w.tx, text: "" };
  if (v.notice) return { ...r, mood: v.notice.kind === "alarm" ? "notice" : "idle", text: v.notice.text };
  return r;
}

function base(v: View, w: Words): Readout {
  const c = v.channel;
  const marks = c ? [c.type === "trunked" ? "TRK" : c.type === "digital" ? "P25" : "FM", c.canTransmit ? "" : w.rxOnly].filter(Boolean) : [];
  const idle = v.mic === "refused" ? w.noMic : v.mic === "asking" ? w.allow : v.scanning && v.listening.length > 0 ? fill(w.listening, { n: v.listening.length }) : (v.callsign ?? v.unitId ?? v.name);
  return {
    mood: "idle",
    zone: v.zone,
    channel: c?.name || w.noChannel,
    detail: c ? [hertz(c.frequency), ...marks].join("  ") : "",
    title: "",
    text: idle ?? "",
    lamp: "off",
  };
}

/** Which bars of five are filled, for a level of 0 to 100. */
export function bars(level: number, of = 5): number {
  return level <= 0 ? 0 : Math.min(of, Math.max(1, Math.round((level / 100) * of)));
}
