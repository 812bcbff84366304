import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import type { AutoMonitor } from "../state/desk";
import { alarming, type CloseReason, type Emergency, openEmergencies, recorded } from "../state/emergency";
import { homeOf } from "../state/radio";
import { acknowledgePanic } from "./acknowledge";
import { keyedWith, targetsOf } from "../state/target";
import { activateAnnouncementGroup } from "./group";
import { retune } from "./retune";
import { setTargets, talkHere } from "./target";
import { openDrawer, showChannel } from "./screen";

const find = (p: Ports, id: string): Emergency | undefined => openEmergencies(p.store.now.radio).find((e) => e.id === id);

/** Stops its alarm at every console; the emergency stays open. */
export function acknowledgeEmergency(p: Ports, id: string): Promise<boolean> {
  const e = find(p, id);
  if (!e) return Promise.resolve(false);
  if (!recorded(e)) return acknowledgePanic(p, e.serverId, e.frequency);
  return p.attempt(t("fault.panic", { name: e.name }), p.link.send("acknowledgeEmergency", { id }));
}

/**
 * Takes an emergency: acknowledges it, makes its channel the only PTT target, and
 * shows its unit. Nothing is keyed, and what is on air goes on.
 */
export function answerEmergency(p: Ports, id: string): void {
  const e = find(p, id);
  if (!e) return;
  if (alarming(e)) void acknowledgeEmergency(p, id);
  const home = homeOf(p.store.now.radio, e.frequency);
  const { desk, radio } = p.store.now;
  const before = { targets: targetsOf(desk), group: desk.group };
  const alone = before.group === null && before.targets.length === 1 && before.targets[0] === home;
  if (!alone && radio.channels[home]?.canTransmit) {
    const restore = desk.restore ?? (keyedWith(radio, before).length > 0 ? before : null);
    talkHere(p, home);
    p.store.change((s) => ({ ...s, desk: { ...s.desk, restore } }));
  }
  p.store.change((s) => ({ ...s, screen: { ...s.screen, unit: e.serverId, desk: "units" } }));
  showChannel(p, home);
}

/** Answers the oldest emergency that nobody has acknowledged. */
export function answerNext(p: Ports): void {
  const next = openEmergencies(p.store.now.radio).find(alarming);
  if (next) answerEmergency(p, next.id);
}

/** Acknowledges the oldest emergency that nobody has acknowledged. */
export function acknowledgeNext(p: Ports): void {
  const next = openEmergencies(p.store.now.radio).find(alarming);
  if (next) void acknowledgeEmergency(p, next.id);
}

/** Goes back to what the PTT keyed before an emergency was answered. */
export function restoreTargets(p: Ports): void {
  const { restore } = p.store.now.desk;
  if (!restore) return;
  setTargets(p, restore.targets);
  const known = p.store.now.radio.config?.announcementGroups.some((g) => g.id === restore.group);
  activateAnnouncementGroup(p, known ? restore.group : null);
  p.store.change((s) => ({ ...s, desk: { ...s.desk, restore: null } }));
}

/** Opens the list of all open emergencies: the lane shows only the first of them. */
export function listEmergencies(p: Ports): void {
  p.store.change((s) => ({ ...s, screen: { ...s.screen, listed: s.screen.listed + 1 } }));
}

/** Asks how it ended. */
export function askClose(p: Ports, id: string): void {
  openDrawer(p, { kind: "close", emergency: id });
}

/** Ends an emergency and its panic. */
export function closeEmergency(p: Ports, id: string, reason: CloseReason, note = ""): Promise<boolean> {
  const e = find(p, id);
  if (!e) return Promise.resolve(false);
  if (!recorded(e)) return acknowledgePanic(p, e.serverId, e.frequency);
  return p.attempt(t("fault.panic", { name: e.name }), p.link.send("closeEmergency", { id, reason, ...(note ? { note } : {}) }));
}

/**
 * Opens the channels of emergencies for this desk, and closes them again with the
 * emergency, unless the dispatcher has set them otherwise. Called when the open
 * emergencies have changed.
 */
export function openForEmergencies(p: Ports): void {
  const { radio } = p.store.now;
  const open = openEmergencies(radio);
  retune(p, (desk) => {
    const auto: Record<string, AutoMonitor> = {};
    for (const [f, a] of Object.entries(desk.auto)) if (open.some((e) => e.id === a.emergency)) auto[f] = a;
    for (const e of open) {
      const home = homeOf(radio, e.frequency);
      if (radio.channels[home]) auto[home] ??= { emergency: e.id, touched: desk.auto[home]?.touched ?? false };
    }
    return { ...desk, auto };
  });
}
