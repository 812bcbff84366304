// An entry of the timeline in words and symbols: those of the log.
import { t } from "../../i18n/language.svelte";
import { channelName, homeOf, type Radio } from "../../state/radio";
import type { TimelineEntry } from "../../timeline/api";
import { lineOf } from "../../timeline/entry";
import { clock, duration } from "../clock.svelte";
import { shown } from "../rail/lines";

export interface Told {
  icon: string;
  tone: "tx" | "em" | "ack" | "al" | "rx" | "";
  who: string;
  where: string;
}

const dots = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(" · ");

/** What an incident review shows and the log does not. */
const ours: Record<string, (radio: Radio, e: TimelineEntry) => Partial<Told>> = {
  patchChanged: (radio, e) => ({ icon: "patch", who: e.detail ?? "", where: (e.frequencies ?? []).map((f) => channelName(radio, f)).join(", ") }),
  override: (radio, e) => ({
    icon: "mic",
    who: e.byName || e.name || "",
    where: dots(e.reason === "hotmic" ? t("incident.hotMic") : e.serverId && e.name ? t("incident.over", { name: e.name }) : t("incident.override"), channelOf(radio, e)),
  }),
  connected: () => ({ icon: "unit", where: t("incident.connected") }),
  left: () => ({ icon: "x", where: t("incident.left") }),
  nac: (_, e) => ({ icon: "lock", where: dots(t(e.reason === "cleared" ? "incident.nacCleared" : "incident.nacSet"), e.byName) }),
  config: (_, e) => ({ icon: "cog", who: t("incident.config"), where: e.byName ?? "" }),
  login: (_, e) => ({ icon: "unit", who: e.byName || e.name || "", where: dots(t("incident.login"), area(e)) }),
  logout: (_, e) => ({ icon: "x", who: e.byName || e.name || "", where: dots(t("incident.logout"), area(e)) }),
  loginRefused: (_, e) => ({ icon: "lock", who: e.byName || t("incident.somebody"), where: dots(t("incident.refused"), e.reason === "lockedOut" ? t("incident.lockedOut") : "", area(e)) }),
  health: (_, e) => ({ icon: "alert", who: e.detail === "storage" ? t("incident.storage") : e.detail === "timeline" ? t("incident.strip") : (e.detail ?? ""), where: e.reason || t("incident.well") }),
};
const area = (e: TimelineEntry): string => (e.detail === "admin" ? t("incident.admin") : "");

/** Whether an entry is shown: some only repeat another one, such as the callsign of a console that has just signed in. */
export const isTold = (radio: Radio, e: TimelineEntry): boolean => e.kind === "transmission" || e.kind in ours || lineOf(radio, e) !== null;

export const channelOf = (radio: Radio, e: TimelineEntry): string => {
  const keyed = e.controlFrequency || e.frequency;
  return keyed ? channelName(radio, homeOf(radio, keyed)) : "";
};

export function toldOf(radio: Radio, me: number, e: TimelineEntry): Told {
  if (e.kind === "transmission") {
    const mine = e.serverId === me;
    return { icon: mine ? "mic" : "mic-o", tone: "", who: mine ? t("card.you") : [e.name, e.unitId].filter(Boolean).join(" "), where: dots(channelOf(radio, e) + (e.patchId ? " ⇄" : ""), isCut(e) ? t("log.cut") : "") };
  }
  const line = lineOf(radio, e);
  if (line !== null) return shown(radio, line, me);
  const own = ours[e.kind]?.(radio, e);
  return { tone: "", icon: own?.icon ?? "list", who: own?.who ?? e.name ?? "", where: own?.where ?? "" };
}

const isCut = (e: TimelineEntry): boolean => e.cut === true || e.recording?.cut === true;

/** How long it took; of one whose end is missing as long as its recording, if that is longer. */
export const lengthOf = (e: TimelineEntry): number | undefined => (isCut(e) && e.recording ? Math.max(e.durationMs ?? 0, e.recording.durationMs) : e.durationMs);

/** What an entry says in one breath. */
export function sentence(radio: Radio, me: number, e: TimelineEntry, utc: boolean): string {
  const { who, where } = toldOf(radio, me, e);
  const length = lengthOf(e);
  const took = length === undefined ? "" : duration(length);
  return [clock(e.at + radio.skew, utc), who, where, took, e.transcript ? t("log.quote", { text: e.transcript }) : ""].filter(Boolean).join(" · ");
}
