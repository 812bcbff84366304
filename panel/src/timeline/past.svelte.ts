// The log's past: what a console has not seen itself, asked for when it comes on the
// air, when somebody scrolls to the log's end, and when a search needs it.
import { type Link, Refusal } from "../link/link";
import type { Ports } from "../ports";
import type { LogEntry, LogKind } from "../state/entry";
import { channelsOf, type Radio, type Transmission } from "../state/radio";
import { slack } from "../state/transmission";
import type { Timeline, TimelineEntry, TimelinePage, TimelineQuery } from "./api";
import { kindsOf, lineOf, transmissionOf } from "./entry";
import type { DispatchNotification } from "../wire.gen";
import { behind, behindEntries, mergeTold } from "./merge";
import { questionsOf, windowOf, wordsOf } from "./search";

/** How far back a console that has just opened looks, ms. */
export const backfillTime = 30 * 60_000;
/** How many lines it has at least, if there are so many. */
const fewLines = 50;
/** How long before a link that is lost the last events may have been lost, ms: it is stale for 15 s before. */
const lostBefore = 20_000;
/** Entries of one page; most pages of the first look and of a reconnect: a log keeps no more lines. */
const pageLength = 500;
const catchUpPages = 4;
/** A search, or a scroll to the end, goes on until it has so many lines, or has asked so often. */
const enough = 50;
const mostPages = 12;
/** How long a search waits for the next letter, ms. */
const typing = 400;
/** How far back a search by the time of day goes, days: as long as a timeline is kept. */
const mostDays = 90;
/** When what failed is tried again, ms. */
const tryAgain = 5_000;

/** One of the questions that a look into the past asks, and how far it is. */
interface Cursor {
  query: TimelineQuery;
  before: number | null;
  /** Of a search by the time of day: how many days back it is. */
  day: number | null;
  over: boolean;
}

export class Past {
  /** The first look goes on: nobody knows yet whether there are lines. */
  opening = $state(true);
  /** A question is on its way. */
  busy = $state(false);
  /** The last one failed. */
  failed = $state(false);
  /** There is nothing further back of what is shown. */
  over = $state(false);
  /** The log has everything without it. */
  whole = $state(false);
  /** The time up to which was looked, by this computer's clock; null: nothing was asked. */
  from = $state<number | null>(null);
  /** Ids of what the search has found, whether or not a line shows why. */
  found = $state.raw<ReadonlySet<string>>(new Set());
  #transmissions = $state.raw<readonly Transmission[]>([]);
  #entries = $state.raw<readonly LogEntry[]>([]);

  #timeline: Promise<Timeline> | null = null;
  /** From here on the store has everything, by the service's clock. */
  #complete = Infinity;
  /** When the link was lost, by the service's clock; null: there was none yet. */
  #lost: number | null = null;
  #cursors: Cursor[] = [];
  #kind: LogKind | "all" = "all";
  #words: string[] = [];
  /** Counts up when what is looked for changes: an answer to something else is thrown away. */
  #turn = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly panel: Ports) {}

