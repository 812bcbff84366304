import type { enConsole } from "./en.console";
import type { enDialog } from "./en.dialog";
import { app } from "./en/app";
import type { enLater } from "./en.later";
import type { first } from "./en/first";
import type { incident } from "./en/incident";

/** The English of the first page; together with the other en files it is the list of all texts. {name} is filled in. */
export const en = { ...app } as const;

export type Key = keyof typeof en | keyof typeof enConsole | keyof typeof enLater | keyof typeof enDialog | keyof typeof first | keyof typeof incident;
export type Catalogue = Record<Key, string>;
