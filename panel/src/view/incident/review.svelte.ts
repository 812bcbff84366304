// What an incident review shows: a stretch of time, what happened in it, what is marked
// of it, and what plays. All times are those of the radio.
import { SvelteSet } from "svelte/reactivity";
import { t } from "../../i18n/language.svelte";
import { words } from "../../i18n/refusal";
import { Refusal } from "../../link/link";
import type { Ports } from "../../ports";
import { channelName, channelsOf, homeOf } from "../../state/radio";
import type { Fetching, Timeline, TimelineEntry } from "../../timeline/api";
import { kinds, playable, type Row, rowsOf } from "./rows";
import { save } from "./save";
import { moved, type Stretch, stampOf, zoomed } from "./stretch";
import { isTold } from "./words";

/** What is shown at first, ms: this much of the past, and a little room for what comes. */
const atFirst = 15 * 60_000;
const ahead = 30_000;
/** Entries of a page, and pages that one look may take. */
const pageLength = 500;
const mostPages = 10;
/** How long a look waits for the next turn of the wheel or letter, ms, and how often the present is looked at again. */
const settle = 250;
const again = 3_000;

/** What of a file has arrived. */
interface Transfer {
  text: string;
  bytes: number;
}

export class Review {
  stretch = $state.raw<Stretch>({ from: 0, to: 1 });
  /** The filters; empty: all. */
  channel = $state("");
  unit = $state("");
  text = $state("");
  entries = $state.raw<readonly TimelineEntry[]>([]);
  /** A look is on its way; there was none yet; the last one failed, in words; there is more than was fetched. */
  busy = $state(false);
  opening = $state(true);
  failed = $state("");
  partial = $state(false);
  mark = $state.raw<Stretch | null>(null);
  /** The channels that the mark is of. */
  readonly marked = new SvelteSet<string>();
  /** Where it was played, or would be; null: nowhere yet. */
  cursor = $state<number | null>(null);
  playing = $state.raw<TimelineEntry | null>(null);
  /** What was said about the last deed. */
  told = $state("");
  wrong = $state("");
  transfer = $state<Transfer | null>(null);

  readonly rows: Row[] = $derived.by(() => {
    const { radio } = this.panel.store.shown;
    const told = this.entries.filter((e) => isTold(radio, e));
    const rows = rowsOf(told, (f) => homeOf(radio, f), channelsOf(radio).map((c) => c.frequency));
    // A patch is of several channels: of one that was asked for, only its own row.
    return this.channel === "" ? rows : rows.filter((r) => r.channel === this.channel);
  });

