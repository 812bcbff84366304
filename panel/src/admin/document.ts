// The document that is edited: the parts of the configuration, in a form that fields
// can be bound to. Only pure functions.
import type { AdminChannel, AdminCodeplug, AdminGroup, AdminParts, AdminZone, AlertConfig } from "../wire.gen";
import type { Layout } from "../state/desk";
import { readLayouts } from "../state/memory";

export type Document = Required<Omit<AdminParts, "layouts">> & { layouts: Layout[] };
export type Part = keyof Document;

/** The parts, in the order of the page. */
export const parts = ["zones", "alerts", "tones", "announcementGroups", "codeplugs", "jobCodeplugs", "volumes", "layouts"] as const satisfies readonly Part[];

/** canonical is the shortest spelling of a frequency; other text stays. */
export function canonical(frequency: string): string {
  const text = frequency.trim();
  if (!/^\d+(\.\d+)?$/.test(text)) return text;
  const [whole = "", fraction = ""] = text.split(".");
  const kept = fraction.replace(/0+$/, "");
  return kept === "" ? String(Number(whole)) : `${Number(whole)}.${kept}`;
}

/** opened makes what the service sent editable: one spelling per frequency, tones as an object. */
export function opened(config: AdminParts): Document {
  const d = { ...structuredClone(config), layouts: readLayouts((config as { layouts?: unknown }).layouts) } as Document;
  for (const c of d.zones.flatMap((z) => z.channels)) {
    c.frequency = c.display || c.frequency;
    delete c.display;
  }
  for (const a of d.alerts) {
    const tones: unknown = a.tones;
    if (typeof tones === "string" && !a.tone) a.tone = tones;
    if (tones !== undefined && (typeof tones !== "object" || tones === null || Array.isArray(tones))) delete a.tones;
  }
  return d;
}

/** sent is a part in the form that the service accepts. */
export function sent(d: Document, part: Part): AdminParts {
  if (part !== "zones") return { [part]: d[part] } as AdminParts;
  return {
    zones: d.zones.map((z) => ({
      ...z,
      channels: z.channels.map((c) => ({ ...c, display: c.frequency.trim(), frequency: c.frequency.trim(), frequencyRange: rangeOf(c) })),
    })),
  };
}

function rangeOf(c: AdminChannel): string[] {
  const range = (c.frequencyRange ?? []).map((f) => f.trim());
  return c.type === "trunked" && range.some((f) => f !== "") ? range : [];
}

export const newZone = (): AdminZone => ({ name: "", nacIds: [], channels: [] });
export const newChannel = (): AdminChannel => ({
  name: "",
  type: "conventional",
  frequency: "",
  allowedNacs: [],
  scanAllowedNacs: [],
  gps: { color: "", visibleToNacs: [] },
});
export const newAlert = (): AlertConfig => ({ name: "", color: "#d97706", isPersistent: true });
export const newGroup = (d: Document): AdminGroup => ({ id: fresh("group", d.announcementGroups), name: "", frequencies: [] });
export const newCodeplug = (d: Document): AdminCodeplug => ({
  id: fresh("codeplug", d.codeplugs),
  unitId: "",
  nac: 0,
  radioModel: "",
  zones: [],
  features: { scan: true, gps: true, panic: true, dispatch: false },
  tones: { keyUp: "", keyDown: "", busy: "" },
  emergency: { revertFrequency: "", hotMicMs: 0 },
  announcementVolume: 100,
});

function fresh(word: string, taken: { id: string }[]): string {
  for (let n = taken.length + 1; ; n++) {
    if (!taken.some((t) => t.id === `${word}-${n}`)) return `${word}-${n}`;
  }
}

/** swap moves row i to j, its neighbour. */
export function swap<T>(rows: T[], i: number, j: number): void {
  const [a, b] = [rows[i], rows[j]];
  if (a === undefined || b === undefined) return;
  rows[i] = b;
  rows[j] = a;
}

/** swapZones keeps codeplugs pointing at the zones that they meant (counted from 1). */
export function swapZones(d: Document, i: number, j: number): void {
  if (j < 0 || j >= d.zones.length) return;
  swap(d.zones, i, j);
  for (const c of d.codeplugs) c.zones = c.zones.map((z) => (z === i + 1 ? j + 1 : z === j + 1 ? i + 1 : z));
}

/** dropZone removes a zone. A codeplug without another zone keeps zone 0, which the
 * service refuses: without any zone it would get all of them. */
export function dropZone(d: Document, i: number): void {
  d.zones.splice(i, 1);
  for (const c of d.codeplugs) {
    const left = c.zones.filter((z) => z !== i + 1).map((z) => (z > i + 1 ? z - 1 : z));
    c.zones = c.zones.length > 0 && left.length === 0 ? [0] : left;
  }
}

/** listed turns "LSPD, BCSO" into a list. */
export const listed = (text: string): string[] =>
  text
    .split(",")
    .map((s) => s.trim())
    .filter((s) => s !== "");

/** partOf finds the part of a path such as "zones[2].channels[1].name". */
export function partOf(path: string): Part | undefined {
  return parts.find((p) => path === p || path.startsWith(`${p}[`) || path.startsWith(`${p}.`));
}

/** channelName is the name of the channel on a frequency; "": there is none. */
export function channelName(d: Document, frequency: string): string {
  const wanted = canonical(frequency);
  for (const z of d.zones) for (const c of z.channels) if (canonical(c.frequency) === wanted) return c.name;
  return "";
}
