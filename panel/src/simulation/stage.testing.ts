import type { Actor, Answer, Message } from "../link/wasm";
import type { ConfigBody } from "../wire.gen";
import { LocalTimeline } from "../timeline/local";
import type { Air, Caption, Deed, Scenario, UnitState, View } from "./api";
import { rate, saidAgain } from "./again";
import { Clock } from "./clock";
import { configurationOf } from "./configuration";
import { testCore } from "./core.testing";
import { Director } from "./director";
import { Names } from "./names";
import { Radio } from "./radio";
import { type Text, textIn } from "./text";

/** The moment at which every test begins, ms since the epoch. */
export const began = 1_700_000_000_000;

/** A director on a radio of core.wasm, with a trainee's console and a clock that stands still until it is moved. For tests. */
export class Stage implements Air {
  readonly me = -1;
  /** All messages, in order. */
  readonly heard: { at: number; message: Message }[] = [];
  /** Seconds for which the console's link was cut. */
  readonly cuts: number[] = [];
  /** What has happened. */
  readonly timeline = new LocalTimeline({
    rate,
    heard: (id) => id !== this.me && !this.#director.muted(id),
    said: (id, since, ms) => saidAgain(id, this.#director.pitch(id), since, ms),
  });
  #radio!: Radio;
  #director!: Director;
  #computer = 0;
  names!: Names;

  private constructor() {}

  static async open(scenario: Scenario): Promise<Stage> {
    const s = new Stage();
    s.#radio = new Radio(
      await testCore(),
      {
        message: (message, at) => {
          s.heard.push({ at, message });
          s.timeline.hear(message, at);
        },
        routes: (rows, at) => s.timeline.routes(rows, at),
        passed: () => undefined,
        failed: (problem) => {
          throw new Error(problem);
        },
      },
      () => s.me,
    );
    await s.#radio.turn(async () => {
      await s.#radio.begin(JSON.stringify({ config: configurationOf(scenario.radio) }), began, async () => {
        s.names = new Names((await s.#radio.view("config")) as ConfigBody);
        return (s.#director = new Director(scenario, s, began));
      });
      s.#radio.clock = new Clock(began, () => s.#computer);
      await s.#radio.ask({ user: s.me }, { event: "connect" }, { serverId: s.me, name: "TRAINEE" });
    });
    return s;
  }

  said(c: Caption): void {
    this.timeline.said(c.unit, this.words(c.says));
  }

  /** Lets so many seconds pass. */
  async pass(seconds: number): Promise<void> {
    this.#computer += Math.round(seconds * 1000);
    await this.#radio.turn(async () => undefined);
  }

  /** The trainee's console sends an event. */
  send(event: string, payload?: unknown): Promise<Answer> {
    return this.#radio.turn(() => this.#radio.ask({ user: this.me }, { event }, payload));
  }

  /** The trainee's console does a REST call. */
  call(route: string, payload: unknown): Promise<Answer> {
    return this.#radio.turn(() => this.#radio.ask({ user: this.me, surface: "rest" }, { route }, payload));
  }

  /** The trainee did what only its desk knows of. */
  noticed(event: string, ...channels: string[]): void {
    this.#director.did({ event, payload: { channels } }, this.#radio.now());
  }

  /** The trainee goes on to the next task. */
  skip(): void {
    this.#director.skip(this.#radio.now());
  }

  /** By hand. */
  deed(deed: Deed, unit?: number): Promise<void> {
    return this.#radio.turn(() => this.#director.deed(deed, unit));
  }

  show(): ReturnType<Director["show"]> {
    return this.#director.show(this.#radio.now());
  }

  unit(id: number): UnitState {
    const u = this.show().units.find((x) => x.id === id);
    if (!u) throw new Error(`no unit ${id}`);
    return u;
  }

  score(): NonNullable<View["score"]> {
    const { score } = this.show();
    if (!score) throw new Error("this is no training");
    return score;
  }

  /** Seconds of the scenario until something noticeable happens; null: nothing will. */
  happens(): number | null {
    const at = this.#radio.happens();
    return at === null ? null : (at - began) / 1000;
  }

  pitch(id: number): number | undefined {
    return this.#director.pitch(id);
  }

  muted(id: number): boolean {
    return this.#director.muted(id);
  }

  get over(): boolean {
    return this.#director.over();
  }

  /** Who began or ended a talk, at which second, on which frequency. */
  talks(): string[] {
    return this.heard.flatMap(({ at, message: m }) => {
      if (m.name !== "talkingState") return [];
      const t = m.payload as { serverId: number; frequency: string; state: boolean };
      return [`${(at - began) / 1000} ${t.serverId} ${t.state ? "talks" : "ends"} ${t.frequency}`];
    });
  }

  /** The seconds at which a unit began to talk. */
  begins(unit: number): number[] {
    const lines = this.talks().map((line) => line.split(" "));
    return lines.flatMap(([second, id, what]) => (id === String(unit) && what === "talks" ? [Number(second)] : []));
  }

  /** How often somebody was denied the floor. */
  get denials(): number {
    return this.heard.filter(({ message: m }) => m.name === "ptt:denied").length;
  }

  async hash(): Promise<string> {
    return (await this.#radio.turn(() => this.#radio.hash())).state;
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
    return textIn("en", text);
  }

  cut(seconds: number): void {
    this.cuts.push(seconds);
  }
}
