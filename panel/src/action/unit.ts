import { t } from "../i18n/language.svelte";
import type { Panel } from "../panel";
import { nameOf } from "../state/radio";

const title = (p: Panel, id: number): string => nameOf(p.store.now.radio, id);

/** Moves a unit to a channel. */
export function switchUserChannel(p: Panel, serverId: number, frequency: string, oldFrequency: string | null): Promise<boolean> {
  return p.attempt(
    t("fault.move", { name: title(p, serverId) }),
    p.link.request("POST /radio/dispatch/switchChannel", { serverId, frequency, oldFrequency }),
  );
}

/** Sends a text to one unit. */
export function alertUser(p: Panel, userId: number, message: string, frequency: string | null): Promise<boolean> {
  return p.attempt(
    t("fault.message", { name: title(p, userId) }),
    p.link.request("POST /dispatch/user/alert", { userId, message, ...(frequency ? { frequency } : {}) }),
  );
}

export function kickUser(p: Panel, userId: number): Promise<boolean> {
  return p.attempt(t("fault.disconnect", { name: title(p, userId) }), p.link.request("POST /dispatch/user/disconnect", { userId }));
}

/** Sets a unit's callsign; "" clears it. */
export function setUserCallsign(p: Panel, userId: number, callsign: string): Promise<boolean> {
  return p.attempt(
    t("fault.callsign", { name: title(p, userId) }),
    userId < 0
      ? p.link.request("POST /dispatch/user/update-callsign", { userId, callsign })
      : p.link.request("POST /dispatch/user/set-player-callsign", { userId, callsign }),
  );
}
