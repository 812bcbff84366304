import type { Ack, Routes } from "../wire.gen";
import type { Engine } from "../audio/engine";
import type { RadioEvent } from "../state/event";
import type { Barred } from "../state/state";
import type { Timeline } from "../timeline/api";
import type { Credentials } from "./session";
import type { ClientEvent, Sent, VoiceSocket } from "./socket";
import type { Voice } from "./voice/api";

export type Request = <R extends keyof Routes>(route: R, body: Routes[R]["body"]) => Promise<Routes[R]["reply"]>;

/** A request that the service refused, or that did not reach it (status 0). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Seconds after which the request may be tried again, if the service said so; else 0. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

/** What the panel hears from its link. */
export interface LinkEvents {
  /** Connected, with the id asked for; the panel joins and scans its channels again. */
  connected(me: number): void;
  disconnected(): void;
  event(e: RadioEvent): void;
  heartbeat(roundTrip: number): void;
  /** The session has been renewed. */
  renewed(c: Credentials): void;
  /** The service refuses the console; the link tries again by itself. */
  barred(why: Barred): void;
  /** Why the service cannot store anything; empty: it can. */
  degraded(reason: string): void;
  /** The service knows neither session nor token: log in again. */
  loggedOut(reason: string): void;
}

/**
 * The radio as the panel sees it: what the service can be asked, and what it sends.
 * The panel cannot tell a live service from a simulated one.
 */
export interface Link {
  /** For push-to-talk and voice, which listen to events themselves. */
  readonly socket: VoiceSocket;
  /** The radio's time, ms since the epoch. */
  now(): number;
  /** Goes on the air; on is told what happens from now on. */
  start(c: Credentials, on: LinkEvents): void;
  stop(): void;
  /** Stops, and ends the login at the service with all its sessions. Rejects if the service did not confirm it. */
  logout(): Promise<unknown>;
  request: Request;
  /** Sends an event and returns the service's answer; rejects if there is none. */
  send<N extends ClientEvent>(name: N, payload: Sent<N>): Promise<Ack>;
  /** Sends an event without waiting for an answer. Lost without a connection. */
  tell<N extends ClientEvent>(name: N, payload: Sent<N>): void;
  /** The voice of this radio, which plays through the engine. */
  voice(engine: Engine): Promise<Voice>;
  /** The past of this radio. */
  timeline(): Promise<Timeline>;
  /** The address of a tone of the configuration; undefined: the panel makes the tone. */
  toneAddress(file: string): string | undefined;
}
