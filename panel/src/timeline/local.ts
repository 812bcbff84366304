// The timeline of a simulated radio: what happens in it is kept in the page, and can be
// searched, played and exported as that of a service.

import { Refusal } from "../link/link";
import type { Message, Route } from "../link/wasm";
import type { ChannelState, DispatchNotification, EmergencyEvent, Member, PlayerInfoUpdate } from "../wire.gen";
import type { Fetching, Span, Timeline, TimelineEntry, TimelinePage, TimelineQuery } from "./api";
import { csvOf, type Told } from "./csv";
import { endOf, matches } from "./query";
import { wav, wavSize } from "./wav";
import { ZipWriter } from "./zip";

/** Entries that are kept; the oldest go first. Origin: hours of a busy county in a few megabytes. */
export const mostEntries = 10_000;
/** Entries of a page, and the most of one, as a service has it. */
const pageLength = 100;
const longestPage = 500;
/** How many are measured, and the pause between two, ms. */
const measured = 500;
const pause = 50;
/** Peaks of a transmission, as a service has them. */
const peaks = 96;
/** The longest listening file, and the most voice in an export, s: 32 kB each. Origin: a page can hold that. */
const longestVoice = 3 * 60 * 60;
/** The pause that a listening file leaves between two transmissions when pauses are shortened, s. */
const shortPause = 1;

/** What it needs to know of the voices. */
export interface Voices {
  /** Samples per second. */
  readonly rate: number;
  /** What a channel is called; empty or absent: nothing. */
  channel?(frequency: string): string;
  /** Whether anything is to be heard of a unit that talks now. */
  heard(id: number): boolean;
  /** What a unit said in a talk that began then, in so many ms. */
  said(id: number, since: number, ms: number): Float32Array;
}

interface Talk {
  entry: Omit<TimelineEntry, "seq">;
  heard: boolean;
}

type Fact = Omit<TimelineEntry, "seq" | "id">;

export class LocalTimeline implements Timeline {
  #entries: TimelineEntry[] = []; // the oldest first
  #seq = 0;
  #talks = 0;
  #onAir = new Map<string, Talk>();
  #known = new Set<string>();
  #users = new Map<number, { name: string; unitId: string }>();
  #control = new Map<string, string>();
  #patches = new Set<string>();
  #measuring = false;

  constructor(private readonly voices: Voices) {}

  /** Begins anew: nothing has happened. */
  clear(): void {
    this.#entries = [];
    this.#seq = this.#talks = 0;
    for (const of of [this.#onAir, this.#known, this.#users, this.#control, this.#patches]) of.clear();
  }

  /** Who talks where now. */
  routes(rows: readonly Route[], at: number): void {
    const keyed = rows.filter((r) => r.frequency !== "0");
    const now = new Set(keyed.map((r) => `${r.talker} ${r.frequency}`));
    for (const [key, talk] of this.#onAir) {
      if (now.has(key)) continue;
      this.#onAir.delete(key);
      this.#end(talk, at);
    }
    for (const r of keyed) {
      const key = `${r.talker} ${r.frequency}`;
      const patchId = r.legs.find((l) => l.patchId)?.patchId;
      const known = this.#onAir.get(key);
      if (known && patchId) known.entry.patchId = patchId;
      if (known) continue;
      const control = this.#control.get(r.frequency);
      this.#onAir.set(key, {
        heard: this.voices.heard(r.talker),
        entry: {
          id: `tx-${++this.#talks}-${at}`, kind: "transmission", at, ...this.#unit(r.talker), frequency: r.frequency, encoding: r.digital ? "imbe" : "opus",
          ...(control ? { controlFrequency: control } : {}), ...(patchId ? { patchId } : {}),
        },
      });
    }
  }

  /** When a unit that talks began; undefined: it does not. */
  since(id: number): number | undefined {
    for (const t of this.#onAir.values()) if (t.entry.serverId === id) return t.entry.at;
    return undefined;
  }

  /** The words of a unit that talks. */
  said(id: number, words: string): void {
    for (const t of this.#onAir.values()) if (t.entry.serverId === id) t.entry.transcript = words;
  }

  #unit(id: number, name = ""): { serverId: number; name: string; unitId?: string } {
    const known = this.#users.get(id);
    return { serverId: id, name: name || known?.name || `#${id}`, ...(known?.unitId ? { unitId: known.unitId } : {}) };
  }

  #end({ entry, heard }: Talk, at: number): void {
    const durationMs = at - entry.at;
    const recording = { format: "wav", imbe: false, bytes: wavSize((durationMs * this.voices.rate) / 1000), durationMs, packets: Math.ceil(durationMs / 20), lost: 0, peaks: [], cut: false } as const;
    this.#put({ ...entry, endedAt: at, durationMs, ...(heard ? { recording: { ...recording, peaks: [] } } : {}) });
    if (heard) this.#measureLater();
  }

