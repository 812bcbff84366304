import type { Message, Route } from "../link/wasm";
import { Agenda } from "./agenda";
import type { Air, Caption, Deed, Program, Scenario, Score, Step, View } from "./api";
import { Chatter } from "./chatter";
import { Dice } from "../dice";
import { Picture } from "./picture";
import { checkRadio } from "./references";
import { requestOf, send } from "./request";
import { Marks } from "./score";
import { type Key, Story } from "./story";
import type { Silent, World } from "./talk";
import { Unit } from "./unit";

/** Captions that are kept. Origin: two of each channel of a busy minute; the radio log has the rest. */
const captions = 6;

/**
 * Plays a scenario: its units do their steps, make small talk in between, and the
 * trainee is marked. The same scenario with the same deeds of the trainee gives the
 * same radio.
 */
export class Director implements Program {
  readonly #begin: number;
  readonly #agenda = new Agenda();
  readonly #picture = new Picture();
  readonly #units: Unit[];
  readonly #marks: Marks;
  readonly #story: Story;
  readonly #chatter: Chatter | null;
  /** Steps that have begun, and whether their talk still goes on: a guided task may come later than its step. */
  readonly #begun = new Map<Key, boolean>();
  #captions: Caption[] = [];
  #problem = "";
  #over = false;

  /** Throws Mistaken if the radio cannot play the scenario. */
  constructor(
    private readonly scenario: Scenario,
    private readonly air: Air,
    begin: number,
  ) {
    checkRadio(scenario, air.names);
    this.#begin = begin;
    const world: World = { air, picture: this.#picture, agenda: this.#agenda, say: (c) => this.#say(c) };
    const seed = scenario.seed ?? 1;
    // Each has its own random source, so that one unit's actions do not change another's.
    this.#units = scenario.units.map((u) => new Unit(u, world, new Dice(seed ^ Math.imul(u.id, 0x9e3779b1))));
    const known = { me: () => air.me, channelOf: (id: number) => this.#picture.channelOf(id), frequency: (named: string) => air.channel(named) };
    this.#marks = new Marks(scenario.tasks ?? [], known, scenario.guided);
    this.#story = new Story(scenario);
    this.#chatter = scenario.chatter ? new Chatter(scenario.chatter, this.#units, this.#picture, this.#agenda, new Dice(seed)) : null;
    this.#plan();
  }

  #plan(): void {
    const { scenario } = this;
    this.#agenda.put(this.#begin, (now) => this.#setUp(now));
    scenario.steps.forEach((s, i) => {
      if (s.at !== undefined) this.#agenda.put(this.#moment(s.at), (now) => this.#step(s, i, now));
    });
    for (const t of scenario.tasks ?? []) {
      if (typeof t.starts === "number") this.#agenda.put(this.#moment(t.starts), (now) => this.#startTask(t.id, now, false));
    }
    if (scenario.ends !== undefined) this.#agenda.put(this.#moment(scenario.ends), (now) => this.#end(now));
  }

  #moment(second: number): number {
    return this.#begin + Math.round(second * 1000);
  }

  async #setUp(now: number): Promise<void> {
    for (const [i, u] of this.#units.entries()) {
      if (!u.script.off) await u.switchOn().catch((e: Error) => this.#trouble(`units[${i}]`, e.message));
    }
    this.#chatter?.begin(now);
    this.#guide(now);
  }

  /** Begins the task whose turn it is in a guided scenario. */
  #guide(now: number): void {
    const next = this.scenario.guided ? this.#marks.turn() : undefined;
    if (!next || (next.starts !== undefined && !this.#begun.has(next.starts))) return;
    const calling = next.starts !== undefined && this.#begun.get(next.starts) === true;
    this.#startTask(next.id, now, calling);
  }

  skip(now: number): void {
    const next = this.scenario.guided ? this.#marks.turn() : undefined;
    if (!next) return;
    this.#marks.skip(next.id, now);
    this.#done(next.id, now);
  }

  #trouble(field: string, says: string): void {
    this.#problem ||= `${field}: ${says}`;
  }

  async #step(s: Step, place: number, now: number): Promise<void> {
    if (s.do === "talk") return this.#call(s, place, now);
    const key = s.id ?? place;
    try {
      if (!this.#idle(s)) await this.#do(s, s.unit, now);
    } catch (e) {
      this.#trouble(`steps[${place}]`, (e as Error).message);
    }
    this.#startTasks(key, now, false);
    this.#done(key, now);
  }

