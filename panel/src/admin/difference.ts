// What differs between two documents, value by value. Rows are recognized by what
// names them, so that a row that moves is not reported as a change of all others. The
// service does the same for its audit log (server/admin/difference.go); both are
// tested with server/admin/testdata/differences.json. Only pure functions.

/** Difference is one changed value, or one row that came, went or moved. */
export interface Difference {
  kind: "changed" | "added" | "removed" | "moved";
  /** Where: of a removed row in the old document, else in the new one. Lists count from 1. */
  path: string;
  /** The names of the rows around it, the outermost first. */
  row: string[];
  /** Of a change: the values; undefined: there was none. Of a move: the names of the rows in their order. */
  from?: unknown;
  to?: unknown;
}

type Json = Record<string, unknown>;

/** What tells rows of a list apart, by the list's path without numbers: the first of these that fits. */
const names: Record<string, string[]> = {
  zones: ["name"],
  "zones.channels": ["frequency", "name"],
  alerts: ["name"],
  tones: ["name"],
  announcementGroups: ["id", "name"],
  codeplugs: ["id"],
  jobCodeplugs: ["job"],
  layouts: ["name"],
};

/** What a person calls the rows of a list. */
const titles: Record<string, string> = { codeplugs: "id", jobCodeplugs: "job" };

/** differences lists what has changed, in the order of the new document. Both are plain JSON. */
export function differences(from: Json, to: Json): Difference[] {
  const out: Difference[] = [];
  objects("", [], readable(from), readable(to), out);
  return out;
}

/** bare is a path without its numbers: "zones.channels.name". */
export const bare = (path: string): string => path.replace(/\[\d+\]/g, "");

/** readable names the zones of codeplugs, whose numbers change when zones move. */
function readable(d: Json): Json {
  const zones = Array.isArray(d["zones"]) ? (d["zones"] as Json[]) : undefined;
  const plugs = d["codeplugs"];
  if (zones === undefined || !Array.isArray(plugs)) return d;
  const called = (n: unknown): unknown => (typeof n === "number" ? (zones[n - 1]?.["name"] ?? n) : n);
  return { ...d, codeplugs: (plugs as Json[]).map((c) => ({ ...c, zones: Array.isArray(c["zones"]) ? c["zones"].map(called) : c["zones"] })) };
}

function objects(path: string, row: string[], from: Json, to: Json, out: Difference[]): void {
  const keys = [...Object.keys(to), ...Object.keys(from).filter((k) => !(k in to))];
  for (const key of keys) values(path === "" ? key : `${path}.${key}`, row, from[key], to[key], out);
}

function values(path: string, row: string[], from: unknown, to: unknown, out: Difference[]): void {
  if (same(from, to)) return;
  if (bare(path) in names) rows(path, row, listOf(from), listOf(to), out);
  else if (plain(from) && plain(to)) objects(path, row, from, to, out);
  else if (plain(from) && to === undefined) objects(path, row, from, {}, out);
  else if (from === undefined && plain(to)) objects(path, row, {}, to, out);
  else if (!empty(from) || !empty(to)) out.push({ kind: "changed", path, row, ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
}

function rows(path: string, row: string[], from: Json[], to: Json[], out: Difference[]): void {
  const pairs = matched(names[bare(path)] ?? [], from, to);
  const title = (r: Json): string => text(r[titles[bare(path)] ?? "name"]);
  to.forEach((r, i) => {
    const at = `${path}[${i + 1}]`;
    const old = pairs[i];
    if (old === undefined) out.push({ kind: "added", path: at, row: [...row, title(r)] });
    else objects(at, [...row, title(r)], from[old] ?? {}, r, out);
  });
  from.forEach((r, i) => {
    if (!pairs.includes(i)) out.push({ kind: "removed", path: `${path}[${i + 1}]`, row: [...row, title(r)] });
  });
  const kept = pairs.filter((p) => p !== undefined);
  if (kept.some((p, i) => i > 0 && p < (kept[i - 1] ?? 0)))
    out.push({ kind: "moved", path, row, from: [...kept].sort((a, b) => a - b).map((i) => title(from[i] ?? {})), to: to.filter((_, i) => pairs[i] !== undefined).map(title) });
}

/** matched finds for each new row the old one that it was: an equal one, else one of
 * the same name, else, if nothing was added or removed, the one at its place. */
function matched(keys: string[], from: Json[], to: Json[]): (number | undefined)[] {
  const out: (number | undefined)[] = to.map(() => undefined);
  const free = new Set(from.keys());
  const pass = (fits: (old: Json, fresh: Json) => boolean): void => {
    to.forEach((r, i) => {
      if (out[i] !== undefined) return;
      for (const at of free) {
        if (!fits(from[at] ?? {}, r)) continue;
        out[i] = at;
        free.delete(at);
        return;
      }
    });
  };
  pass(same);
  for (const key of keys) pass((old, fresh) => text(old[key]) !== "" && old[key] === fresh[key]);
  if (from.length === to.length) to.forEach((_, i) => (out[i] === undefined && free.has(i) ? ((out[i] = i), free.delete(i)) : undefined));
  return out;
}

const plain = (v: unknown): v is Json => typeof v === "object" && v !== null && !Array.isArray(v);
const listOf = (v: unknown): Json[] => (Array.isArray(v) ? (v as Json[]) : []);
const text = (v: unknown): string => (typeof v === "string" ? v : "");
/** An empty list and no list are the same to the radio. */
const empty = (v: unknown): boolean => v === undefined || v === null || v === "" || (Array.isArray(v) && v.length === 0);

/** same compares by value; the order of keys does not count. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((v, i) => same(v, b[i]));
  if (!plain(a) || !plain(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((k) => same(a[k], b[k]));
}
