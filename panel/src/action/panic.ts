import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import { nameOf } from "../state/radio";

/** Raises a unit's panic in its name, or ends it. */
export function setPanic(p: Ports, serverId: number, frequency: string, enabled: boolean): Promise<boolean> {
  return p.attempt(
    t("fault.panic", { name: nameOf(p.store.now.radio, serverId) }),
    p.link.request("POST /radio/dispatch/panic", { serverId, frequency, enabled }),
  );
}
