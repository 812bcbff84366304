import type { Ports } from "../../ports";
import { define } from "../define";
import { activateAnnouncementGroup } from "../group";
import { addScan, cyclePriority, removeScan, toggleScan } from "../scan";
import { addTarget, clearTargets, removeTarget, setTargets, talkHere, toggleTarget } from "../target";

const channel = { kind: "channel" } as const;
const talks = (p: Ports, a: { channel: string }): boolean => p.store.now.radio.channels[a.channel]?.canTransmit === true;

/** What push-to-talk keys, and what is heard. */
export const talk = [
  define({ id: "talk.here", args: { channel }, enabled: talks, run: (p, a) => talkHere(p, a.channel) }),
  define({ id: "target.add", args: { channel }, enabled: talks, run: (p, a) => addTarget(p, a.channel) }),
  define({ id: "target.remove", args: { channel }, run: (p, a) => removeTarget(p, a.channel) }),
  define({ id: "target.toggle", args: { channel }, enabled: talks, run: (p, a) => toggleTarget(p, a.channel) }),
  define({ id: "target.set", args: { channels: { kind: "channel", many: 1 } }, run: (p, a) => setTargets(p, a.channels) }),
  define({ id: "target.clear", args: {}, run: clearTargets }),
  define({ id: "group.arm", args: { group: { kind: "group" } }, run: (p, a) => activateAnnouncementGroup(p, a.group) }),
  define({ id: "group.disarm", args: {}, run: (p) => activateAnnouncementGroup(p, null) }),
  define({ id: "monitor.on", args: { channel }, run: (p, a) => a.channel in p.store.now.desk.scans || addScan(p, a.channel) }),
  define({ id: "monitor.off", args: { channel }, run: (p, a) => removeScan(p, a.channel) }),
  define({ id: "monitor.toggle", args: { channel }, run: (p, a) => toggleScan(p, a.channel) }),
  define({
    id: "monitor.priority",
    args: { channel, priority: { kind: "choice", of: ["0", "1", "2"], optional: true } },
    run: (p, a) => (a.priority === undefined ? cyclePriority(p, a.channel) : addScan(p, a.channel, Number(a.priority) as 0 | 1 | 2)),
  }),
];