  /** The radio with what is shown of the past. */
  with(radio: Radio): Radio {
    if (this.#transmissions.length === 0 && this.#entries.length === 0) return radio;
    return { ...radio, log: behind(radio.log, this.#transmissions), entries: behindEntries(radio.entries, this.#entries) };
  }

  /** The link is lost: what happens from now on is missed. */
  lost(): void {
    if (this.#complete !== Infinity) this.#lost ??= this.#now() - lostBefore;
  }

  /** The link is there: looks what was missed, the first time the last half hour. */
  async catchUp(): Promise<void> {
    clearTimeout(this.#again);
    const since = this.#lost ?? this.#now() - backfillTime;
    const first = this.#complete === Infinity;
    try {
      let from = await this.#all({ from: since, kinds: kindsOf("all") });
      const { log, entries } = this.panel.store.now.radio;
      if (first && log.length + entries.length < fewLines) {
        const { entries: more, next } = await this.#page({ kinds: kindsOf("all"), limit: fewLines });
        this.#merge(more);
        from = Math.min(from, next === null ? -Infinity : (more.at(-1)?.at ?? from));
      }
      // With a hole in it, what is complete begins behind the hole.
      const complete = from > since && !first ? from : Math.min(this.#complete, from);
      const moved = complete !== this.#complete;
      this.#complete = complete;
      this.#lost = null;
      this.opening = this.failed = false;
      if (moved) this.look(this.#kind, this.#words.join(" "));
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      this.opening = false;
      if (e.status === 404) {
        this.#complete = -Infinity; // a service without a timeline
        this.look(this.#kind, this.#words.join(" "));
      }
      this.failed = e.status !== 404;
      if (e.status === 0 || e.status === 429 || e.status >= 500) this.#again = setTimeout(() => void this.catchUp(), Math.max(tryAgain, e.retryAfter * 1000));
    }
  }

  /** What the log shows from now on: lines of a kind, or those in which all words occur. */
  look(kind: LogKind | "all", search: string): void {
    clearTimeout(this.#waiting);
    this.#turn++;
    this.#kind = kind;
    this.#words = wordsOf(search);
    this.busy = this.failed = false;
    this.over = this.whole = this.#complete === -Infinity;
    this.from = null;
    this.found = new Set();
    this.#transmissions = [];
    this.#entries = [];
    this.#cursors = this.#ask();
    if (this.#words.length > 0 && !this.over) this.#waiting = setTimeout(() => void this.more(), typing);
  }

  #ask(): Cursor[] {
    const kinds = kindsOf(this.#kind);
    const { radio } = this.panel.store.now;
    const cursor = (query: TimelineQuery, day: number | null): Cursor => ({ query: { kinds, limit: pageLength, ...query }, before: null, day, over: false });
    if (this.#words.length === 0) return [cursor(Number.isFinite(this.#complete) ? { to: this.#complete, limit: 2 * fewLines } : {}, null)];
    const day = this.#window(0) ? 0 : null;
    return questionsOf(this.#words, channelsOf(radio)).map((q) => cursor(q, day));
  }

  #window(day: number): { from: number; to: number } | null {
    const { store, link } = this.panel;
    const { skew } = store.now.radio;
    const w = windowOf(this.#words, store.now.desk.settings.utc, link.now(), day);
    return w && { from: w.from - skew, to: w.to - skew };
  }

  /** Looks further back, until there is enough, or nothing more. */
  async more(): Promise<void> {
    if (this.busy || this.over || this.opening) return;
    if (this.#complete === Infinity) return this.catchUp();
    const turn = this.#turn;
    this.busy = true;
    this.failed = false;
    try {
      let lines = 0;
      for (let asked = 0; asked < mostPages && lines < enough && !this.over; ) {
        for (const c of this.#cursors.filter((x) => !x.over)) {
          asked++;
          const window = c.day === null ? {} : this.#window(c.day)!;
          const { entries, next, from } = await this.#page({ ...c.query, ...window, ...(c.before === null ? {} : { before: c.before }) });
          if (turn !== this.#turn || !this.busy) return;
          lines += this.#take(entries);
          this.#advance(c, next, from);
        }
        this.over = this.#cursors.every((c) => c.over);
      }
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      if (turn === this.#turn) this.failed = true;
    } finally {
      if (turn === this.#turn) this.busy = false;
    }
  }

  #advance(c: Cursor, next: number | null, from: number): void {
    c.before = next;
    const reached = (c.day === null ? from : this.#window(c.day)!.from) + this.panel.store.now.radio.skew;
    this.from = Math.min(this.from ?? Infinity, reached);
    if (next !== null) return;
    if (c.day !== null && c.day < mostDays) c.day++;
    else c.over = true;
  }

  /** Ends a search where it is; what it has found stays. */
  stop(): void {
    clearTimeout(this.#waiting);
    this.busy = false;
  }

  /** Asks for what the service has of what a unit said then, of which the log does not know it yet. */
  async settle(talker: number, startedAt: number): Promise<void> {
    const at = startedAt - this.panel.store.now.radio.skew;
    const { entries } = await this.#page({ from: at - slack, to: at + slack, unit: String(talker), kinds: ["transmission"], limit: fewLines });
    this.#merge(entries);
  }

  /** Takes in what was said, which the service tells when it has been transcribed. */
  async heard({ id = "", text = "" }: Pick<DispatchNotification, "id" | "text">): Promise<void> {
    const said = (t: Transmission): Transmission => (t.told === id ? { ...t, transcript: text } : t);
    this.#transmissions = this.#transmissions.map(said);
    const { log } = this.panel.store.now.radio;
    if (log.some((t) => t.told === id)) return this.panel.store.change((s) => ({ ...s, radio: { ...s.radio, log: s.radio.log.map(said) } }));
    // Its id ends with the time at which it began.
    const at = Number(id.split("-").at(-1));
    if (at < this.#complete) return;
    await this.#page({ from: at - slack, to: at + slack, kinds: ["transmission"], limit: fewLines }).then((page) => this.#merge(page.entries), () => undefined);
  }

  /** Takes in that the recording of a transmission has been deleted, and what was said with it. */
  gone(id: string | undefined): void {
    const without = (t: Transmission): Transmission => (t.told === id ? { ...t, recording: undefined, transcript: undefined } : t);
    this.#transmissions = this.#transmissions.map(without);
    this.panel.store.change((s) => ({ ...s, radio: { ...s.radio, log: s.radio.log.map(without) } }));
  }

  /** The voice of a transmission, as a file. */
  async audio(id: string, format?: string): Promise<ArrayBuffer> {
    return (await this.#open()).audio(id, format);
  }

  /** Takes in entries, and returns how many lines they add. */
  #take(told: readonly TimelineEntry[]): number {
    const { radio } = this.panel.store.now;
    if (this.#words.length > 0) this.found = new Set([...this.found, ...told.map((e) => e.id), ...told.map((e) => lineOf(radio, e)?.id ?? "")]);
    this.#merge(told.filter((e) => e.at >= this.#complete));
    const older = told.filter((e) => e.at < this.#complete);
    const said = older.map((e) => transmissionOf(e, radio.skew)).filter((t) => t !== null);
    const done = older.map((e) => lineOf(radio, e)).filter((e) => e !== null);
    const [transmissions, entries] = [behind([...this.#transmissions], said), behindEntries([...this.#entries], done)];
    const added = transmissions.length + entries.length - this.#transmissions.length - this.#entries.length;
    this.#transmissions = transmissions;
    this.#entries = entries;
    return added;
  }

  #merge(told: readonly TimelineEntry[]): void {
    if (told.length > 0) this.panel.store.change((s) => ({ ...s, radio: mergeTold(s.radio, told) }));
  }

  /** Merges every page of a question, and returns from when on it has everything. */
  async #all(query: TimelineQuery): Promise<number> {
    let before: number | null = null;
    let from = Infinity;
    for (let n = 0; n < catchUpPages; n++) {
      const page: TimelinePage = await this.#page({ ...query, limit: pageLength, ...(before === null ? {} : { before }) });
      this.#merge(page.entries);
      if (page.next === null) return query.from ?? -Infinity;
      [before, from] = [page.next, page.from];
    }
    return from;
  }

  async #page(query: TimelineQuery): Promise<TimelinePage> {
    return (await this.#open()).page(query);
  }

  #open(): Promise<Timeline> {
    const link: Link = this.panel.link;
    this.#timeline ??= link.timeline().catch((e: unknown) => {
      this.#timeline = null;
      throw new Refusal(0, String(e));
    });
    return this.#timeline;
  }

  /** Now, by the service's clock. */
  #now(): number {
    return this.panel.link.now() - this.panel.store.now.radio.skew;
  }

  close(): void {
    clearTimeout(this.#waiting);
    clearTimeout(this.#again);
    this.#turn++;
  }
}