  /** Measures how loud the newest ones are, one at a time in the pauses: the voices are made for it. */
  #measureLater(): void {
    if (this.#measuring) return;
    this.#measuring = true;
    setTimeout(() => {
      this.#measuring = false;
      const e = this.#entries.slice(-measured).findLast((x) => x.recording?.peaks.length === 0);
      if (!e?.recording) return;
      e.recording = { ...e.recording, peaks: peaksOf(this.#voiceOf(e)!) };
      this.#measureLater();
    }, pause);
  }

  #put(e: Omit<TimelineEntry, "seq">): void {
    this.#entries.push({ seq: ++this.#seq, ...e });
    if (this.#entries.length <= mostEntries) return;
    const old = this.#entries.shift();
    if (old) this.#known.delete(old.id);
  }

  /** A message of the radio. The same fact may be told to several people in several ways, and is one entry. */
  hear(m: Message, at: number): void {
    switch (m.name) {
      case "playerInfoUpdate": {
        const p = m.payload as PlayerInfoUpdate;
        return this.#knows(p.serverId, p.callsign || p.name, p.unitId);
      }
      case "speakerJoined": {
        const p = m.payload as Member;
        return this.#users.has(p.serverId) ? undefined : this.#knows(p.serverId, p.name);
      }
      case "channelState": {
        const c = m.payload as ChannelState;
        if (c.controlFrequency) this.#control.set(c.frequency, c.controlFrequency);
        for (const [id, u] of Object.entries(c.userData ?? {})) this.#knows(Number(id), u.callsign || u.name);
        return;
      }
      case "emergency":
        return this.#emergency(m.payload as EmergencyEvent);
      case "dispatchNotification": {
        const n = m.payload as DispatchNotification;
        if (!n.current && !n.repeated) this.#notified(n, at);
      }
    }
  }

  #knows(id: number, name?: string, unitId?: string): void {
    const known = this.#users.get(id);
    this.#users.set(id, { name: name || known?.name || "", unitId: unitId ?? known?.unitId ?? "" });
  }

  #fact(e: Fact, who: string | number = e.serverId ?? ""): void {
    const id = `${e.kind}-${who}-${e.frequency ?? ""}-${e.at}`;
    if (this.#known.has(id)) return;
    this.#known.add(id);
    this.#put({ id, ...e });
  }

  #emergency(e: EmergencyEvent): void {
    if (e.current) return;
    const of = { serverId: e.serverId, name: e.name, ...(e.unitId ? { unitId: e.unitId } : {}), frequency: e.frequency, emergencyId: e.id };
    const by = (id: number | null, name: string | null): object => (id === null ? {} : { by: id, byName: name ?? "" });
    if (e.ackAt !== null) this.#fact({ kind: "emergencyAcknowledged", at: e.ackAt, ...of, ...by(e.ackById, e.ackBy) });
    if (e.endedAt !== null) this.#fact({ kind: "emergencyEnded", at: e.endedAt, ...of, reason: e.endedBy ?? "" });
    if (e.closedAt !== null) this.#fact({ kind: "emergencyClosed", at: e.closedAt, ...of, ...by(e.closedById, e.closedBy), reason: e.reason ?? "", detail: e.note ?? "" });
  }

  #notified(n: DispatchNotification, at: number): void {
    const who = n.serverId === undefined ? {} : this.#unit(n.serverId, n.name);
    const where = n.frequency ? { frequency: n.frequency, ...(n.controlFrequency ? { controlFrequency: n.controlFrequency } : {}) } : {};
    const by = n.by === undefined ? {} : { by: n.by, byName: n.byName || this.#users.get(n.by)?.name || "" };
    const fact = (kind: string, more: Partial<Fact> = {}): void => this.#fact({ kind, at: n.timestamp || at, ...who, ...where, ...by, ...more });
    switch (n.type) {
      case "alert":
        return fact("alert", { detail: n.alertConfig?.name ?? "" });
      case "oneshot":
        return fact("alertOnce", { detail: n.alertConfig?.name ?? "" });
      case "alertCleared":
        return fact("alertCleared", { detail: n.alertConfig?.name ?? "" });
      case "panic":
        return fact("panic");
      case "panicCleared":
        return fact("panicCleared", { reason: n.reason ?? "" });
      case "userSwitched":
        return fact("moved");
      case "userDisconnected":
        return fact("disconnected");
      case "callsign":
        // A login with the callsign of before is no news.
        return n.callsign && n.callsign !== (n.name || this.#users.get(n.serverId ?? 0)?.name) ? fact("callsign", { detail: n.callsign }) : undefined;
      case "userAlert":
        return fact("message", { detail: n.message ?? "" });
      case "broadcast":
        return fact("broadcast", { detail: n.message ?? "" });
      case "patch":
        return this.#patch(n, at, by);
    }
  }

  #patch(n: DispatchNotification, at: number, by: object): void {
    if (!n.patch) return;
    const { id, label, frequencies } = n.patch;
    const kind = !n.active ? "patchOff" : this.#patches.has(id) ? "patchChanged" : "patchOn";
    if (n.active) this.#patches.add(id);
    else this.#patches.delete(id);
    this.#fact({ kind, at: n.timestamp || at, patchId: id, detail: label, frequencies: [...frequencies], ...by }, id);
  }

