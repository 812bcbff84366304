import type { Panel } from "../panel";

/** Makes a channel the one to speak on. Its scan is kept for when it is left. */
export function joinChannel(p: Panel, frequency: string): void {
  const before = p.store.now.desk.joined;
  if (before === frequency) return;
  p.store.change((s) => ({ ...s, desk: { ...s.desk, joined: frequency } }));
  p.link.tell("setSpeakerChannel", frequency);
  hearAgain(p, before);
}

export function leaveChannel(p: Panel): void {
  const before = p.store.now.desk.joined;
  if (!before) return;
  p.store.change((s) => ({ ...s, desk: { ...s.desk, joined: null } }));
  p.link.tell("setSpeakerChannel", null as unknown as string); // null leaves
  hearAgain(p, before);
}

/** A channel that is scanned or selected is still heard after it is left. */
function hearAgain(p: Panel, frequency: string | null): void {
  const { desk } = p.store.now;
  if (frequency && (frequency in desk.scans || desk.selected.includes(frequency))) p.link.tell("addListeningChannel", frequency);
}
