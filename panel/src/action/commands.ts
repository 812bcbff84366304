import { t } from "../i18n/language.svelte";
import type { Panel } from "../panel";
import { looks } from "../state/desk";
import { channelName, channelsOf, nameOf } from "../state/radio";
import { unitsOnAir } from "../state/traffic";
import { acknowledgeAll } from "./acknowledge";
import { clearAlert, triggerAlert } from "./alert";
import { activateAnnouncementGroup } from "./group";
import { joinChannel, leaveChannel } from "./join";
import { logout } from "./login";
import { removePatch } from "./patch";
import { recall, recallTimes, stopRecall } from "./recall";
import { addScan, removeScan } from "./scan";
import { open } from "./screen";
import { toggleSelected } from "./select";
import { updateSettings } from "./settings";

/** One line of the command palette. */
export interface Command {
  id: string;
  label: string;
  run: () => unknown;
}

/** Everything that can be done at this moment. */
export function commands(p: Panel): Command[] {
  const all: Command[] = [
    { id: "ack", label: t("cmd.ackAll"), run: () => acknowledgeAll(p) },
    { id: "broadcast", label: t("more.broadcast"), run: () => open(p, "broadcast") },
    ...recallTimes.map((n) => ({ id: `recall-${n}`, label: t("recall.all", { n }), run: () => recall(p, null, n) })),
    { id: "recall-stop", label: t("recall.stop"), run: () => stopRecall(p) },
    { id: "patch", label: t("patch.new"), run: () => open(p, "patch") },
    { id: "settings", label: t("status.settings"), run: () => open(p, "settings") },
    { id: "keys", label: t("keys.title"), run: () => open(p, "keys") },
    { id: "logout", label: t("status.logout"), run: () => logout(p) },
  ];
  const last = all.splice(-3);
  return [...all, ...ofChannels(p), ...ofAlerts(p), ...ofGroups(p), ...ofUnits(p), ...ofLooks(p), ...last];
}

function ofChannels(p: Panel): Command[] {
  const { radio, desk } = p.store.now;
  return channelsOf(radio).flatMap((c): Command[] => {
    const f = c.frequency;
    const channel = c.name;
    const joined = desk.joined === f;
    const selected = desk.selected.includes(f);
    const out: Command[] = [
      {
        id: `speak-${f}`,
        label: joined ? t("cmd.leave", { channel }) : t("cmd.speak", { channel }),
        run: () => (joined ? leaveChannel(p) : joinChannel(p, f)),
      },
      {
        id: `scan-${f}`,
        label: f in desk.scans ? t("cmd.unscan", { channel }) : t("cmd.scan", { channel }),
        run: () => (f in desk.scans ? removeScan(p, f) : addScan(p, f)),
      },
    ];
    out.push(...recallTimes.map((n) => ({ id: `recall-${n}-${f}`, label: t("recall.again", { channel, n }), run: () => recall(p, f, n) })));
    if (c.canTransmit) {
      out.push({
        id: `select-${f}`,
        label: selected ? t("cmd.unselect", { channel }) : t("cmd.select", { channel }),
        run: () => toggleSelected(p, f),
      });
    }
    return out;
  });
}

function ofAlerts(p: Panel): Command[] {
  const { radio } = p.store.now;
  const clear = Object.values(radio.alerts).map((a) => ({
    id: `clear-${a.frequency}`,
    label: t("cmd.clear", { alert: a.config.name, channel: channelName(radio, a.frequency) }),
    run: () => clearAlert(p, a.frequency),
  }));
  const raise = (radio.config?.alerts ?? []).flatMap((a) =>
    channelsOf(radio).map((c) => ({
      id: `alert-${a.name}-${c.frequency}`,
      label: t("cmd.alert", { alert: a.name, channel: c.name }),
      run: () => triggerAlert(p, c.frequency, a.name),
    })),
  );
  return [...clear, ...raise];
}

function ofGroups(p: Panel): Command[] {
  const { radio, desk } = p.store.now;
  const groups = (radio.config?.announcementGroups ?? []).map((g) => ({
    id: `group-${g.id}`,
    label: desk.group === g.id ? t("cmd.disarm", { name: g.name }) : t("cmd.arm", { name: g.name }),
    run: () => activateAnnouncementGroup(p, desk.group === g.id ? null : g.id),
  }));
  const patches = radio.patches.map((x) => ({
    id: `unpatch-${x.id}`,
    label: t("cmd.unpatch", { label: x.label }),
    run: () => removePatch(p, x.id),
  }));
  return [...groups, ...patches];
}

function ofUnits(p: Panel): Command[] {
  const { radio } = p.store.now;
  return unitsOnAir(radio, "").map((u) => ({
    id: `unit-${u.id}`,
    label: t("cmd.unit", { name: nameOf(radio, u.id) }),
    run: () => open(p, "unit", { id: u.id, ...(u.frequency ? { frequency: u.frequency } : {}) }),
  }));
}

function ofLooks(p: Panel): Command[] {
  return looks.map((look) => ({
    id: `look-${look}`,
    label: t("cmd.look", { name: t(`look.${look}`) }),
    run: () => updateSettings(p, { look }),
  }));
}

/** The commands in which every word occurs; those in which words begin with them come first. */
export function matching(all: Command[], search: string): Command[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (c: Command): number => {
    const label = c.label.toLowerCase();
    if (!words.every((w) => label.includes(w))) return -1;
    return words.filter((w) => label.startsWith(w) || label.includes(` ${w}`)).length;
  };
  return all
    .map((c) => ({ c, rank: rank(c) }))
    .filter((x) => x.rank >= 0)
    .sort((a, b) => b.rank - a.rank)
    .map((x) => x.c);
}
