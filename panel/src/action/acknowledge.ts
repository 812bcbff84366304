import { t } from "../i18n/language.svelte";
import type { Panel } from "../panel";
import { nameOf } from "../state/radio";

/** Marks the alert as seen at this desk; it stays active. */
export function acknowledgeAlert(p: Panel, frequency: string): void {
  p.store.change((s) => {
    const alert = s.radio.alerts[frequency];
    if (!alert) return s;
    return { ...s, radio: { ...s.radio, alerts: { ...s.radio.alerts, [frequency]: { ...alert, seen: true } } } };
  });
}

/** Takes care of a panic: it ends everywhere, and everybody sees who did it. */
export function acknowledgePanic(p: Panel, id: number, frequency?: string): Promise<boolean> {
  return p.attempt(
    t("fault.panic", { name: nameOf(p.store.now.radio, id) }),
    p.link.send("acknowledgePanic", frequency === undefined ? { serverId: id } : { serverId: id, frequency }),
  );
}

export function dismissNotice(p: Panel, id: number): void {
  p.store.change((s) => ({ ...s, radio: { ...s.radio, notices: s.radio.notices.filter((n) => n.id !== id) } }));
}

/** Acknowledges everything that is unacknowledged at this desk, panics first. */
export async function acknowledgeAll(p: Panel): Promise<void> {
  const { panics, alerts, notices } = p.store.now.radio;
  for (const id of new Set(panics.map((x) => x.id))) await acknowledgePanic(p, id);
  for (const frequency of Object.keys(alerts)) acknowledgeAlert(p, frequency);
  for (const n of notices) dismissNotice(p, n.id);
}
