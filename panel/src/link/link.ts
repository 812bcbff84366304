import type { Ack, ClientToServerEvents, Routes } from "../wire.gen";
import type { Engine } from "../audio/engine";
import type { RadioEvent } from "../state/event";
import type { Credentials } from "./session";
import type { Voice, VoiceSocket } from "./voice/api";

export type Request = <R extends keyof Routes>(route: R, body: Routes[R]["body"]) => Promise<Routes[R]["reply"]>;
export type ClientEvent = keyof ClientToServerEvents;
export type Sent<N extends ClientEvent> = Parameters<ClientToServerEvents[N]>[0];

/** A request that the service refused, or that did not reach it (status 0). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Seconds after which it may be tried again, where the service said so; else 0. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

/** The service does not let the panel onto the radio. */
export interface Barred {
  /** bad_id, bad_scope, locked_out, full */
  code: string;
  /** The service's words. */
  error: string;
  /** When the panel tries again by itself, ms since the epoch. */
  until: number;
}

/** What the panel hears from its link. */
export interface LinkEvents {
  /** Connected, with the id asked for; the panel says again what it listens to. */
  connected(me: number): void;
  disconnected(): void;
  event(e: RadioEvent): void;
  heartbeat(roundTrip: number): void;
  /** The session has been renewed. */
  renewed(c: Credentials): void;
  /** It is refused, and tries again by itself. */
  barred(why: Barred): void;
  /** What the service cannot store, and why; empty: it is well. */
  degraded(reason: string): void;
  /** The service knows neither session nor token: log in again. */
  loggedOut(reason: string): void;
}

/**
 * The radio as the panel sees it: what the service can be asked, and what it
 * tells. The panel cannot tell a live service from a simulated one.
 */
export interface Link {
  /** For push-to-talk and voice, which follow events by themselves. */
  readonly socket: VoiceSocket;
  /** The radio's time, ms since the epoch. */
  now(): number;
  start(c: Credentials): void;
  stop(): void;
  /** Stops, and ends the login at the service: all its sessions. Rejects when it was not told. */
  logout(): Promise<unknown>;
  request: Request;
  /** Sends an event and gives the service's answer; rejects when there is none. */
  send<N extends ClientEvent>(name: N, payload: Sent<N>): Promise<Ack>;
  /** Sends an event whose answer nobody needs. Lost when there is no connection. */
  tell<N extends ClientEvent>(name: N, payload: Sent<N>): void;
  /** The voice of this radio, which plays through the engine. */
  voice(engine: Engine): Promise<Voice>;
  /** Where a tone of the configuration is fetched from; undefined: the panel makes it. */
  toneAddress(file: string): string | undefined;
}
