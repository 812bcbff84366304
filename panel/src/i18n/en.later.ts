import { desk } from "./en/desk";
import { notice } from "./en/notice";
import { phone } from "./en/phone";
import { rail } from "./en/rail";
import { status } from "./en/status";
import { theme } from "./en/theme";
import { tools } from "./en/tools";
import { trouble } from "./en/trouble";

/** English that a console needs only when something happens; it is fetched as soon as the console is open. */
export const enLater = { ...rail, ...desk, ...notice, ...phone, ...status, ...theme, ...tools, ...trouble } as const;
