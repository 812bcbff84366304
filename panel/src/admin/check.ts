// What the page itself can see to be wrong, before the service is asked. The service
// checks everything again. Only pure functions.
import { canonical, type Document } from "./document";
import type { AdminKey } from "../i18n/admin/en";

/** Objection is what is wrong with the value at a path. */
export interface Objection {
  path: string;
  key: AdminKey;
  fill?: Record<string, string | number>;
}

const missing = (text: string | undefined): boolean => (text ?? "").trim() === "";

/** A decimal above 0 and below 1000000 with at most six decimals, as the service reads it. */
const tuned = (frequency: string): boolean => /^\d{1,9}(\.\d{1,6})?$/.test(frequency.trim()) && Number(frequency) > 0 && Number(frequency) < 1_000_000;

/** objections lists everything, in the order of the page. */
export function objections(d: Document): Objection[] {
  const out: Objection[] = [];
  const add = (path: string, key: AdminKey, fill?: Objection["fill"]): void => void out.push({ path, key, ...(fill !== undefined && { fill }) });
  const range = (path: string, n: unknown, least: number, most: number): void => {
    if (typeof n !== "number" || !(n >= least && n <= most)) add(path, "check.range", { least, most });
  };
  zones(d, add);
  d.alerts.forEach((a, i) => {
    if (missing(a.name)) add(`alerts[${i + 1}].name`, "check.missing");
  });
  tones(d, add);
  for (const key of ["voice", "sfx", "audio3d", "step"] as const) range(`volumes.${key}`, d.volumes[key], 0, 100);
  d.layouts.forEach((l, i) => once(`layouts[${i + 1}].name`, l.name, d.layouts.slice(0, i).map((x) => x.name), add));
  d.announcementGroups.forEach((g, i) => {
    const at = `announcementGroups[${i + 1}]`;
    if (missing(g.name)) add(`${at}.name`, "check.missing");
    once(`${at}.id`, g.id, d.announcementGroups.slice(0, i).map((x) => x.id), add);
  });
  d.codeplugs.forEach((c, i) => {
    const at = `codeplugs[${i + 1}]`;
    once(`${at}.id`, c.id, d.codeplugs.slice(0, i).map((x) => x.id), add);
    range(`${at}.nac`, c.nac, 0, 4095);
    range(`${at}.emergency.hotMicMs`, c.emergency.hotMicMs, 0, 600_000);
    range(`${at}.announcementVolume`, c.announcementVolume, 0, 100);
    if (c.zones.some((z) => z < 1 || z > d.zones.length)) add(`${at}.zones`, "check.zones");
  });
  d.jobCodeplugs.forEach((j, i) => {
    const at = `jobCodeplugs[${i + 1}]`;
    once(`${at}.job`, j.job, d.jobCodeplugs.slice(0, i).map((x) => x.job), add);
    if (!d.codeplugs.some((c) => c.id === j.codeplug)) add(`${at}.codeplug`, "check.codeplug");
  });
  return out;
}

type Add = (path: string, key: AdminKey, fill?: Objection["fill"]) => void;

function once(path: string, id: string, before: string[], add: Add): void {
  if (missing(id)) add(path, "check.missing");
  else if (before.includes(id)) add(path, "check.twice", { name: id });
}

function zones(d: Document, add: Add): void {
  const types = new Map<string, string>();
  d.zones.forEach((z, i) => {
    if (missing(z.name)) add(`zones[${i + 1}].name`, "check.missing");
    z.channels.forEach((c, j) => {
      const at = `zones[${i + 1}].channels[${j + 1}]`;
      if (missing(c.name)) add(`${at}.name`, "check.missing");
      if (!tuned(c.frequency)) return add(`${at}.frequency`, "check.frequency");
      const known = types.get(canonical(c.frequency));
      if (known !== undefined && known !== c.type) add(`${at}.type`, "check.type", { frequency: c.frequency });
      types.set(canonical(c.frequency), c.type);
      if (c.type === "trunked") band(`${at}.frequencyRange`, c.frequencyRange ?? [], add);
      if ((c.coverage ?? 0) < 0) add(`${at}.coverage`, "check.negative");
    });
  });
}

function band(path: string, range: string[], add: Add): void {
  const [low = "", high = ""] = range.map((f) => f.trim());
  if (low === "" && high === "") return;
  if (!tuned(low)) add(path, "check.frequency");
  else if (!tuned(high)) add(`${path}.high`, "check.frequency");
  else if (Number(high) < Number(low)) add(`${path}.high`, "check.band");
}

function tones(d: Document, add: Add): void {
  d.tones.forEach((t, i) => {
    const at = `tones[${i + 1}]`;
    once(`${at}.name`, t.name.toLowerCase(), d.tones.slice(0, i).map((x) => x.name.toLowerCase()), add);
    if (missing(t.file)) add(`${at}.file`, "check.missing");
    else if (/[/\\]/.test(t.file)) add(`${at}.file`, "check.folder");
  });
}
