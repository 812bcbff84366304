// Rows of the document: which row a path is in, and how rows move and go. Only pure functions.
import type { AdminZone } from "../wire.gen";
import { dropZone, swap, swapZones, type Document, type Part } from "./document";

export type Kind = "zone" | "channel" | "alert" | "tone" | "volumes" | "group" | "codeplug" | "job" | "layout";

/** Place is where a row is: rows[index] of the list at path list. */
export interface Place {
  kind: Kind;
  /** The path of the row, such as "zones[2].channels[1]". */
  path: string;
  /** The path of its list; "" for the volumes, which are one row. */
  list: string;
  index: number;
  rows: unknown[];
  zone?: AdminZone;
}

const kinds: Record<Exclude<Part, "zones" | "volumes">, Kind> = {
  alerts: "alert",
  tones: "tone",
  announcementGroups: "group",
  codeplugs: "codeplug",
  jobCodeplugs: "job",
  layouts: "layout",
};

/** rowOf finds the row that a path is in; undefined: it is in none that exists. */
export function rowOf(d: Document, path: string): Place | undefined {
  if (path === "volumes" || path.startsWith("volumes.")) return { kind: "volumes", path: "volumes", list: "", index: 0, rows: [d.volumes] };
  const found = /^(\w+)\[(\d+)\](?:\.channels\[(\d+)\])?/.exec(path);
  if (found === null) return undefined;
  const [, part = "", first = "", second] = found;
  const index = Number(first) - 1;
  if (part === "zones") {
    const zone = d.zones[index];
    if (zone === undefined) return undefined;
    if (second === undefined) return { kind: "zone", path: `zones[${first}]`, list: "zones", index, rows: d.zones };
    return place("channel", `zones[${first}].channels`, zone.channels, Number(second) - 1, zone);
  }
  const kind = kinds[part as keyof typeof kinds];
  return kind === undefined ? undefined : place(kind, part, d[part as keyof typeof kinds] as unknown[], index);
}

/** rowPath is the part of a path that names the innermost row. */
export const rowPath = (path: string): string => /^\w+\[\d+\](\.channels\[\d+\])?/.exec(path)?.[0] ?? path;

function place(kind: Kind, list: string, rows: unknown[], index: number, zone?: AdminZone): Place | undefined {
  if (rows[index] === undefined) return undefined;
  return { kind, path: `${list}[${index + 1}]`, list, index, rows, ...(zone !== undefined && { zone }) };
}

/** move puts a row at the place of its neighbour, and returns its new path. */
export function move(d: Document, at: Place, to: number): string {
  if (to < 0 || to >= at.rows.length) return at.path;
  if (at.kind === "zone") swapZones(d, at.index, to);
  else swap(at.rows, at.index, to);
  return `${at.list}[${to + 1}]`;
}

/** remove takes a row out of its list. */
export function remove(d: Document, at: Place): void {
  if (at.kind === "zone") dropZone(d, at.index);
  else at.rows.splice(at.index, 1);
}

/** titleOf is the name of a row; "" if it has none yet. */
export function titleOf(at: Place): string {
  const row = at.rows[at.index] as Record<string, unknown> | undefined;
  const name = row?.["name"] ?? row?.["id"] ?? row?.["job"];
  return typeof name === "string" ? name : "";
}
