import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import { homeOf, nameOf } from "../state/radio";
import type { Undo } from "../state/state";

const title = (p: Ports, id: number): string => nameOf(p.store.now.radio, id);

/** How long a move can be taken back, ms. */
const undoFor = 8_000;

/** Moves a unit to a channel. For a while it can be taken back. */
export async function switchUserChannel(p: Ports, serverId: number, frequency: string, oldFrequency: string | null): Promise<boolean> {
  const from = oldFrequency && homeOf(p.store.now.radio, oldFrequency);
  if (from === frequency) return true;
  const moved = await move(p, serverId, frequency, oldFrequency);
  if (moved && from) offer(p, { unit: serverId, to: frequency, from });
  return moved;
}

function move(p: Ports, serverId: number, frequency: string, oldFrequency: string | null): Promise<boolean> {
  return p.attempt(
    t("fault.move", { name: title(p, serverId) }),
    p.link.request("POST /radio/dispatch/switchChannel", { serverId, frequency, oldFrequency }),
  );
}

function offer(p: Ports, undo: Undo): void {
  p.store.change((s) => ({ ...s, screen: { ...s.screen, undo } }));
  setTimeout(() => p.store.now.screen.undo === undo && forget(p), undoFor);
}

function forget(p: Ports): void {
  p.store.change((s) => ({ ...s, screen: { ...s.screen, undo: null } }));
}

/** Takes the last move back. */
export async function undoMove(p: Ports): Promise<boolean> {
  const { undo } = p.store.now.screen;
  if (!undo) return false;
  forget(p);
  return move(p, undo.unit, undo.from, undo.to);
}

/** Sends a text to one unit. */
export function alertUser(p: Ports, userId: number, message: string, frequency: string | null): Promise<boolean> {
  return p.attempt(
    t("fault.message", { name: title(p, userId) }),
    p.link.request("POST /dispatch/user/alert", { userId, message, ...(frequency ? { frequency } : {}) }),
  );
}

export function kickUser(p: Ports, userId: number): Promise<boolean> {
  return p.attempt(t("fault.disconnect", { name: title(p, userId) }), p.link.request("POST /dispatch/user/disconnect", { userId }));
}

/** Sets a unit's callsign; "" clears it. */
export function setUserCallsign(p: Ports, userId: number, callsign: string): Promise<boolean> {
  return p.attempt(
    t("fault.callsign", { name: title(p, userId) }),
    userId < 0
      ? p.link.request("POST /dispatch/user/update-callsign", { userId, callsign })
      : p.link.request("POST /dispatch/user/set-player-callsign", { userId, callsign }),
  );
}