  #timeline: Promise<Timeline> | null = null;
  #cancelling: AbortController | null = null;
  #looks = 0;
  #plays = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly panel: Ports) {
    this.latest();
  }

  #past(): Promise<Timeline> {
    return (this.#timeline ??= this.panel.link.timeline());
  }

  now(): number {
    return this.panel.link.now() - this.panel.store.now.radio.skew;
  }

  /** Looks at a stretch of time. */
  show(s: Stretch): void {
    this.stretch = s;
    this.look();
  }
  latest(length = atFirst): void {
    const to = this.now() + Math.min(ahead, length / 10);
    this.show({ from: to - length, to });
  }
  zoom(by: number, share?: number): void {
    this.show(zoomed(this.stretch, by, share));
  }
  move(share: number): void {
    this.show(moved(this.stretch, share));
  }

  /** Asks again, once nothing more is turned or typed. */
  look(wait = settle): void {
    clearTimeout(this.#waiting);
    this.#looks++;
    this.#waiting = setTimeout(() => void this.#look(), wait);
  }

  async #look(): Promise<void> {
    const look = this.#looks;
    const { from, to } = this.stretch;
    const { channel, unit, text } = this;
    this.busy = true;
    try {
      const all: TimelineEntry[] = [];
      let before: number | null | undefined;
      for (let n = 0; n < mostPages && before !== null; n++) {
        const page = await (await this.#past()).page({ from, to, kinds, frequency: channel, unit: unit.trim(), text: text.trim(), limit: pageLength, ...(before === undefined ? {} : { before }) });
        if (look !== this.#looks) return;
        all.push(...page.entries);
        before = page.next;
      }
      this.entries = all;
      this.partial = before !== null;
      this.failed = "";
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      if (look !== this.#looks) return;
      this.failed = words(e);
    }
    this.busy = this.opening = false;
    // The present goes on.
    if (to >= this.now()) this.#waiting = setTimeout(() => void this.#look(), again);
  }

  /** Plays what was said on these channels from a moment on, until the end of the mark if it lies in it. */
  async play(from: number, rows: readonly Row[]): Promise<void> {
    const turn = ++this.#plays;
    const to = this.mark !== null && from >= this.mark.from && from < this.mark.to ? this.mark.to : Infinity;
    const queue = playable(rows, from, to);
    this.cursor = from;
    this.wrong = this.told = "";
    this.panel.sound.resume();
    if (queue.length === 0) this.told = t("incident.silent");
    for (const [i, e] of queue.entries()) {
      try {
        const file = await (await this.#past()).audio(e.id, e.recording?.format);
        const recall = this.panel.sound.recall;
        if (turn !== this.#plays || recall === null) return;
        const sound = await recall.open(file);
        if (turn !== this.#plays) return;
        const what = { line: `incident ${e.id}`, channel: homeOf(this.panel.store.now.radio, e.controlFrequency || e.frequency || ""), talker: e.serverId ?? 0, at: e.at };
        recall.playFile(what, sound, e.recording?.peaks ?? []);
        if (i === 0 && from > e.at) recall.seek((from - e.at) / 1000 / sound.duration);
        this.playing = e;
        if (!(await this.#ended(what.line, e, sound.duration * 1000))) break;
      } catch (x) {
        if (turn !== this.#plays) return;
        this.wrong = x instanceof Refusal ? words(x) : t("incident.undecodable");
      }
    }
    if (turn === this.#plays) this.playing = null;
  }

  /** Waits until a recording has been played; false: something else plays, or it was stopped. */
  #ended(line: string, e: TimelineEntry, length: number): Promise<boolean> {
    return new Promise((over) => {
      const look = (): void => {
        const r = this.panel.store.now.sound.recall;
        if (r?.line === line && r.playing) return void (this.cursor = e.at + (this.panel.sound.recall?.progress ?? 0) * length);
        clearInterval(timer);
        over(r?.line === line && !r.interrupted);
      };
      const timer = setInterval(look, 100);
    });
  }

  stop(): void {
    this.#plays++;
    if (this.playing !== null) this.panel.sound.recall?.stop();
    this.playing = null;
  }

  /** Marks a stretch of time on channels; without them, those that it is of stay. */
  markOut(s: Stretch, channels?: readonly string[]): void {
    this.mark = s;
    this.told = this.wrong = "";
    if (channels === undefined && this.marked.size > 0) return;
    this.marked.clear();
    for (const c of channels ?? this.rows.map((r) => r.channel)) if (c !== "") this.marked.add(c);
  }
  unmark(): void {
    this.mark = null;
    this.marked.clear();
  }

  async #fetch(text: string, work: (timeline: Timeline, f: Fetching) => Promise<{ file: Blob; name: string }>): Promise<void> {
    if (this.transfer !== null) return;
    this.told = this.wrong = "";
    this.transfer = { text, bytes: 0 };
    const { signal } = (this.#cancelling = new AbortController());
    try {
      const { file, name } = await work(await this.#past(), { arrived: (bytes) => void (this.transfer = { text, bytes }), signal });
      save(file, name);
      this.told = t("incident.saved", { file: name });
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      if (signal.aborted) this.told = t("incident.cancelled");
      else this.wrong = words(e);
    } finally {
      this.transfer = null;
    }
  }

  get #stamp(): string {
    return this.mark === null ? "" : stampOf(this.mark.from, this.panel.store.now.desk.settings.utc);
  }

  /** Saves everything of the mark as a zip. */
  async export(): Promise<void> {
    const { mark } = this;
    if (mark === null) return;
    const name = `incident-${this.#stamp}.zip`;
    await this.#fetch(t("incident.exporting"), async (past, f) => ({ file: await past.exporting({ ...mark, frequencies: [...this.marked] }, f), name }));
  }

  /** Saves what was said on the one marked channel as a file to listen to. */
  async listen(): Promise<void> {
    const { mark } = this;
    const [channel] = this.marked;
    if (mark === null || channel === undefined || this.marked.size !== 1) return;
    const name = `${channelName(this.panel.store.now.radio, channel).replace(/[^\p{L}\p{N}]+/gu, "-")}-${this.#stamp}`;
    await this.#fetch(t("incident.mixing"), async (past, f) => {
      const file = await past.mix(channel, mark.from, mark.to, "short", f);
      return { file, name: `${name}.${file.type === "audio/wav" ? "wav" : "ogg"}` };
    });
  }

  /** Ends the export or the listening file that is being made. */
  cancel(): void {
    this.#cancelling?.abort();
  }

  close(): void {
    this.cancel();
    clearTimeout(this.#waiting);
    this.#looks++;
    this.stop();
  }
}