  /** Whether the step is pointless: the trainee may have switched a unit off, or done what a unit was about to do. */
  #idle(s: Step): boolean {
    if (s.do === "unpatch") return this.#picture.patchLabelled(s.label) === null;
    return s.unit !== undefined && s.do !== "on" && !this.#unit(s.unit).on;
  }

  #call(s: Step & { do: "talk" }, place: number, now: number): Promise<void> {
    const key = s.id ?? place;
    return this.#unit(s.unit).talk(s, now, true, {
      began: (t) => this.#startTasks(key, t, true),
      ended: (t, silent) => {
        this.#begun.set(key, false);
        for (const task of this.#tasksOf(key)) {
          if (silent === null) this.#marks.callEnded(task, t);
          else if (!this.scenario.guided) this.#missed(task, t); // nobody could hear it
        }
        if (silent?.refused) this.#trouble(`steps[${place}]`, silent.message);
        this.#done(key, t);
      },
    });
  }

  #tasksOf(step: Key): string[] {
    return (this.scenario.tasks ?? []).filter((t) => t.starts === step).map((t) => t.id);
  }

  #startTasks(step: Key, now: number, calling: boolean): void {
    this.#begun.set(step, calling);
    if (this.scenario.guided) this.#guide(now);
    else for (const id of this.#tasksOf(step)) this.#startTask(id, now, calling);
  }

  #startTask(id: string, now: number, calling: boolean): void {
    if (this.#marks.begin(id, now, calling)) this.#done(id, now);
  }

  #missed(task: string, now: number): void {
    this.#marks.miss(task, now);
    this.#story.never(task);
  }

  /** A step or task is done: puts what comes after it on the agenda. */
  #done(key: Key, now: number): void {
    this.#story.done(key);
    this.scenario.steps.forEach((s, i) => {
      if (s.after === key) this.#agenda.put(now + Math.round((s.wait ?? 0) * 1000), (t) => this.#step(s, i, t));
    });
    this.#guide(now);
    this.#perhapsOver();
  }

  /** A scenario without plans, or with nothing but small talk, goes on for ever. */
  #perhapsOver(): void {
    const { steps, tasks, ends } = this.scenario;
    const trains = (tasks?.length ?? 0) > 0;
    const endless = ends !== undefined || (!trains && (this.#chatter !== null || steps.length === 0));
    if (endless || this.#over || !this.#story.told) return;
    this.#over = true;
    this.#chatter?.stop();
  }

  /** Its last second: nothing more happens by itself. */
  async #end(now: number): Promise<void> {
    this.#over = true;
    for (const t of this.#marks.score(now).tasks) if (t.state === "open") this.#marks.miss(t.id, now);
    for (const u of this.#units) await u.release(now);
    this.#agenda.clear();
  }

  #unit(id: number | undefined): Unit {
    const u = this.#units.find((x) => x.id === id);
    if (!u) throw new Error(`Unknown unit ${id}`);
    return u;
  }

  async #do(d: Deed, unit: number | undefined, now: number): Promise<void> {
    switch (d.do) {
      case "talk": {
        let why: Silent | null = null;
        await this.#unit(unit).talk(d, now, false, { ended: (_, silent) => (why = silent) });
        if (why !== null) throw why as Silent;
        return;
      }
      case "release":
        return this.#unit(unit).release(now);
      case "on":
        return this.#unit(unit).switchOn();
      case "off":
      case "quit":
        return this.#unit(unit).switchOff(now, d.do === "quit");
      case "mute":
      case "unmute":
        this.#unit(unit).muted = d.do === "mute";
        return;
      case "link":
        return this.air.cut(d.down);
    }
    if (unit !== undefined) return this.#unit(unit).do(d);
    await send(this.air, requestOf(d, 0, this.air, this.#picture));
  }

  #say(c: Caption): void {
    this.#captions = [c, ...this.#captions].slice(0, captions);
    this.air.said?.(c);
  }

  next(): number | null {
    return earlier(this.#agenda.next(), this.#marks.next());
  }

  happens(): number | null {
    return earlier(this.#agenda.happens(), this.#marks.next());
  }

  async act(now: number): Promise<void> {
    for (const id of this.#marks.pass(now)) this.#story.never(id);
    await this.#agenda.act(now);
    this.#perhapsOver();
  }

  hear(m: Message, now: number): void {
    this.#picture.hear(m);
    for (const u of this.#units) u.hear(m, now);
    for (const id of this.#marks.hear(m, now)) this.#done(id, now);
  }

  routes(rows: Route[], now: number): void {
    const heard = new Map<number, Set<number>>();
    for (const { talker, legs } of rows) {
      for (const { user } of legs) if (user !== talker) heard.set(user, (heard.get(user) ?? new Set()).add(talker));
    }
    for (const u of this.#units) u.hears([...(heard.get(u.id) ?? [])], now);
  }

  did(what: { event?: string; route?: string; payload: unknown }, now: number): void {
    for (const id of this.#marks.did(what, now)) this.#done(id, now);
  }

  over(): boolean {
    return this.#over;
  }

  pitch(id: number): number | undefined {
    return this.scenario.units.find((u) => u.id === id)?.pitch;
  }

  muted(id: number): boolean {
    return this.#units.find((u) => u.id === id)?.muted ?? false;
  }

  async deed(deed: Deed, unit?: number): Promise<void> {
    await this.#do(deed, unit, this.air.now());
  }

  show(now: number): Pick<View, "scenario" | "about" | "units" | "captions" | "score" | "playback" | "problem"> {
    return {
      scenario: this.scenario.name,
      about: this.scenario.about,
      units: this.#units.map((u) => u.state(now)),
      captions: this.#captions,
      score: this.#score(now),
      playback: null,
      problem: this.#problem,
    };
  }

  #score(now: number): Score | null {
    return this.scenario.tasks?.length ? this.#marks.score(now) : null;
  }
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
