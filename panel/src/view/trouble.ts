import { enTrouble } from "../i18n/en.trouble";
import { addTexts, t } from "../i18n/language.svelte";
import type { Refusal } from "../link/link";

/** Fetched once the console is on the air, or a login was refused: the service is reached then. */
addTexts(enTrouble);

/** Why the service did not do it, and what to do. */
export function words(e: Refusal): string {
  if (e.status === 0) return t("fault.unreachable");
  if (e.status === 503) return t("fault.storage", { error: e.message });
  return e.retryAfter > 0 ? t("fault.wait", { error: e.message, s: e.retryAfter }) : e.message;
}
