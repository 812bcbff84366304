// What the parts of the simulation know of each other, and what its bar shows.

import type { Actor, Answer, Message, Route } from "../link/wasm";
import type { Filter, Language } from "../state/desk";
import type { Names } from "./names";
import type { Text } from "./text";

/** An action of a virtual unit, or of a program outside the radio. Channels are given by name or by frequency. */
export type Deed =
  | { do: "talk"; for: number; on?: string; says?: Text; override?: boolean } // seconds
  | { do: "release" }
  | { do: "join"; channel: string }
  | { do: "leave" }
  | { do: "scan"; channel: string }
  | { do: "unscan"; channel: string }
  | { do: "panic" }
  | { do: "calm" } // the unit's own panic is over
  | { do: "mute" } // its microphone fails: it has the floor, and nobody hears anything
  | { do: "unmute" }
  | { do: "alert"; alert: string; channel: string }
  | { do: "clear"; channel: string } // the alert there is over
  | { do: "on" } // the radio is switched on, and joins where its unit begins
  | { do: "off" }
  | { do: "quit" } // its player leaves the game
  | { do: "move"; who: number; channel: string } // like all but the last: by a dispatcher
  | { do: "acknowledge"; who: number } // an emergency, by a dispatcher
  | { do: "close"; who: number; reason?: string; note?: string } // resolved, unless a reason is given
  | { do: "end"; who: number } // an emergency, by a program outside the radio
  | { do: "patch"; channels: string[]; label?: string }
  | { do: "unpatch"; label: string }
  | { do: "broadcast"; message: Text }
  | { do: "link"; down: number }; // this panel's link fails for so many seconds

/** A step of a scenario: at a second of the scenario, or some seconds after a task or another step was done. */
export type Step = Deed & { id?: string; unit?: number; at?: number; after?: string; wait?: number };

/** A virtual unit. Ids above 0 are players' radios, ids below -1 other dispatchers. */
export interface UnitScript {
  id: number;
  name: string;
  nacId?: string;
  unitId?: string;
  callsign?: string;
  /** Where it talks and what it scans once it is on. */
  on?: string;
  scans?: string[];
  /** Pitch of its voice, Hz; if left out, it follows from the id. */
  pitch?: number;
  /** Not on the air until a step switches it on. */
  off?: boolean;
}

/** What the trainee is to do. */
export type Need =
  | { answer: number } // key up on the channel where that unit called
  | { acknowledge: "panic" | "alert"; unit?: number; channel?: string }
  | { emergency: "answered" | "acknowledged" | "closed"; unit?: number } // answered: acknowledged, and its channel the only target
  | { move: number; to: string }
  | { patch: string[] }
  | { unpatch: string[] }
  | { alert: string; channel: string }
  | { clear: string }
  | { broadcast: true }
  | { message: number }
  | { monitor: string }
  | { target: string }
  | { talk: string } // has the floor there
  | { hear: number } // that unit, until it has ended
  | { replay: string };

/**
 * A task begins with a step (given by its id) or at a second of the scenario, and has a
 * time limit in seconds. In a guided scenario it begins after the task before it and,
 * if it names one, a step; it is open until it is done or skipped, and within is when
 * the hint is shown.
 */
export interface Task {
  id: string;
  name: Text;
  /** What to press, with {names} of keys in it; the hint is shown later. */
  how?: Text;
  hint?: Text;
  starts?: string | number;
  within: number;
  points?: number; // 10 if left out
  needs: Need;
}

/** A scenario: who does what when. With tasks it is a training. */
export interface Scenario {
  name: Text;
  about: Text;
  /** Its tasks come one after the other, at the trainee's own pace. */
  guided?: boolean;
  /** The radio in the form of core.Config; without zones, what differs from the demo radio. */
  radio?: unknown;
  seed?: number;
  /** The moment at which it begins, such as "2026-03-14T14:28:00Z"; if left out, the computer's time. */
  clock?: string;
  /** How the desk is set up at the beginning. */
  desk?: { callsign?: string; joined?: string | null; scans?: string[]; zone?: string; filter?: Filter };
  units: UnitScript[];
  steps: Step[];
  /** Small talk: seconds from one exchange to the next, and how long each transmission is. */
  chatter?: { every: [number, number]; lasting: [number, number]; units?: number[] };
  tasks?: Task[];
  /** Second at which it is over; if left out, when every step and task is. Chatter never ends by itself. */
  ends?: number;
}

/** A virtual unit as the bar shows it. */
export interface UnitState {
  id: number;
  name: string;
  on: boolean;
  /** Frequencies. */
  channel: string | null;
  scans: string[];
  talking: boolean;
  panic: boolean;
  /** Ids of the talkers whom it hears now. */
  hears: number[];
  /** Seconds of voice that it has heard so far. */
  heardFor: number;
  /**
   * The last thing that the unit was sent, in the radio's words: a text, the name of
   * a tone, an alert, a patch or a unit, a callsign, the frequency that it was moved
   * to. toldAs says which of these it is; "": nothing yet.
   */
  told: string;
  toldAs: Told;
}

export type Told = "" | "message" | "broadcast" | "tone" | "alert" | "cleared" | "panic" | "acknowledged" | "calmed" | "patched" | "unpatched" | "moved" | "kicked" | "named";

