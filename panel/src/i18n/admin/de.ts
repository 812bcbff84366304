import { audit } from "./de/audit";
import { config } from "./de/config";
import { field } from "./de/field";
import { log } from "./de/log";
import { page } from "./de/page";
import { people } from "./de/people";
import { recording } from "./de/recording";
import { theme } from "./de/theme";
import type { AdminCatalogue } from "./en";

/** The German of the administration; fetched when it is needed. */
export const de: AdminCatalogue = { ...page, ...config, ...field, ...people, ...audit, ...log, ...recording, ...theme };
