// A difference in words. Only pure functions.
import { bare, type Difference } from "./difference";
import type { Say } from "./say";

/** headingOf is what has changed: "TAC (North): Frequency". */
export function headingOf(say: Say, c: Difference): string {
  const path = bare(c.path);
  const what = c.row.at(-1) || say.t("sheet.new");
  const within = c.row.slice(0, -1).at(-1) ?? "";
  const kind = say.tx(`row.${path}`, path);
  switch (c.kind) {
    case "added":
      return say.t(within === "" ? "change.added" : "change.addedTo", { kind, name: what, within });
    case "removed":
      return say.t(within === "" ? "change.removed" : "change.removedFrom", { kind, name: what, within });
    case "moved":
      return say.t(c.row.length === 0 ? "change.moved" : "change.movedIn", { list: say.tx(`list.${path}`, path), within: c.row.at(-1) ?? "" });
    default:
      return c.row.length === 0 ? fieldOf(say, path) : say.t(within === "" ? "change.field" : "change.fieldIn", { name: what, within, field: fieldOf(say, path) });
  }
}

/** fieldOf is the label of a field; a key that only the file knows is shown as it is. */
export const fieldOf = (say: Say, path: string): string => say.tx(`field.${path}`, path.replace(/^.*?\./, ""));

/** valueOf is a value as a person reads it. */
export function valueOf(say: Say, path: string, value: unknown): string {
  if (value === undefined || value === null || value === "") return say.t("value.none");
  if (typeof value === "boolean") return say.t(value ? "value.on" : "value.off");
  if (Array.isArray(value)) return value.length === 0 ? say.t("value.none") : value.map((v) => valueOf(say, path, v)).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([k, v]) => `${k} ${valueOf(say, path, v)}`).join(", ");
  if (typeof value === "number") return String(value);
  return bare(path) === "zones.channels.type" ? say.tx(`type.${String(value)}`, String(value)) : String(value);
}