  recent = async (since: number): Promise<TimelineEntry[]> => [...this.#entries].reverse().filter((e) => endOf(e) >= since);

  page = async (q: TimelineQuery): Promise<TimelinePage> => {
    const limit = Math.min(q.limit ?? pageLength, longestPage);
    const found = this.#entries.filter((e) => matches(e, q));
    const entries = found.slice(-limit).reverse();
    return { entries, next: found.length > limit ? entries.at(-1)!.seq : null, from: q.from ?? 0 };
  };

  #voiceOf(e: TimelineEntry): Float32Array | null {
    return e.recording ? this.voices.said(e.serverId ?? 0, e.at, e.durationMs ?? 0) : null;
  }

  audio = async (id: string): Promise<ArrayBuffer> => {
    const e = this.#entries.find((x) => x.id === id);
    const voice = e && this.#voiceOf(e);
    if (!voice) throw new Refusal(404, `There is no recording ${id}`);
    return wav(voice, this.voices.rate).buffer;
  };

  /** What of a channel's voice lies in a stretch of time, the oldest first. */
  #spoken(from: number, to: number, frequencies: readonly string[], unit = ""): TimelineEntry[] {
    return this.#entries
      .filter((e) => matches(e, { from, to, unit }) && (frequencies.length === 0 || frequencies.some((frequency) => matches(e, { frequency }))))
      .sort((a, b) => a.at - b.at || a.seq - b.seq);
  }

  mix = async (frequency: string, from: number, to: number, pauses: "keep" | "short"): Promise<Blob> => {
    const said = this.#spoken(from, to, [frequency]).filter((e) => e.recording);
    if (said.length === 0) throw new Refusal(404, "Nothing was recorded in that time");
    const { rate } = this.voices;
    const places: { e: TimelineEntry; at: number }[] = [];
    let end = 0;
    for (const e of said) {
      const real = Math.max(0, Math.round(((e.at - from) / 1000) * rate));
      const first = places.length === 0;
      const at = pauses === "keep" ? real : first ? 0 : Math.min(end + shortPause * rate, end + Math.max(0, Math.round(((e.at - endOf(places.at(-1)!.e)) / 1000) * rate)));
      places.push({ e, at });
      end = Math.max(end, at + Math.ceil(((e.durationMs ?? 0) / 1000) * rate));
    }
    fits(end / rate);
    const out = new Float32Array(end);
    for (const { e, at } of places) {
      this.#voiceOf(e)?.forEach((x, i) => {
        if (at + i < end) out[at + i]! += x;
      });
    }
    return new Blob([wav(out, rate)], { type: "audio/wav" });
  };

  exporting = async ({ from, to, frequencies }: Span, { arrived, signal }: Fetching = {}): Promise<Blob> => {
    const entries = this.#spoken(from, to, frequencies);
    fits(entries.reduce((sum, e) => sum + (e.recording?.durationMs ?? 0), 0) / 1000);
    const zip = new ZipWriter();
    const file = (e: TimelineEntry): string => (e.recording ? `audio/${e.id}.wav` : "");
    const told = entries.map((e): Told => ({ ...e, channel: this.voices.channel?.(e.controlFrequency ?? e.frequency ?? "") || undefined, file: file(e) || undefined }));
    zip.text("timeline.json", `${JSON.stringify(told, null, 2)}\n`, to);
    zip.text("timeline.csv", csvOf(told), to);
    for (const e of entries) {
      const voice = this.#voiceOf(e);
      if (voice) zip.add(file(e), wav(voice, this.voices.rate), e.at);
      arrived?.(zip.size);
      await new Promise((next) => setTimeout(next)); // the console goes on
      if (signal?.aborted) throw new Refusal(0, "cancelled");
    }
    return zip.end();
  };
}

function fits(seconds: number): void {
  if (seconds > longestVoice) throw new Refusal(413, `There are ${Math.ceil(seconds / 60)} minutes of voice in that time; at most ${longestVoice / 60} are exported at once`);
}

function peaksOf(voice: Float32Array): number[] {
  const n = Math.min(peaks, Math.max(1, Math.floor(voice.length / 160)));
  return Array.from({ length: n }, (_, i) => {
    let most = 0;
    for (let at = Math.floor((i * voice.length) / n); at < Math.floor(((i + 1) * voice.length) / n); at++) most = Math.max(most, Math.abs(voice[at]!));
    return Math.round(Math.min(1, most) * 255);
  });
}
