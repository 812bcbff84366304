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

export const channelOf = (radio: Radio, e: TimelineEntry): string => {
  const keyed = e.controlFrequency || e.frequency;
  return keyed ? channelName(radio, homeOf(radio, keyed)) : "";
};

export function toldOf(radio: Radio, me: number, e: TimelineEntry): Told {
  if (e.kind === "transmission") {
    const mine = e.serverId === me;
    return { icon: mine ? "mic" : "play-o", tone: "", who: mine ? t("card.you") : [e.name, e.unitId].filter(Boolean).join(" "), where: channelOf(radio, e) + (e.patchId ? " ⇄" : "") };
  }
  if (e.kind === "patchChanged") return { icon: "patch", tone: "", who: e.detail ?? "", where: (e.frequencies ?? []).map((f) => channelName(radio, f)).join(", ") };
  const line = lineOf(radio, e);
  if (line === null) return { icon: "more", tone: "", who: e.name || e.kind, where: [e.detail, e.reason].filter(Boolean).join(": ") };
  return shown(radio, line, me);
}

/** What an entry says in one breath. */
export function sentence(radio: Radio, me: number, e: TimelineEntry, utc: boolean): string {
  const { who, where } = toldOf(radio, me, e);
  const took = e.durationMs === undefined ? "" : duration(e.durationMs);
  return [clock(e.at + radio.skew, utc), who, where, took, e.transcript ? t("log.quote", { text: e.transcript }) : ""].filter(Boolean).join(" · ");
}
