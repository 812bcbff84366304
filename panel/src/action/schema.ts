// What an action takes. Whoever calls one by its id, a key, the palette or a theme, is
// told which field is wrong.

import type { Ports } from "../ports";
import { openEmergencies } from "../state/emergency";
import { publishedLayouts } from "./layout";

export type Kind =
  | "channel" // a configured channel's frequency
  | "unit" // the server id of a user that the radio knows
  | "emergency" // the id of an open one
  | "alert" // the name of a configured one
  | "tone" // the name of a configured one
  | "group" // the id of an announcement group
  | "patch" // the id of an active one
  | "zone" // a zone's id; "" is all zones
  | "theme" // the slug of an installed one; "" is none
  | "layout" // the name of a layout, saved or published
  | "seconds"
  | "number"
  | "text"
  | "choice" // one of the field's words
  | "flag";

export interface Field {
  readonly kind: Kind;
  readonly optional?: true;
  /** A list of them, with at least so many. */
  readonly many?: number;
  /** The words of a choice. */
  readonly of?: readonly string[];
  /** Numbers: limits. Texts: lengths. */
  readonly least?: number;
  readonly most?: number;
}

export type Schema = Readonly<Record<string, Field>>;

type One<F extends Field> = F["kind"] extends "unit" | "seconds" | "number"
  ? number
  : F["kind"] extends "flag"
    ? boolean
    : F extends { readonly of: readonly (infer T)[] }
      ? T
      : string;
type Value<F extends Field> = F extends { readonly many: number } ? One<F>[] : One<F>;

/** The arguments that a schema describes. */
export type ArgsOf<S extends Schema> = { [K in keyof S as S[K] extends { readonly optional: true } ? never : K]: Value<S[K]> } & {
  [K in keyof S as S[K] extends { readonly optional: true } ? K : never]?: Value<S[K]>;
};

export type Args = Record<string, unknown>;

/** What is wrong with the arguments: the first field, and why. */
export interface Wrong {
  field: string;
  error: string;
}

/** Null: nothing is wrong. */
export function check(p: Ports, schema: Schema, args: Args): Wrong | null {
  for (const name of Object.keys(args)) if (!(name in schema)) return { field: name, error: "not known here" };
  for (const [name, field] of Object.entries(schema)) {
    const error = wrong(p, field, args[name]);
    if (error) return { field: name, error };
  }
  return null;
}

function wrong(p: Ports, field: Field, value: unknown): string {
  if (value === undefined) return field.optional ? "" : "missing";
  if (field.many === undefined) return one(p, field, value);
  if (!Array.isArray(value)) return "not a list";
  if (value.length < field.many) return `fewer than ${field.many}`;
  return value.map((v) => one(p, field, v)).find(Boolean) ?? "";
}

function one(p: Ports, field: Field, value: unknown): string {
  const { least = -Infinity, most = Infinity } = field;
  switch (field.kind) {
    case "flag":
      return typeof value === "boolean" ? "" : "neither true nor false";
    case "number":
    case "seconds":
      if (typeof value !== "number" || !Number.isFinite(value)) return "not a number";
      return value < least || value > most ? `not between ${least} and ${most}` : "";
    case "unit":
      if (typeof value !== "number") return "not a number";
      return p.store.now.radio.users[value] ? "" : `no unit ${value}`;
  }
  if (typeof value !== "string") return "not a text";
  switch (field.kind) {
    case "text":
      if (value.length < least) return "empty";
      return value.length > most ? `longer than ${most}` : "";
    case "choice":
      return field.of?.includes(value) ? "" : `not one of ${field.of?.join(", ")}`;
    default:
      return known(p, field.kind, value) ? "" : `no ${field.kind} ${JSON.stringify(value)}`;
  }
}

/** Whether the radio, or the desk, has one of that name. */
function known(p: Ports, kind: Kind, id: string): boolean {
  const { radio, desk } = p.store.now;
  const { config } = radio;
  switch (kind) {
    case "channel":
      return id in radio.channels;
    case "emergency":
      return openEmergencies(radio).some((e) => e.id === id);
    case "alert":
      return config?.alerts.some((a) => a.name === id) ?? false;
    case "tone":
      return config?.tones.some((x) => x.name === id) ?? false;
    case "group":
      return config?.announcementGroups.some((g) => g.id === id) ?? false;
    case "patch":
      return radio.patches.some((x) => x.id === id);
    case "zone":
      return id === "" || radio.zones.some((z) => z.id === id);
    case "theme":
      return id === "" || (config?.themes.some((x) => x.slug === id) ?? false);
    case "layout":
      return [...desk.layouts, ...publishedLayouts(radio)].some((l) => l.name === id);
    default:
      return false;
  }
}
