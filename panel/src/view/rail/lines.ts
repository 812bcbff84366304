import type { Key } from "../../i18n/en";
import { t } from "../../i18n/language.svelte";
import { recorderWords } from "../../i18n/recorder";
import type { LogEntry, LogKind } from "../../state/entry";
import { openEmergencies } from "../../state/emergency";
import { kindOf } from "../../state/log";
import { channelName, homeOf, nameOf, type Radio, type Transmission } from "../../state/radio";
import { stampOf, wordsOf } from "../../timeline/search";
import type { RecordingInfo } from "../../wire.gen";

/** What a line of the log plays again. */
export interface Replay {
  /** The configured channels on which it was said. */
  channels: readonly string[];
  talker: number;
  from: number;
  to: number;
  /** Its transmissions of the log. */
  ids: readonly string[];
  /** The id of its recording, and what the recorder has of it, as far as the server has told. */
  told: string | undefined;
  recording: RecordingInfo | undefined;
}

/** A line of the log as it is drawn, in the words of the moment at which it was first drawn. */
export interface Line {
  id: string;
  kind: LogKind;
  /** How it is coloured, and its symbol. */
  tone: "rx" | "tx" | "em" | "ack" | "al" | "";
  icon: string;
  at: number;
  who: string;
  /** Beside the name, not shown: unit id. */
  unit: string;
  where: string;
  /** What was said, as a transcriber has understood it. */
  said: string;
  /** Its end is missing: nobody knows when it was, or the recording stops before. */
  cut: boolean;
  /** How long it took, ms; null: it goes on, and is timed from at; undefined: it has no length. */
  took: number | null | undefined;
  /** It is an emergency that is open. */
  open: boolean;
  replay: Replay | null;
}

/** Transmissions of one unit that begin within so many ms are one: it keyed several channels, or a patch. */
const together = 250;

/** The log's lines, the newest first: transmissions and everything else. A line whose entry has not changed is the same object. */
export class Lines {
  #key: readonly unknown[] = [];
  #made = new WeakMap<object, { of: readonly unknown[]; line: Line }>();

  of(radio: Radio, me: number, language: string): Line[] {
    const key = [radio.channels, me, me && nameOf(radio, me), language];
    if (key.some((x, i) => x !== this.#key[i])) this.#made = new WeakMap();
    this.#key = key;
    const open = new Set(openEmergencies(radio).map((x) => `${x.serverId} ${homeOf(radio, x.frequency)}`));
    const out: Line[] = [];
    let e = 0;
    const entriesUntil = (at: number): void => {
      for (; e < radio.entries.length && radio.entries[e]!.at >= at; e++) out.push(this.#entry(radio, radio.entries[e]!, me, open));
    };
    for (let i = 0; i < radio.log.length; ) {
      const first = radio.log[i]!;
      entriesUntil(first.startedAt);
      const all = [first];
      for (i++; i < radio.log.length && sameVoice(first, radio.log[i]!); i++) all.push(radio.log[i]!);
      out.push(this.#voice(radio, all, me));
    }
    entriesUntil(-Infinity);
    return out;
  }

  #voice(radio: Radio, all: readonly Transmission[], me: number): Line {
    const first = all.at(-1)!; // the others may still come
    return this.#once(first, all, () => {
      // An id is given again: what the server tells may be of another console that had it.
      const mine = first.serverId === me && (!first.told || first.name === nameOf(radio, me));
      const channels = [...new Set(all.map((x) => x.controlFrequency ?? homeOf(radio, x.frequency)))];
      const live = first.endedAt === null;
      const kept = all.find((x) => x.recording) ?? all.find((x) => x.told);
      const cut = all.some((x) => x.cut || x.recording?.cut);
      return {
        id: first.id,
        kind: "voice",
        tone: !live ? "" : mine ? "tx" : "rx",
        icon: mine ? "mic" : "play",
        at: first.startedAt,
        who: mine ? t("card.you") : first.name,
        unit: first.unitId ?? "",
        where: channels.map((f) => channelName(radio, f)).join(", ") + (first.patchId ? " ⇄" : ""),
        said: all.find((x) => x.transcript)?.transcript ?? "",
        cut,
        took: live ? null : Math.max(first.durationMs, (cut && kept?.recording?.durationMs) || 0),
        open: false,
        replay: {
          channels, talker: first.serverId, from: first.startedAt, to: first.endedAt ?? Infinity,
          ids: all.map((x) => x.id), told: kept?.told, recording: kept?.recording,
        },
      };
    });
  }

  #entry(radio: Radio, e: LogEntry, me: number, open: ReadonlySet<string>): Line {
    const isOpen = e.what === "raised" && open.has(`${e.serverId} ${e.frequency}`) && newest(radio, e);
    const over = e.what === "raised" && !isOpen ? endOf(radio, e) : undefined;
    return this.#once(e, [e, isOpen, over], () => ({
      id: e.id,
      kind: kindOf(e.what),
      at: e.at,
      unit: "",
      said: "",
      cut: false,
      took: undefined,
      open: isOpen,
      replay: null,
      ...shown(radio, e, me),
      ...(e.what === "raised" ? { took: isOpen ? null : over && over - e.at, tone: isOpen ? ("em" as const) : ("ack" as const) } : {}),
    }));
  }

  #once(by: object, of: readonly unknown[], make: () => Line): Line {
    const known = this.#made.get(by);
    if (known && known.of.length === of.length && known.of.every((x, i) => x === of[i])) return known.line;
    const line = make();
    this.#made.set(by, { of, line });
    return line;
  }
}

