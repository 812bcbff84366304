import type { Panel } from "../panel";

/** Arms an announcement group for the global PTT; null disarms. */
export function activateAnnouncementGroup(p: Panel, groupId: string | null): void {
  if (p.store.now.desk.group === groupId) return;
  p.store.change((s) => ({ ...s, desk: { ...s.desk, group: groupId } }));
  p.link.tell("armAnnouncementGroup", { groupId });
}
