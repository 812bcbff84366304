import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import { addEntry } from "../state/log";
import { nameOf } from "../state/radio";

/** Marks the alert as seen at this desk; it stays active. */
export function acknowledgeAlert(p: Ports, frequency: string): void {
  p.store.change((s) => {
    const alert = s.radio.alerts[frequency];
    if (!alert) return s;
    const { me } = s.session;
    const radio = addEntry(s.radio, {
      id: `alertSeen-${frequency}-${alert.since}`, what: "alertSeen", at: p.link.now(), serverId: null, name: "", frequency,
      by: me, byName: nameOf(s.radio, me), detail: alert.config.name,
    });
    return { ...s, radio: { ...radio, alerts: { ...radio.alerts, [frequency]: { ...alert, seen: true } } } };
  });
}

/** Takes care of a panic: it ends everywhere, and everybody sees who did it. */
export function acknowledgePanic(p: Ports, id: number, frequency?: string): Promise<boolean> {
  return p.attempt(
    t("fault.panic", { name: nameOf(p.store.now.radio, id) }),
    p.link.send("acknowledgePanic", frequency === undefined ? { serverId: id } : { serverId: id, frequency }),
  );
}

export function dismissNotice(p: Ports, id: number): void {
  p.store.change((s) => ({ ...s, radio: { ...s.radio, notices: s.radio.notices.filter((n) => n.id !== id) } }));
}

/** Acknowledges all alerts and notices at this desk. Emergencies never: each is taken by itself. */
export function acknowledgeAlerts(p: Ports): void {
  const { alerts, notices } = p.store.now.radio;
  for (const frequency of Object.keys(alerts)) acknowledgeAlert(p, frequency);
  for (const n of notices) dismissNotice(p, n.id);
}
