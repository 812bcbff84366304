import {
  type AutoMonitor, densities, type Desk, emptyDesk, filters, type FirstRun, languages, type Layout, type Level, looks, type Priority,
  type PTTSettings, type RailSize, railWidths, type Settings, type Targets, zooms, type Zoom,
} from "./desk";

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
  const levels: Record<string, Level> = {};
  for (const [f, l] of Object.entries(object(raw["levels"]))) {
    const o = object(l);
    levels[f] = { volume: between(o["volume"], 0, 1, 1), pan: between(o["pan"], -1, 1, 0), muted: flag(o["muted"], false) };
  }
  return {
    callsign: text(raw["callsign"], ""),
    joined: typeof raw["joined"] === "string" ? raw["joined"] : null,
    scans: readScans(raw["scans"]),
    selected: strings(raw["selected"]),
    follows: Array.isArray(raw["follows"]) ? raw["follows"].filter((x) => Number.isInteger(x)) : [],
    levels,
    group: typeof raw["group"] === "string" ? raw["group"] : null,
    zone: text(raw["zone"], ""),
    filter: oneOf(raw["filter"], filters, hears(raw) ? "mine" : emptyDesk.filter),
    zoom: readZoom(raw["zoom"]),
    order: strings(raw["order"]),
    layouts: readLayouts(raw["layouts"]),
    layout: text(raw["layout"], ""),
    rail: readRail(raw["rail"]),
    auto: readAuto(raw["auto"]),
    restore: readTargets(raw["restore"]),
    first: readFirst(raw["first"], kept !== null),
    settings: readSettings(object(raw["settings"]), asked),
  };
}

/** A desk that already hears something shows that first. */
const hears = (raw: Json): boolean =>
  typeof raw["joined"] === "string" || strings(raw["selected"]).length > 0 || Object.keys(object(raw["scans"])).length > 0;

function readScans(v: unknown): Record<string, Priority> {
  const scans: Record<string, Priority> = {};
  for (const [f, p] of Object.entries(object(v))) scans[f] = p === 1 || p === 2 ? p : 0;
  return scans;
}

const readZoom = (v: unknown): Zoom => (v === "fit" ? v : between(v, zooms.least, zooms.most, 0) || "fit");

function readRail(v: unknown): RailSize {
  const o = object(v);
  const d = emptyDesk.rail;
  return { width: between(o["width"], railWidths.least, railWidths.most, d.width), split: between(o["split"], 0.1, 0.9, d.split) };
}

/** Most layouts that a browser keeps, or an administrator publishes. */
export const layoutCount = 20;

/** Layouts as they are stored or published; those without a name, and second ones of a name, are left out. */
export function readLayouts(v: unknown): Layout[] {
  const out: Layout[] = [];
  for (const l of Array.isArray(v) ? v : []) {
    const o = object(l);
    const name = text(o["name"], "").trim();
    if (!name || out.length >= layoutCount || out.some((x) => x.name === name)) continue;
    out.push({
      name,
      order: strings(o["order"]),
      scans: readScans(o["scans"]),
      targets: strings(o["targets"]),
      filter: oneOf(o["filter"], filters, emptyDesk.filter),
      zoom: readZoom(o["zoom"]),
      density: oneOf(o["density"], densities, emptyDesk.settings.density),
      rail: readRail(o["rail"]),
    });
  }
  return out;
}

function readTargets(v: unknown): Targets | null {
  const { targets, group } = object(v);
  return Array.isArray(targets) ? { targets: strings(targets), group: typeof group === "string" ? group : null } : null;
}

function readAuto(v: unknown): Record<string, AutoMonitor> {
  const auto: Record<string, AutoMonitor> = {};
  for (const [f, a] of Object.entries(object(v))) auto[f] = { emergency: text(object(a)["emergency"], ""), touched: flag(object(a)["touched"], false) };
  return auto;
}

/** A desk that was set up before there was a first run needs none. */
const readFirst = (v: unknown, known: boolean): FirstRun => (v === 0 || v === 1 || v === 2 ? v : v === "done" || known ? "done" : 0);

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
    theme: typeof raw["theme"] === "string" ? raw["theme"] : null,
    density: oneOf(raw["density"], densities, d.density),
    language: oneOf(raw["language"], languages, oneOf(spoken, languages, d.language)),
    utc: flag(raw["utc"], d.utc),
    announceTalkers: flag(raw["announceTalkers"], d.announceTalkers),
    headset: flag(raw["headset"], d.headset),
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
