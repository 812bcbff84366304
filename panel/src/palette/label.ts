// What the actions are called, in the dispatcher's language.

import type { Args } from "../action/schema";
import type { Key } from "../i18n/en";
import { t, tx } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import { openEmergencies } from "../state/emergency";
import { channelName, nameOf } from "../state/radio";

/** Stands for what is still to be chosen. */
const open = "…";

type Fill = Record<string, string | number>;
type Label = Key | ((fill: Fill, a: Args) => string);

/** The key of a choice's word, in a family of the catalogue. */
const word = (family: string, value: unknown): string => (value === undefined ? open : tx(`${family}.${String(value)}`));

const labels: Record<string, Label> = {
  "talk.here": "cmd.speak",
  "target.add": "cmd.select",
  "target.remove": "cmd.unselect",
  "target.toggle": "cmd.select",
  "target.set": "cmd.setTargets",
  "target.clear": "cmd.clearTargets",
  "group.arm": "cmd.arm",
  "group.disarm": "cmd.disarmAny",
  "monitor.on": "cmd.scan",
  "monitor.off": "cmd.unscan",
  "monitor.toggle": "cmd.scan",
  "monitor.priority": (f, a) => (a["priority"] === undefined ? t("cmd.priority", f) : t("cmd.priorityTo", { ...f, n: String(a["priority"]) })),
  "channel.show": "cmd.show",
  "channel.drawer": "cmd.drawer",
  "channel.mute": (f, a) => t(a["muted"] === undefined ? "cmd.muteToggle" : a["muted"] ? "cmd.mute" : "cmd.unmute", f),
  "channel.volume": "cmd.volume",
  "channel.louder": "cmd.louder",
  "channel.quieter": "cmd.quieter",
  "channel.balance": "cmd.balance",
  "recall.play": (f, a) => {
    if (a["channel"] === undefined) return t("cmd.replayAll", f);
    return a["seconds"] === undefined ? t("cmd.replay", f) : t("cmd.replayLast", f);
  },
  "recall.stop": "cmd.replayStop",
  "alert.raise": "cmd.alert",
  "alert.clear": "cmd.clearAlert",
  "alert.acknowledge": "cmd.ackAlert",
  "alert.acknowledge-all": "cmd.ackAll",
  "tone.send": "cmd.tone",
  "emergency.answer": (f, a) => (a["emergency"] === undefined ? t("cmd.answer") : t("cmd.answerOf", f)),
  "emergency.acknowledge": (f, a) => (a["emergency"] === undefined ? t("cmd.ack") : t("cmd.ackOf", f)),
  "emergency.list": "cmd.emergencies",
  "emergency.ask-close": "cmd.close",
  "emergency.close": (f, a) => t("cmd.closeAs", { ...f, reason: word("emergency.reason", a["reason"]) }),
  "emergency.restore": "cmd.restore",
  "unit.panic": "cmd.panic",
  "unit.open": "cmd.unit",
  "unit.move": "cmd.moveUnit",
  "unit.follow": "cmd.follow",
  "unit.unfollow": "cmd.unfollow",
  "unit.text": "cmd.text",
  "unit.callsign": "cmd.callsignOf",
  "unit.disconnect": "cmd.disconnect",
  "broadcast.open": (f, a) => (a["channel"] === undefined ? t("cmd.broadcast") : t("cmd.broadcastOn", f)),
  "broadcast.send": "cmd.broadcastText",
  "patch.open": (f, a) => (a["channel"] === undefined ? t("patch.new") : t("cmd.patchWith", f)),
  "patch.create": "cmd.patch",
  "patch.end": "cmd.unpatch",
  "zone.show": "cmd.zone",
  "filter.set": (_, a) => t("cmd.filter", { name: word("filter", a["filter"]) }),
  "layout.use": "cmd.layout",
  "layout.save": "cmd.layoutSave",
  "zoom.set": "cmd.zoom",
  "zoom.larger": "zoom.larger",
  "zoom.smaller": "zoom.smaller",
  "zoom.fit": "cmd.zoomFit",
  "look.set": (_, a) => t("cmd.look", { name: word("look", a["look"]) }),
  "theme.set": (f, a) => t("cmd.theme", { ...f, ...(a["theme"] === "" ? { name: t("settings.themeNone") } : {}) }),
  "density.set": (_, a) => t("cmd.density", { name: word("density", a["density"]) }),
  "language.set": (_, a) => t("cmd.language", { name: word("language", a["language"]) }),
  "latch.toggle": "cmd.latch",
  "callsign.set": "cmd.callsign",
  "settings.open": "cmd.settings",
  "incident.open": "cmd.incident",
  "incident.close": "cmd.incidentClose",
  "keys.open": "cmd.keys",
  "palette.open": "palette.title",
  "drawer.close": "cmd.drawerClose",
  logout: "status.logout",
};

/** The action in words. An argument that is not there yet is "…". */
export function labelOf(p: Ports, id: string, a: Args = {}): string {
  const label = labels[id];
  if (label === undefined) return id;
  const fill = fillOf(p, a);
  const text = typeof label === "function" ? label(fill, a) : t(label, fill);
  return text.replace("……", open); // still to be chosen, and opens a form
}

/** Every blank that a label may have. */
function fillOf(p: Ports, a: Args): Fill {
  const { radio } = p.store.now;
  const text = (v: unknown): string => (v === undefined ? open : String(v));
  const channel = (v: unknown): string => (typeof v === "string" ? channelName(radio, v) : open);
  const all = Array.isArray(a["channels"]) ? a["channels"].map(channel) : [];
  const unit = a["unit"];
  const emergency = openEmergencies(radio).find((e) => e.id === a["emergency"]);
  const named = () => {
    if (typeof unit === "number") return nameOf(radio, unit);
    if (emergency) return emergency.name;
    if (a["group"] !== undefined) return radio.config?.announcementGroups.find((g) => g.id === a["group"])?.name ?? text(a["group"]);
    if (a["zone"] === "") return t("zones.all");
    if (a["zone"] !== undefined) return radio.zones.find((z) => z.id === a["zone"])?.name ?? text(a["zone"]);
    if (a["theme"] !== undefined) return radio.config?.themes.find((x) => x.slug === a["theme"])?.name ?? text(a["theme"]);
    return text(a["layout"]);
  };
  return {
    channel: channel(a["channel"]),
    channels: [...all, ...(all.length < 2 ? [open] : [])].join(" + "),
    name: named(),
    alert: text(a["alert"]),
    tone: text(a["tone"]),
    label: radio.patches.find((x) => x.id === a["patch"])?.label ?? text(a["patch"]),
    text: text(a["text"] ?? a["callsign"] ?? a["name"]),
    n: text(a["seconds"] ?? a["percent"]),
    percent: text(a["percent"]),
  };
}
