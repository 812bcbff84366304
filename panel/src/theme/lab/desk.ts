// A console with nothing behind it: what it or a theme asks of the radio is written
// down, and never sent.

import type { Link } from "../../link/link";
import type { Ports, SoundPort } from "../../ports";
import type { Session, State } from "../../state/state";
import { Store } from "../../state/store.svelte";
import { talkersOn } from "../../state/floor";
import { noTimeline } from "../../timeline/none";
import { moment } from "./county";

/** What was asked of the radio: the name of the route, event or press, and what was said with it. */
export interface Asked {
  name: string;
  about: unknown;
}

/** How loud everybody is who talks: meters stand still, so that pictures of a scene are alike. */
const loudness = 0.6;

export class SceneDesk implements Ports {
  readonly store = new Store();
  /** The newest last. */
  readonly asked: Asked[] = [];
  /** What the dispatcher was told that went wrong. */
  readonly faults: string[] = [];
  /** Called after each. */
  onasked: (() => void) | undefined;

  readonly sound: SoundPort = {
    press: (target, source) => this.#note("press", { target, source }),
    release: (source) => this.#note("release", { source }),
    force: (reason) => this.#note("force", { reason }),
    meter: (frequency) => (talkersOn(this.store.now.radio, frequency).length > 0 ? loudness : 0),
    microphoneMeter: () => (this.store.now.ptt.granted.length > 0 ? loudness : 0),
    resume: () => this.#note("resume", null),
    retryMicrophone: () => this.#note("retryMicrophone", null),
    devices: async () => ({ microphones: [], outputs: [] }),
    recall: null,
    setLoopback: (on) => this.#note("setLoopback", { on }),
    selfTest: async () => ({ roundTrip: null, sent: 0, heard: 0 }),
  };

  readonly link: Link = {
    socket: { connected: true, hear: () => () => undefined, emit: (name, payload) => this.#note(name, payload) },
    now: () => moment,
    start: () => undefined,
    stop: () => undefined,
    logout: async () => this.#note("logout", null),
    request: (route, body) => this.#never(route, body),
    send: (name, payload) => this.#never(name, payload),
    tell: (name, payload) => this.#note(name, payload),
    voice: () => this.#never("voice", null),
    timeline: async () => noTimeline,
    toneAddress: () => undefined,
  };

  #note(name: string, about: unknown): void {
    this.asked.push({ name, about });
    this.onasked?.();
  }

  /** Nobody answers: a promise that is kept would claim that something has happened. */
  #never(name: string, about: unknown): Promise<never> {
    this.#note(name, about);
    return new Promise(() => undefined);
  }

  show(s: State): void {
    this.store.change(() => s);
  }

  session(more: Partial<Session>): void {
    this.store.change((s) => ({ ...s, session: { ...s.session, ...more } }));
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  enter(): Promise<void> {
    return Promise.resolve(this.#note("enter", null));
  }

  leave(): void {
    this.#note("leave", null);
  }

  fault(title: string, text: string): void {
    this.faults.push(`${title}: ${text}`);
    this.onasked?.();
  }

  async attempt(_: string, work: Promise<unknown>): Promise<boolean> {
    await work;
    return true;
  }
}
