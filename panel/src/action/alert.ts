import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import { channelName } from "../state/radio";

/** Raises the configured alert of that name; one that is not persistent plays once. */
export function triggerAlert(p: Ports, frequency: string, name: string): Promise<boolean> {
  const config = p.store.now.radio.config?.alerts.find((a) => a.name.toLowerCase() === name.toLowerCase());
  if (!config) {
    p.fault(t("alert.title"), t("alert.unknown", { name }));
    return Promise.resolve(false);
  }
  const once = config.isPersistent !== true;
  return p.attempt(
    t("fault.alert", { channel: channelName(p.store.now.radio, frequency) }),
    once
      ? p.link.request("POST /radio/dispatch/alert/oneshot", { frequency, alertConfig: { ...config, isPersistent: false } })
      : p.link.request("POST /radio/dispatch/alert/trigger", { frequency, alertType: config.name, alertConfig: config }),
  );
}

export function clearAlert(p: Ports, frequency: string): Promise<boolean> {
  return p.attempt(
    t("fault.alert", { channel: channelName(p.store.now.radio, frequency) }),
    p.link.request("POST /radio/dispatch/alert/clear", { frequency }),
  );
}
