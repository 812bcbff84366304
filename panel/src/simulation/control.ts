// What the bar of the simulation asks for, and what it shows.

import type { Simulation } from "../link/simulation";
import type { Actor, Answer } from "../link/wasm";
import type { Language } from "../state/desk";
import type { ConfigBody } from "../wire.gen";
import type { Air, Caption, Control, Deed, Scenario, View } from "./api";
import { configurationOf } from "./configuration";
import { Director } from "./director";
import { Names } from "./names";
import { isJournal, Playback, readJournal } from "./playback";
import { LocalTimeline } from "../timeline/local";
import { rate, saidAgain } from "./again";
import { type Core, Radio } from "./radio";
import { parseScenario } from "./script";
import { type Text, textIn } from "./text";

const nothing: View = {
  scenario: "", about: "", elapsed: 0, now: 0, rate: 1, running: false, over: false, next: null, units: [], captions: [],
  score: null, playback: null, linkDown: false, problem: "",
};

/** Shortest time between two updates of the view, ms. */
const showEvery = 100;

/** Prepares the desk for a scenario, before the console comes on the air. */
export type Prepare = (desk: Scenario["desk"]) => void;

/** One simulation in the panel: the radio, what happens in it, and the console's link to it. */
export class Simulator implements Control, Air {
  readonly #radio: Radio;
  readonly #listeners = new Set<() => void>();
  #playing: (() => Promise<void>) | null = null;
  #begin = 0;
  names = new Names({ zones: [], alerts: [] });
  /** Of the desk. */
  language: Language = "en";
  #cut: number | null = null;
  #problem = "";
  #view = nothing;
  #shown = false;
  /** What has happened since the scenario began. Nobody hears the trainee's own microphone but the trainee. */
  readonly timeline: LocalTimeline = new LocalTimeline({
    rate,
    heard: (id) => id !== this.me && this.#radio.program?.muted?.(id) !== true,
    said: (id, since, ms) => saidAgain(id, this.#radio.program?.pitch?.(id), since, ms),
    channel: (frequency) => this.names.nameOf(frequency),
  });

  constructor(
    core: Core,
    private readonly link: Simulation,
    private readonly prepare: Prepare,
  ) {
    this.#radio = new Radio(
      core,
      {
        message: (m, at) => {
          this.timeline.hear(m, at);
          link.hear(m, at);
        },
        routes: (rows, at) => {
          this.timeline.routes(rows, at);
          link.routes(rows);
        },
        passed: () => this.#passed(),
        failed: (problem) => this.#fail(problem),
      },
      () => link.me,
    );
    link.attach(this.#radio, this.timeline);
    this.#radio.run();
  }

  get me(): number {
    return this.link.me;
  }

  get view(): View {
    return this.#view;
  }

  onchange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  now(): number {
    return this.#radio.now();
  }

  ask(by: Actor, what: { event: string } | { route: string }, payload?: unknown): Promise<Answer> {
    return this.#radio.ask(by, what, payload);
  }

  channel(named: string): string | null {
    return this.names.channel(named);
  }

  words(text: Text): string {
    return textIn(this.language, text);
  }

  said(c: Caption): void {
    this.timeline.said(c.unit, this.words(c.says));
  }

  /** The link is lost at the end of this turn, and comes back by itself. */
  cut(seconds: number): void {
    this.#cut = this.now() + seconds * 1000;
    void this.#radio.turn(() => this.link.disconnect()).catch((e: unknown) => this.#fail(e));
  }

  setRate(rate: number): void {
    this.#radio.clock.setRate(rate);
    this.#changed();
  }

  async step(): Promise<void> {
    this.setRate(0);
    await this.#radio.step();
  }

  async to(second: number): Promise<void> {
    this.setRate(0);
    await this.#radio.to(this.#begin + Math.round(second * 1000));
  }

  async open(text: string, name: string): Promise<void> {
    if (!isJournal(text)) return this.choose(parseScenario(text));
    const journal = readJournal(text, name);
    await this.#play(async () => {
      await this.#radio.begin(journal.start, Playback.begin(journal), async () => new Playback(journal, this.#radio));
      this.prepare(undefined);
    });
  }

  choose(scenario: Scenario): Promise<void> {
    return this.#play(async () => {
      const begin = scenario.clock === undefined ? Date.now() : Date.parse(scenario.clock);
      await this.#radio.begin(JSON.stringify({ config: configurationOf(scenario.radio) }), begin, async () => {
        this.names = new Names((await this.#radio.view("config")) as ConfigBody);
        return new Director(scenario, this, this.#radio.now());
      });
      this.prepare(scenario.desk ?? {});
    });
  }

  async restart(): Promise<void> {
    if (this.#playing) await this.#play(this.#playing);
  }

  /** Starts a scenario or journal; when that fails, the previous one starts over. */
  #play(begin: () => Promise<void>): Promise<void> {
    return this.#radio.turn(async () => {
      try {
        await this.#fresh(begin);
        this.#playing = begin;
      } catch (e) {
        if (this.#playing) await this.#fresh(this.#playing);
        throw e;
      }
    });
  }

  async #fresh(begin: () => Promise<void>): Promise<void> {
    this.link.drop();
    this.#cut = null;
    this.#problem = "";
    this.timeline.clear();
    await begin();
    this.#begin = this.#radio.now();
    if (this.#radio.clock.rate === 0) this.#radio.clock.setRate(1);
    await this.link.connect();
  }

  /** Asks the radio which channels and alerts it has. */
  deed(deed: Deed, unit?: number): Promise<void> {
    return this.#radio.turn(async () => this.#radio.program?.deed(deed, unit));
  }

  /** The operator changes the configuration: the radio in the form of core.Config. Rejects with what is wrong with it. */
  async configure(config: unknown): Promise<void> {
    const a = await this.#radio.turn(() =>
      this.#radio.order(JSON.stringify({ at: this.now(), by: { user: 0, surface: "core" }, command: "ReplaceConfig", args: { Config: config } })),
    );
    if (a.error) throw new Error(a.error.message);
  }

  /** The trainee did something that only this desk knows of. */
  noticed(event: string, channels: string[]): void {
    this.#radio.program?.did({ event, payload: { channels } }, this.#radio.clock.now());
  }

  skip(): Promise<void> {
    return this.#radio.turn(async () => this.#radio.program?.skip?.(this.now()));
  }

  async hash(): Promise<string> {
    return (await this.#radio.turn(() => this.#radio.hash())).state;
  }

  #passed(): void {
    if (this.#cut !== null && this.#radio.clock.now() >= this.#cut) {
      this.#cut = null;
      void this.#radio.turn(() => this.link.connect()).catch((e: unknown) => this.#fail(e));
    }
    this.#changed();
  }

  report(problem: string): void {
    this.#fail(problem);
  }

  #fail(e: unknown): void {
    this.#problem = e instanceof Error ? e.message : String(e);
    this.#changed();
  }

  #changed(): void {
    if (this.#shown) return;
    this.#shown = true;
    setTimeout(() => {
      this.#shown = false;
      this.#view = this.#look();
      for (const l of this.#listeners) l();
    }, showEvery);
  }

  #look(): View {
    const { clock, program } = this.#radio;
    const now = clock.now();
    const shown = program?.show(now);
    const next = this.#radio.happens();
    return {
      ...nothing,
      ...shown,
      elapsed: now - this.#begin,
      now,
      rate: clock.rate,
      running: clock.rate > 0,
      over: program?.over(now) ?? false,
      next: next === null ? null : Math.max(0, next - now),
      linkDown: this.#cut !== null,
      problem: this.#problem || (shown?.problem ?? ""),
    };
  }
}
