import { levelOf } from "../../state/desk";
import { acknowledgeAlert, acknowledgeAlerts } from "../acknowledge";
import { clearAlert, triggerAlert } from "../alert";
import { define } from "../define";
import { setLevel, stepVolume } from "../level";
import { recall, stopRecall } from "../recall";
import { openDrawer, showChannel } from "../screen";
import { playTone } from "../tone";

const channel = { kind: "channel" } as const;
/** How much one press of a key changes a volume. */
const volumeStep = 0.1;

/** One channel: its level, its card, its recall, and what is sent on it. */
export const channels = [
  define({ id: "channel.show", args: { channel }, run: (p, a) => showChannel(p, a.channel) }),
  define({ id: "channel.drawer", args: { channel }, run: (p, a) => openDrawer(p, { kind: "channel", frequency: a.channel }) }),
  define({
    id: "channel.mute",
    args: { channel, muted: { kind: "flag", optional: true } },
    run: (p, a) => setLevel(p, a.channel, { muted: a.muted ?? !levelOf(p.store.now.desk, a.channel).muted }),
  }),
  define({
    id: "channel.volume",
    args: { channel, percent: { kind: "number", least: 0, most: 100 } },
    run: (p, a) => setLevel(p, a.channel, { volume: a.percent / 100 }),
  }),
  define({ id: "channel.louder", args: { channel }, run: (p, a) => stepVolume(p, a.channel, volumeStep) }),
  define({ id: "channel.quieter", args: { channel }, run: (p, a) => stepVolume(p, a.channel, -volumeStep) }),
  define({
    id: "channel.balance",
    args: { channel, percent: { kind: "number", least: -100, most: 100 } },
    run: (p, a) => setLevel(p, a.channel, { pan: a.percent / 100 }),
  }),
  define({
    id: "recall.play",
    args: { channel: { ...channel, optional: true }, seconds: { kind: "seconds", least: 1, most: 60, optional: true } },
    run: (p, a) => recall(p, a.channel ?? null, a.seconds),
  }),
  define({ id: "recall.stop", args: {}, run: stopRecall }),
  define({ id: "alert.raise", args: { alert: { kind: "alert" }, channel }, run: (p, a) => triggerAlert(p, a.channel, a.alert) }),
  define({ id: "alert.clear", args: { channel }, enabled: (p, a) => a.channel in p.store.now.radio.alerts, run: (p, a) => clearAlert(p, a.channel) }),
  define({
    id: "alert.acknowledge",
    args: { channel },
    enabled: (p, a) => a.channel in p.store.now.radio.alerts,
    run: (p, a) => acknowledgeAlert(p, a.channel),
  }),
  define({ id: "alert.acknowledge-all", args: {}, run: acknowledgeAlerts }),
  define({ id: "tone.send", args: { tone: { kind: "tone" }, channel }, run: (p, a) => playTone(p, a.channel, a.tone) }),
];
