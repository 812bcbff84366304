import { t } from "../../i18n/language.svelte";

/** Why a channel was denied, in few words; the service's own where the panel has none. */
export function reasonOf(reason: string): string {
  if (reason === "busy") return t("card.busy");
  if (reason === "no answer") return t("ptt.noAnswer");
  if (reason.startsWith("No access")) return t("target.noPermission");
  return reason;
}
