// Marks of a training. Pure: it hears what happened when, and asks nobody.

import type { Message } from "../link/wasm";
import type { DispatchNotification, TalkingState } from "../wire.gen";
import type { Need, Score, Task, TaskState } from "./api";

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

/** What the score needs to know of the radio. */
export interface Known {
  /** The trainee's id. */
  me(): number;
  /** The frequency on which a unit may be talked to. */
  channelOf(unit: number): string | null;
  /** The frequency that a channel's name stands for. */
  frequency(named: string): string | null;
}

/** The marks of one trainee. The methods that report something return the ids of the tasks that it completes. */
export class Marks {
  readonly #marks: Mark[];

  constructor(
    tasks: readonly Task[],
    private readonly known: Known,
  ) {
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

  /** A task begins. Calling: with a call that still goes on; callEnded reports its end. */
  begin(id: string, now: number, calling = false): void {
    const m = this.#find(id);
    if (m?.state !== "waiting") return;
    m.state = "open";
    m.since = now;
    m.calling = calling && "answer" in m.task.needs;
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
    if (!m || m.state === "done" || m.state === "missed") return;
    m.since ??= now;
    m.state = "missed";
    m.took = null;
  }

  hear(message: Message, now: number): string[] {
    const done = this.#open().filter((m) => this.#meets(m.task.needs, message));
    return done.map((m) => finish(m, now));
  }

  /** What the trainee did without a message. */
  did(what: { event?: string; payload: unknown }, now: number): string[] {
    if (what.event !== "acknowledgeAlert") return [];
    const { frequency } = what.payload as { frequency: string };
    const done = this.#open().filter((m) => {
      const n = m.task.needs;
      return "acknowledge" in n && n.acknowledge === "alert" && this.#at(n.channel, frequency);
    });
    return done.map((m) => finish(m, now));
  }

  /** When the next time limit ends; null: none runs. */
  next(): number | null {
    const ends = this.#open().flatMap((m) => (m.calling || m.since === null ? [] : [m.since + m.within]));
    return ends.length > 0 ? Math.min(...ends) : null;
  }

  /** Lets time pass: returns the ids of the tasks that are missed now. */
  pass(now: number): string[] {
    const late = this.#open().filter((m) => !m.calling && m.since !== null && now >= m.since + m.within);
    for (const m of late) m.state = "missed";
    return late.map((m) => m.task.id);
  }

  score(now: number): Score {
    const done = this.#marks.filter((m) => m.state === "done");
    const timed = done.filter((m) => "answer" in m.task.needs || "acknowledge" in m.task.needs).map((m) => m.took ?? 0);
    return {
      points: done.reduce((sum, m) => sum + worth(m.points, m.took ?? 0, m.within), 0),
      of: this.#marks.reduce((sum, m) => sum + m.points, 0),
      tasks: this.#marks.map((m) => stateOf(m, now)),
      missedCalls: this.#marks.filter((m) => m.state === "missed" && "answer" in m.task.needs).length,
      meanTime: timed.length > 0 ? timed.reduce((a, b) => a + b, 0) / timed.length : null,
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
    if (m.name !== "dispatchNotification") return false;
    const n = m.payload as DispatchNotification;
    return n.by === this.known.me() && n.current !== true && this.#notified(need, n);
  }

  #notified(need: Exclude<Need, { answer: number }>, n: DispatchNotification): boolean {
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
    const joined = "patch" in need;
    const channels = joined ? need.patch : need.unpatch;
    return n.type === "patch" && n.active === joined && channels.every((c) => n.patch?.frequencies.some((f) => this.#at(c, f)));
  }
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

function stateOf(m: Mark, now: number): TaskState {
  const running = m.state === "open" && m.since !== null ? (m.calling ? 0 : now - m.since) : null;
  return {
    id: m.task.id,
    name: m.task.name,
    state: m.state,
    since: m.since,
    took: m.took ?? running,
    within: m.within,
    points: m.state === "done" ? worth(m.points, m.took ?? 0, m.within) : 0,
  };
}
