import { audit } from "./en/audit";
import { config } from "./en/config";
import { field } from "./en/field";
import { log } from "./en/log";
import { page } from "./en/page";
import { people } from "./en/people";
import { recording } from "./en/recording";
import { theme } from "./en/theme";

/** The English of the administration; {name} is filled in. */
export const en = { ...page, ...config, ...field, ...people, ...audit, ...log, ...recording, ...theme };

export type AdminKey = keyof typeof en;
export type AdminCatalogue = Record<AdminKey, string>;