/** The words of a unit that talks, as text: the voices that the panel makes have no words. */
export interface Caption {
  unit: number;
  name: string;
  frequency: string;
  says: Text;
  at: number; // ms since the epoch
}

export interface TaskState {
  id: string;
  name: Text;
  how: Text | null;
  hint: Text | null;
  /** waiting: not begun; a missed call is one that nobody answered; only a guided task is skipped. */
  state: "waiting" | "open" | "done" | "missed" | "skipped";
  /** ms since the epoch at which it began; ms that it took, or has been open. */
  since: number | null;
  took: number | null;
  within: number; // ms
  points: number;
}

export interface Score {
  points: number;
  of: number;
  tasks: TaskState[];
  missedCalls: number;
  /** Mean time of the acknowledgements and answers, ms; null: none yet. */
  meanTime: number | null;
  guided: boolean;
}

/** The progress of a playing journal. */
export interface Playback {
  name: string;
  orders: number;
  of: number;
  /** At the end: the hash of the state, and whether it is the one in the journal (null: the journal has none). */
  hash: string | null;
  same: boolean | null;
}

/** What the bar shows. Replaced as a whole, at most ten times a second. */
export interface View {
  scenario: Text;
  about: Text;
  /** ms of the simulation: elapsed since it began, now since the epoch. */
  elapsed: number;
  now: number;
  rate: number; // 0 is pause
  running: boolean;
  over: boolean;
  /** ms of the simulation until something happens by itself; null: nothing will. */
  next: number | null;
  units: UnitState[];
  captions: Caption[]; // the last few, newest first
  score: Score | null; // of a training
  playback: Playback | null;
  linkDown: boolean;
  /** What went wrong while it runs, in words; "": nothing. */
  problem: string;
}

/** What the bar may ask for. */
export interface Control {
  readonly view: View;
  onchange(listener: () => void): () => void;
  /** 0 pauses. */
  setRate(rate: number): void;
  /** Goes on to the next thing that happens by itself, and pauses there. */
  step(): Promise<void>;
  /** Goes on to a second of the scenario at once, doing all that happens until then, and pauses there. */
  to(second: number): Promise<void>;
  /** Starts a scenario, or a journal of "serve --journal". Rejects with what is wrong, naming the field. */
  open(text: string, name: string): Promise<void>;
  choose(scenario: Scenario): Promise<void>;
  /** Shows what went wrong. */
  report(problem: string): void;
  /** The language of the desk: of what is sent from now on. */
  language: Language;
  /** Goes on to the next task of a guided scenario. */
  skip(): Promise<void>;
  restart(): Promise<void>;
  /** A deed by hand. Rejects with what the radio said. */
  deed(deed: Deed, unit?: number): Promise<void>;
  /** The radio's hash now. */
  hash(): Promise<string>;
}

/** What virtual units and the score need of the radio. Every request is made at the simulation's present moment. */
export interface Air {
  now(): number;
  /** Sends an event or makes a REST call as somebody. Never rejects: refusals are in the answer. */
  ask(by: Actor, what: { event: string } | { route: string }, payload?: unknown): Promise<Answer>;
  /** The frequency that a channel's name or frequency stands for; null: there is no such channel. */
  channel(named: string): string | null;
  /** What its channels and alerts are called. */
  readonly names: Names;
  /** A text in the language of the desk. */
  words(text: Text): string;
  /** This panel's own id. */
  readonly me: number;
  /** The panel's link fails for so many seconds. */
  cut(seconds: number): void;
  /** The words of a unit that talks. */
  said?(c: Caption): void;
}

/**
 * What happens by itself: a scenario, or a journal. It hears everything, is asked
 * when it wants to act next, and acts at that moment.
 */
export interface Program {
  /** True: its ticks are the radio's only ones, and nothing else may be asked of the radio. */
  readonly journal?: boolean;
  /** When it has to act next, ms since the epoch; null: nothing more by itself. */
  next(): number | null;
  /** When something that can be noticed happens by itself next: keeping a talk alive cannot. */
  happens(): number | null;
  act(now: number): Promise<void>;
  /** A message of the radio, with the moment. */
  hear(m: Message, now: number): void;
  /** Who hears whom, after it has changed: talker, frequency, listener ids. */
  routes(rows: Route[], now: number): void;
  /**
   * The trainee asked for something and it was done, or did something that only this
   * desk knows of: event "acknowledgeAlert", "monitors", "targets" or "replay" with
   * {channels}, as frequencies.
   */
  did(what: { event?: string; route?: string; payload: unknown }, now: number): void;
  over(now: number): boolean;
  /** Pitch of a unit's voice, Hz, if a scenario gives one. */
  pitch?(id: number): number | undefined;
  /** The trainee goes on to the next task. */
  skip?(now: number): void;
  /** Whether a unit's microphone fails. */
  muted?(id: number): boolean;
  /** A deed by hand, at the simulation's moment, in a turn of the radio. Rejects with what the radio said. */
  deed(deed: Deed, unit?: number): Promise<void>;
  /** Its part of the view; problem is the first deed of a scenario that the radio refused. */
  show(now: number): Pick<View, "scenario" | "about" | "units" | "captions" | "score" | "playback" | "problem">;
}
