// What actions and views work on. Types only: whoever makes a Ports wires it, see
// main.ts.

import type { Device, Recall } from "./audio/api";
import type { Link } from "./link/link";
import type { Credentials } from "./link/session";
import type { SelfTest } from "./link/voice/api";
import type { ForcedRelease, PttSource, PttTarget } from "./state/ptt";
import type { Session } from "./state/state";
import type { Store } from "./state/store.svelte";

/** Sound, voice and push-to-talk, whether they are there yet or not. */
export interface SoundPort {
  /** Keys the target until the source releases; while sound is off it is kept until sound is on. */
  press(target: PttTarget, source?: PttSource): void;
  release(source?: PttSource): void;
  /** Ends a transmission although its source has not released. */
  force(reason: ForcedRelease): void;
  /** Peak of what is heard on a channel, 0 to 1; for one animation-frame loop. */
  meter(frequency: string): number;
  microphoneMeter(): number;
  /** Turns sound on; to be called from a gesture. */
  resume(): void;
  retryMicrophone(): void;
  devices(): Promise<{ microphones: Device[]; outputs: Device[] }>;
  /** Null until sound has been opened. */
  readonly recall: Recall | null;
  /** While on, the own voice comes back. */
  setLoopback(on: boolean): void;
  selfTest(): Promise<SelfTest>;
}

/** The panel without its view. */
export interface Ports {
  readonly store: Store;
  /** There once the console is open. */
  readonly link: Link;
  readonly sound: SoundPort;
  /** Changes the session. */
  session(more: Partial<Session>): void;
  /** Fetches the console and its link, once. */
  open(): Promise<void>;
  /** Goes on the air with a session. */
  enter(c: Credentials): Promise<void>;
  /** Logs out, here and at the service. */
  leave(): void;
  /** Tells the dispatcher that something went wrong. */
  fault(title: string, text: string): void;
  /** Waits for an action's request; a refusal becomes a notice. False: it was refused. */
  attempt(what: string, work: Promise<unknown>): Promise<boolean>;
}
