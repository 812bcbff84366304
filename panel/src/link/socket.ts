// The part of a session's socket that voice and push-to-talk use. A live service, a
// simulation and a game each have their own.

import type { Ack, ClientToServerEvents, ServerToClientEvents } from "../wire.gen";

export type ClientEvent = keyof ClientToServerEvents;
export type Sent<N extends ClientEvent> = Parameters<ClientToServerEvents[N]>[0];

/** What a socket tells: the service's events, and how the connection is. */
export interface SocketEvents extends ServerToClientEvents {
  connect: () => void;
  disconnect: () => void;
}

export type Handlers = Partial<SocketEvents>;

export interface VoiceSocket {
  readonly connected: boolean;
  /** Calls the handlers, until the function that it returns is called. */
  hear(handlers: Handlers): () => void;
  emit<N extends ClientEvent>(name: N, payload: Sent<N>, answered?: (answer: Ack) => void): void;
}
