import { t } from "./language.svelte";

/** How long ago something was, in words that fit on a card. */
export function ago(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 5) return t("ago.now");
  if (seconds < 60) return t("ago.seconds", { n: seconds });
  if (seconds < 3600) return t("ago.minutes", { n: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t("ago.hours", { n: Math.floor(seconds / 3600) });
  return t("ago.days", { n: Math.floor(seconds / 86_400) });
}
