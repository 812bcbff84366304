import { densities, type Desk, emptyDesk, languages, type Level, looks, type Priority, type PTTSettings, type Settings } from "./desk";

/** Where the panel keeps the desk in the browser. */
export const deskKey = "squelch.desk";

type Json = Record<string, unknown>;
const object = (v: unknown): Json => (typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Json) : {});
const text = (v: unknown, or: string): string => (typeof v === "string" ? v : or);
const flag = (v: unknown, or: boolean): boolean => (typeof v === "boolean" ? v : or);
const between = (v: unknown, low: number, high: number, or: number): number =>
  typeof v === "number" && v >= low && v <= high ? v : or;
const oneOf = <T extends string>(v: unknown, all: readonly T[], or: T): T => all.find((x) => x === v) ?? or;
const strings = (v: unknown): string[] => (Array.isArray(v) ? v.filter((x) => typeof x === "string") : []);

/**
 * Reads a stored desk; what is missing or invalid gets its default. The language is
 * the first of those asked for, in the order of navigator.languages, that the panel
 * speaks.
 */
export function readDesk(kept: string | null, asked: readonly string[] = []): Desk {
  let raw: Json = {};
  try {
    raw = object(JSON.parse(kept ?? "{}"));
  } catch {
    // not written by the panel
  }
  const scans: Record<string, Priority> = {};
  for (const [f, p] of Object.entries(object(raw["scans"]))) scans[f] = p === 1 || p === 2 ? p : 0;
  const levels: Record<string, Level> = {};
  for (const [f, l] of Object.entries(object(raw["levels"]))) {
    const o = object(l);
    levels[f] = { volume: between(o["volume"], 0, 1, 1), pan: between(o["pan"], -1, 1, 0), muted: flag(o["muted"], false) };
  }
  return {
    callsign: text(raw["callsign"], ""),
    joined: typeof raw["joined"] === "string" ? raw["joined"] : null,
    scans,
    selected: strings(raw["selected"]),
    follows: Array.isArray(raw["follows"]) ? raw["follows"].filter((x) => Number.isInteger(x)) : [],
    levels,
    group: typeof raw["group"] === "string" ? raw["group"] : null,
    zone: text(raw["zone"], ""),
    settings: readSettings(object(raw["settings"]), asked),
  };
}

function readSettings(raw: Json, asked: readonly string[]): Settings {
  const d = emptyDesk.settings;
  const spoken = asked.map((tag) => tag.toLowerCase().split("-")[0]).find((l) => languages.some((x) => x === l));
  return {
    voiceVolume: between(raw["voiceVolume"], 0, 1, d.voiceVolume),
    sfxVolume: between(raw["sfxVolume"], 0, 1, d.sfxVolume),
    globalPTT: readPTT(raw["globalPTT"], d.globalPTT),
    channelPTT: readPTTs(raw["channelPTT"]),
    announcementGroupPTT: readPTTs(raw["announcementGroupPTT"]),
    latch: flag(raw["latch"], d.latch),
    look: oneOf(raw["look"], looks, d.look),
    density: oneOf(raw["density"], densities, d.density),
    language: oneOf(raw["language"], languages, oneOf(spoken, languages, d.language)),
    utc: flag(raw["utc"], d.utc),
    announceTalkers: flag(raw["announceTalkers"], d.announceTalkers),
    microphone: text(raw["microphone"], ""),
    microphoneLevel: between(raw["microphoneLevel"], 0, 2, 1),
    output: text(raw["output"], ""),
    selectedOutput: text(raw["selectedOutput"], ""),
  };
}

function readPTT(v: unknown, or: PTTSettings): PTTSettings {
  const o = object(v);
  return {
    pttKey: text(o["pttKey"], or.pttKey),
    pttType: oneOf(o["pttType"], ["key", "mouse", "gamepad"], or.pttType),
    pttMouseButton: between(o["pttMouseButton"], 0, 64, or.pttMouseButton),
  };
}

function readPTTs(v: unknown): Record<string, PTTSettings> {
  const out: Record<string, PTTSettings> = {};
  for (const [key, p] of Object.entries(object(v))) out[key] = readPTT(p, { pttKey: "", pttType: "key", pttMouseButton: 4 });
  return out;
}
