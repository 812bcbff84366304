import { setLanguage, t } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import type { Settings } from "../state/desk";

/** Changes settings of this desk. They are kept in the browser. */
export function updateSettings(p: Ports, more: Partial<Settings>): void {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, settings: { ...s.desk.settings, ...more } } }));
  if (more.language)
    void setLanguage(more.language).then((there) => there || p.fault(t("settings.language"), t("unloaded.part")));
}

/** The dispatcher's own callsign, here and at the service. */
export function setCallsign(p: Ports, callsign: string): void {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, callsign } }));
  p.link.tell("updateUserInfo", { name: callsign });
  if (p.store.now.radio.config?.useCallsignSystem) p.link.tell("setCallsign", { callsign });
}
