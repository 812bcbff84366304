import type { Ports } from "../ports";

/** Arms an announcement group for the global PTT; null disarms. */
export function activateAnnouncementGroup(p: Ports, groupId: string | null): void {
  if (p.store.now.desk.group === groupId) return;
  p.store.change((s) => ({ ...s, desk: { ...s.desk, group: groupId } }));
  p.link.tell("armAnnouncementGroup", { groupId });
}
