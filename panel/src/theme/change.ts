// What a theme may change of the dispatcher's settings, and how it must look.

import { type PTTSettings, type Settings } from "../state/desk";
import type { DispatchSettings } from "./table.gen";

/** The longest callsign, as in the settings. */
const callsignLength = 32;
/** Buttons of mice and gamepads, as the desk is stored. */
const mostButton = 64;
const pttTypes = ["key", "mouse", "gamepad"] as const;

export interface Change {
  callsign?: string;
  settings: Partial<Settings>;
  /** What is left out, and why. */
  wrong: string[];
}

const object = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);

const isPTT = (v: unknown): v is PTTSettings =>
  object(v) && typeof v["pttKey"] === "string" && pttTypes.some((t) => t === v["pttType"]) &&
  Number.isInteger(v["pttMouseButton"]) && (v["pttMouseButton"] as number) >= 0 && (v["pttMouseButton"] as number) <= mostButton;

const pttWords = `{ pttKey: text, pttType: ${pttTypes.map((t) => JSON.stringify(t)).join(" or ")}, pttMouseButton: 0 to ${mostButton} }`;

const only = ({ pttKey, pttType, pttMouseButton }: PTTSettings): PTTSettings => ({ pttKey, pttType, pttMouseButton });

const fields = ["callsign", "voiceVolume", "sfxVolume", "globalPTT", "channelPTT", "announcementGroupPTT"] as const satisfies readonly (keyof DispatchSettings)[];

/** Sorts out what a theme wants to set. name gives the key under which a channel or a group is kept; null: there is none. */
export function readChange(wanted: unknown, name: Record<"channelPTT" | "announcementGroupPTT", (key: string) => string | null>): Change {
  const change: Change = { settings: {}, wrong: [] };
  if (!object(wanted)) return { ...change, wrong: ["want an object with settings"] };
  for (const [field, value] of Object.entries(wanted)) {
    switch (field) {
      case "callsign":
        if (typeof value === "string" && value.trim() !== "" && value.trim().length <= callsignLength) change.callsign = value.trim();
        else change.wrong.push(`${field}: want a text of 1 to ${callsignLength} characters`);
        break;
      case "voiceVolume":
      case "sfxVolume":
        if (typeof value === "number" && value >= 0 && value <= 1) change.settings[field] = value;
        else change.wrong.push(`${field}: want a number from 0 to 1`);
        break;
      case "globalPTT":
        if (isPTT(value)) change.settings.globalPTT = only(value);
        else change.wrong.push(`${field}: want ${pttWords}`);
        break;
      case "channelPTT":
      case "announcementGroupPTT":
        if (object(value)) change.settings[field] = readAll(field, value, name[field], change.wrong);
        else change.wrong.push(`${field}: want an object with a binding for each`);
        break;
      default:
        change.wrong.push(`${field}: not a setting that themes may change; want ${fields.join(", ")}`);
    }
  }
  return change;
}

function readAll(field: string, value: Record<string, unknown>, name: (key: string) => string | null, wrong: string[]): Record<string, PTTSettings> {
  const out: Record<string, PTTSettings> = {};
  for (const [key, ptt] of Object.entries(value)) {
    const known = name(key);
    if (known === null) wrong.push(`${field}: there is no ${JSON.stringify(key)}`);
    else if (!isPTT(ptt)) wrong.push(`${field}[${JSON.stringify(key)}]: want ${pttWords}`);
    else out[known] = only(ptt);
  }
  return out;
}