function sameVoice(a: Transmission, b: Transmission): boolean {
  return a.serverId === b.serverId && a.startedAt - b.startedAt <= together && (a.endedAt === null) === (b.endedAt === null) && a.frequency !== b.frequency;
}

/** Whether nobody raised it again since. */
function newest(radio: Radio, e: LogEntry): boolean {
  return radio.entries.find((x) => x.what === "raised" && x.serverId === e.serverId && x.frequency === e.frequency) === e;
}

/** When an emergency was over: the first end of it after that. */
function endOf(radio: Radio, e: LogEntry): number | undefined {
  return radio.entries.findLast((x) => x.at >= e.at && x.serverId === e.serverId && x.frequency === e.frequency && (x.what === "closed" || x.what === "ended"))?.at;
}

type Look = Pick<Line, "tone" | "icon" | "who" | "where">;

export function shown(radio: Radio, e: LogEntry, me: number): Look {
  const channel = e.frequency ? channelName(radio, e.frequency) : "";
  const by = e.by === me ? t("log.you") : e.byName;
  const dots = (...parts: string[]): string => parts.filter(Boolean).join(" · ");
  switch (e.what) {
    case "raised":
      return { tone: "em", icon: "em", who: e.name, where: channel };
    case "acknowledged":
      return { tone: "ack", icon: "em-o", who: e.name, where: by ? t("log.acked", { name: by }) : t("log.ackedAlone") };
    case "ended":
      return { tone: "ack", icon: "em-o", who: e.name, where: dots(t(ends[e.detail] ?? "log.ended"), channel) };
    case "closed":
      return { tone: "ack", icon: "ok", who: e.name, where: by ? t("log.closed", { name: by, reason: reason(e.detail) }) : reason(e.detail) };
    case "alert":
      return { tone: "al", icon: "alert", who: e.detail, where: by ? t("log.alert", { channel, name: by }) : channel };
    case "alertCleared":
      return { tone: "", icon: "alert", who: t("log.alertCleared", { alert: e.detail }), where: by ? t("log.alert", { channel, name: by }) : channel };
    case "alertSeen":
      return { tone: "", icon: "ok", who: e.detail, where: t("log.acked", { name: by }) };
    case "moved":
      return { tone: "", icon: "move", who: e.name, where: by ? t("log.movedBy", { channel, name: by }) : t("log.moved", { channel }) };
    case "patchOn":
    case "patchOff":
      return {
        tone: "", icon: "patch", who: t(e.what === "patchOn" ? "log.patchOn" : "log.patchOff", { patch: e.name }),
        where: e.detail.split(" ").map((f) => channelName(radio, f)).join(", "),
      };
    case "disconnected":
      return { tone: "", icon: "x", who: e.name, where: t("log.disconnected", { name: by }) };
    case "callsign":
      return { tone: "", icon: "unit", who: e.name, where: t("log.callsign", { name: e.detail }) };
    case "text":
      return { tone: "", icon: "msg", who: t("log.text", { name: e.name }), where: t("log.quote", { text: e.detail }) };
    case "broadcast": {
      const recorder = recorderWords(e.detail);
      if (recorder) return { tone: "", icon: "rec", who: t("recorder.title"), where: recorder };
      return { tone: "", icon: "msg", who: channel ? t("log.broadcast", { name: channel }) : t("log.broadcastAll"), where: t("log.quote", { text: e.detail }) };
    }
  }
}

const ends: Record<string, Key> = { unit: "log.endedByUnit", timeout: "log.endedByTimeout", script: "log.endedByScript", disconnect: "log.endedByDisconnect" };

const reasons = ["resolved", "accidental", "test", "other", "acknowledged"] as const;
const reason = (given: string): string => (reasons.some((r) => r === given) ? t(`log.reason.${given as "test"}`) : given);

/**
 * The lines of a kind in which every word occurs: name, unit, channel, what was said,
 * date and time; and those that the server has found. Messages are shown with the changes.
 */
export function matching(lines: readonly Line[], kind: LogKind | "all", search: string, utc: boolean, found: ReadonlySet<string>): readonly Line[] {
  const words = wordsOf(search);
  if (kind === "all" && words.length === 0) return lines;
  return lines.filter((l) => {
    if (kind !== "all" && l.kind !== kind && !(kind === "change" && l.kind === "message")) return false;
    if (words.length === 0 || found.has(l.replay?.told ?? l.id)) return true;
    const text = `${l.who} ${l.unit} ${l.where} ${l.said} ${l.replay?.channels.join(" ") ?? ""} ${stampOf(l.at, utc)}`.toLowerCase();
    return words.every((w) => text.includes(w));
  });
}
