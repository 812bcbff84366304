import type { Refusal } from "../link/link";
import { t, tx } from "./language.svelte";

/** Why the service did not do what the console asked, and what to do about it. */
export function words(e: Refusal): string {
  if (e.status === 0) return t("fault.unreachable");
  if (e.status === 503) return t("fault.storage", { error: e.message });
  const error = tx(`refused.${e.message}`, e.message);
  return e.retryAfter > 0 ? t("fault.wait", { error, s: e.retryAfter }) : error;
}
