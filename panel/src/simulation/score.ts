// Marks of a training. Pure: it hears what happened when, and asks nobody.

import type { Message } from "../link/wasm";
import type { DispatchNotification, TalkingState } from "../wire.gen";
import type { Need, Score, Task, TaskState } from "./api";
import { channelsIn, type Did, type Known, Trainee } from "./trainee";

/** Points of a task that gives none. */
const defaultPoints = 10;

interface Mark {
  readonly task: Task;
  readonly within: number; // ms
  readonly points: number; // at most
  state: TaskState["state"];
  /** When it began; for the answer to a call, when the call ended. */
  since: number | null;
  /** The call to answer is still going on: the task's time does not run yet. */
  calling: boolean;
  took: number | null;
}

/** The marks of one trainee. The methods that report something return the ids of the tasks that it completes. */
export class Marks {
  readonly #marks: Mark[];
  readonly #trainee: Trainee;

  /** guided: one task after the other, without a limit. */
  constructor(
    tasks: readonly Task[],
    private readonly known: Known,
    private readonly guided = false,
  ) {
    this.#trainee = new Trainee(known);
    this.#marks = tasks.map((task) => ({
      task,
      within: Math.round(task.within * 1000),
      points: task.points ?? defaultPoints,
      state: "waiting",
      since: null,
      calling: false,
      took: null,
    }));
  }

  /**
   * A task begins. Calling: with a call that still goes on; callEnded reports its end.
   * True: it is done already, because the desk is as it asks for.
   */
  begin(id: string, now: number, calling = false): boolean {
    const m = this.#find(id);
    if (m?.state !== "waiting") return false;
    m.state = "open";
    m.since = now;
    m.calling = calling && "answer" in m.task.needs;
    if (!this.#trainee.has(m.task.needs)) return false;
    finish(m, now);
    return true;
  }

  /** The first task that is not over yet, in the order of the scenario. */
  turn(): Task | undefined {
    return this.#marks.find((m) => m.state === "waiting" || m.state === "open")?.task;
  }

  skip(id: string, now: number): void {
    const m = this.#find(id);
    if (!m || over(m)) return;
    m.took = m.since === null ? null : now - m.since;
    m.since ??= now;
    m.state = "skipped";
  }

  callEnded(id: string, now: number): void {
    const m = this.#find(id);
    if (!m?.calling) return;
    m.calling = false;
    if (m.state === "open") m.since = now;
  }

  /** The task cannot be done any more. */
  miss(id: string, now: number): void {
    const m = this.#find(id);
    if (!m || over(m)) return;
    m.since ??= now;
    m.state = "missed";
    m.took = null;
  }

  hear(message: Message, now: number): string[] {
    this.#trainee.hear(message);
    const done = this.#open().filter((m) => this.#meets(m.task.needs, message));
    return done.map((m) => finish(m, now));
  }

  /** What the trainee did without a message. */
  did(what: Did, now: number): string[] {
    this.#trainee.did(what);
    const done = this.#open().filter((m) => this.#trainee.has(m.task.needs) || this.#did(m.task.needs, what));
    return done.map((m) => finish(m, now));
  }

  #did(n: Need, { event, payload }: Did): boolean {
    const at = (named: string | undefined): boolean => channelsIn(payload).some((f) => this.#at(named, f));
    if (event === "acknowledgeAlert") return "acknowledge" in n && n.acknowledge === "alert" && at(n.channel);
    return event === "replay" && "replay" in n && at(n.replay);
  }

  /** When the next time limit ends; null: none runs. */
  next(): number | null {
    if (this.guided) return null;
    const ends = this.#open().flatMap((m) => (m.calling || m.since === null ? [] : [m.since + m.within]));
    return ends.length > 0 ? Math.min(...ends) : null;
  }

  /** Lets time pass: returns the ids of the tasks that are missed now. */
  pass(now: number): string[] {
    if (this.guided) return [];
    const late = this.#open().filter((m) => !m.calling && m.since !== null && now >= m.since + m.within);
    for (const m of late) m.state = "missed";
    return late.map((m) => m.task.id);
  }

  score(now: number): Score {
    const done = this.#marks.filter((m) => m.state === "done");
    const timed = done.filter((m) => "answer" in m.task.needs || "acknowledge" in m.task.needs).map((m) => m.took ?? 0);
    return {
      points: done.reduce((sum, m) => sum + this.#worth(m), 0),
      of: this.#marks.reduce((sum, m) => sum + m.points, 0),
      tasks: this.#marks.map((m) => this.#stateOf(m, now)),
      guided: this.guided,
      missedCalls: this.#marks.filter((m) => m.state === "missed" && "answer" in m.task.needs).length,
      meanTime: timed.length > 0 ? timed.reduce((a, b) => a + b, 0) / timed.length : null,
    };
  }

  /** A guided task has no limit: with the hint it is worth half. */
  #worth({ points, took, within }: Mark): number {
    if (this.guided) return (took ?? 0) <= within ? points : Math.round(points / 2);
    return worth(points, took ?? 0, within);
  }

  #stateOf(m: Mark, now: number): TaskState {
    const running = m.state === "open" && m.since !== null ? (m.calling ? 0 : now - m.since) : null;
    return {
      id: m.task.id,
      name: m.task.name,
      how: m.task.how ?? null,
      hint: m.task.hint ?? null,
      state: m.state,
      since: m.since,
      took: m.took ?? running,
      within: m.within,
      points: m.state === "done" ? this.#worth(m) : 0,
    };
  }

  #find(id: string): Mark | undefined {
    return this.#marks.find((m) => m.task.id === id);
  }

  #open(): Mark[] {
    return this.#marks.filter((m) => m.state === "open");
  }

  #at(named: string | undefined, frequency: string | null | undefined): boolean {
    return named === undefined || this.known.frequency(named) === frequency;
  }

  #meets(need: Need, m: Message): boolean {
    if ("answer" in need) {
      // A key-up on a patch or a talkgroup is reported on each of its frequencies.
      if (m.name !== "talkingState") return false;
      const t = m.payload as TalkingState;
      return t.state && t.serverId === this.known.me() && t.frequency === this.known.channelOf(need.answer);
    }
    if ("talk" in need || "hear" in need) {
      if (m.name !== "talkingState") return false;
      const { state, serverId, frequency } = m.payload as TalkingState;
      if ("hear" in need) return !state && serverId === need.hear;
      return state && serverId === this.known.me() && this.#at(need.talk, frequency);
    }
    if (this.#trainee.has(need)) return true;
    if (m.name !== "dispatchNotification") return false;
    const n = m.payload as DispatchNotification;
    return n.by === this.known.me() && n.current !== true && this.#notified(need, n);
  }

  #notified(need: Need, n: DispatchNotification): boolean {
    if ("acknowledge" in need) {
      if (need.acknowledge === "alert") return n.type === "alertCleared" && this.#at(need.channel, n.frequency);
      return n.type === "panicCleared" && (need.unit === undefined || need.unit === n.serverId) && this.#at(need.channel, n.frequency);
    }
    if ("move" in need)
      return n.type === "userSwitched" && n.serverId === need.move && (this.#at(need.to, n.frequency) || this.#at(need.to, n.controlFrequency));
    if ("message" in need) return n.type === "userAlert" && n.serverId === need.message;
    if ("broadcast" in need) return n.type === "broadcast";
    if ("clear" in need) return n.type === "alertCleared" && this.#at(need.clear, n.frequency);
    if ("alert" in need)
      return (
        (n.type === "alert" || n.type === "oneshot") &&
        this.#at(need.channel, n.frequency) &&
        n.alertConfig?.name.toLowerCase() === need.alert.toLowerCase()
      );
    const channels = "patch" in need ? need.patch : "unpatch" in need ? need.unpatch : null;
    return channels !== null && n.type === "patch" && n.active === "patch" in need && channels.every((c) => n.patch?.frequencies.some((f) => this.#at(c, f)));
  }
}

function over({ state }: Mark): boolean {
  return state !== "waiting" && state !== "open";
}

function finish(m: Mark, now: number): string {
  m.state = "done";
  m.took = m.calling || m.since === null ? 0 : now - m.since;
  return m.task.id;
}

/** Full points within half of the limit; after that they fall evenly to half at the limit. Whole points. */
export function worth(points: number, took: number, within: number): number {
  const late = Math.min(Math.max(took / within - 0.5, 0), 0.5);
  return Math.round(points * (1 - late));
}
