import { t } from "../i18n/language.svelte";
import type { PTTSettings } from "../state/desk";

/** What a binding is called on screen. */
export function bindingName(p: PTTSettings | undefined): string {
  if (!p) return t("settings.none");
  if (p.pttType === "mouse") return t("settings.mouse", { n: p.pttMouseButton });
  if (p.pttType === "gamepad") return t("settings.gamepad", { n: p.pttMouseButton });
  if (!p.pttKey) return t("settings.none");
  return p.pttKey
    .replace(/^(Key|Digit)/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/\+/g, " + ");
}
