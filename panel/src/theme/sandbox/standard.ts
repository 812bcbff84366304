// What happens to a theme that has no test of its own: everything, once.

import { activateAnnouncementGroup } from "../../action/group";
import { joinChannel } from "../../action/join";
import { setCallsign } from "../../action/settings";
import type { Deed, Scenario } from "../../simulation/api";
import { configurationOf } from "../../simulation/configuration";
import demo from "../../simulation/scenarios/demo.json";
import type { Practice } from "./practice";

/** The radio of every run: the demo's units, and nothing happens by itself. */
export const quiet = {
  name: "Theme", about: "", seed: 1, clock: "2026-03-14T14:28:00Z",
  desk: { callsign: "DISPATCH", joined: "LSPD DISP", scans: ["BCSO DISP", "FIRE DISP", "EMS DISP", "CALLING"] },
  units: demo.units, steps: [],
} as unknown as Scenario;

interface Step {
  says: string;
  do: (p: Practice) => unknown;
  /** Seconds until the next step. */
  then: number;
}

const unit = (says: string, id: number | undefined, deed: Deed, then: number): Step => ({ says, do: (p) => p.do(deed, id), then });
const desk = (says: string, f: (p: Practice) => unknown, then: number): Step => ({ says, do: f, then });

/** The demo radio with a channel and an alert less. */
function changed(): unknown {
  const config = structuredClone(configurationOf(undefined)) as { alerts: unknown[]; zones: { channels: unknown[] }[] };
  config.alerts.pop();
  config.zones[0]!.channels.pop();
  return config;
}

/** Everything that can happen on a radio, once. */
export const standard: readonly Step[] = [
  unit("1-ADAM-12 talks on the channel spoken on", 12, { do: "talk", for: 4 }, 1),
  desk("this console keys up while the channel is busy", (p) => p.panel.sound.press({ kind: "global" }), 0.5),
  desk("and releases", (p) => p.panel.sound.release(), 4),
  unit("SHERIFF 31 talks on a monitored channel", 31, { do: "talk", for: 2 }, 3),
  desk("this console talks", (p) => p.panel.sound.press({ kind: "global" }), 2),
  desk("and releases", (p) => p.panel.sound.release(), 1),
  desk("this console talks on one channel", (p) => p.panel.sound.press({ kind: "channel", frequency: p.control.channel("FIRE DISP") ?? "" }), 1),
  desk("and releases", (p) => p.panel.sound.release(), 1),
  unit("SIGNAL 3 is raised", undefined, { do: "alert", alert: "SIGNAL 3", channel: "BCSO DISP" }, 2),
  unit("and cleared", undefined, { do: "clear", channel: "BCSO DISP" }, 1),
  unit("1-ADAM-14 raises panic", 14, { do: "panic" }, 2),
  unit("another dispatcher acknowledges it", -2, { do: "acknowledge", who: 14 }, 1),
  unit("1-ADAM-14 ends it", 14, { do: "calm" }, 1),
  unit("another dispatcher closes it", -2, { do: "close", who: 14 }, 1),
  unit("two channels are patched", -2, { do: "patch", channels: ["BCSO DISP", "LSPD TAC 1"], label: "Route 68" }, 1),
  unit("SHERIFF 33 talks in the patch", 33, { do: "talk", for: 2 }, 3),
  unit("the patch is removed", -2, { do: "unpatch", label: "Route 68" }, 1),
  desk("an announcement group is armed", (p) => activateAnnouncementGroup(p.panel, p.panel.store.now.radio.config?.announcementGroups[0]?.id ?? null), 1),
  desk("and keyed", (p) => p.panel.sound.press({ kind: "global" }), 1),
  desk("and released", (p) => p.panel.sound.release(), 1),
  desk("and disarmed", (p) => activateAnnouncementGroup(p.panel, null), 1),
  unit("1-LINCOLN-21 changes its channel", 21, { do: "join", channel: "LSPD DISP" }, 1),
  unit("MEDIC 9 switches off", 52, { do: "off" }, 1),
  unit("and on", 52, { do: "on" }, 1),
  unit("a broadcast to everybody", -2, { do: "broadcast", message: "Road closed" }, 1),
  desk("this console speaks on another channel", (p) => joinChannel(p.panel, p.control.channel("FIRE DISP") ?? ""), 1),
  desk("under another callsign", (p) => setCallsign(p.panel, "CONTROL"), 1),
  unit("the link is lost for 8 seconds", undefined, { do: "link", down: 8 }, 10),
  desk("the operator changes the configuration", (p) => p.control.configure(changed()), 2),
];
