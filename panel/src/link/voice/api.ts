// What the rest of the panel may ask of the voice link.

import type { Socket } from "socket.io-client";
import type { ClientToServerEvents, ServerToClientEvents } from "../../wire.gen";
import type { NoMicrophone } from "../../audio/api";

/** The part of the session's Socket.IO socket that voice needs. */
export type VoiceSocket = Pick<
  Socket<ServerToClientEvents, ClientToServerEvents>,
  "on" | "off" | "emit" | "connected"
>;

/** How voice travels at this moment. */
export type Plane =
  | "webrtc"
  | "socket" // Opus over Socket.IO, for networks that let no UDP through
  | "simulated" // there is no service: the voices are made here
  | "connecting"
  | "none"; // neither works here

/** Why voice travels no better than it does; null: it does. */
export type PlaneReason =
  | null
  | "blocked" // no media connection came about
  | "lost" // there was one
  | "refused" // the service said no; see detail
  | "no-webrtc" // the browser has no WebRTC
  | "no-codec" // the browser has no WebCodecs: nothing can be heard without WebRTC
  | "offline"; // the session's socket is down

export interface VoiceState {
  plane: Plane;
  reason: PlaneReason;
  /** The service's own words, where it gave any. */
  detail: string;
  /** True: there is a microphone, PTT can be used. False: listen only, noMicrophone says why. */
  micReady: boolean;
  noMicrophone: NoMicrophone | null;
  /** Round trip of the media connection in ms; null: not known. */
  roundTrip: number | null;
  /** Packets lost on the way here, 0..1, over the last 5 s; null: not known. */
  loss: number | null;
}

/** A talker whom the service lets us hear, in a slot (WebRTC) or by events. */
export interface Heard {
  serverId: number;
  frequency: string;
  /** speaker, listener, userListener, 3DAudio or loopback */
  receiveType: string;
}

/** A talker is shown as talking to us and 50 frames (1 s) went by without a packet. */
export interface Fault {
  serverId: number;
  frequency: string;
  /** ms since the epoch */
  since: number;
}

export interface SelfTest {
  /** From our microphone's graph to our loudspeaker's, in ms; null: nothing came back. */
  roundTrip: number | null;
  /** Bursts sent and heard again. */
  sent: number;
  heard: number;
}

export interface Voice {
  readonly state: VoiceState;
  /** Talkers heard now, and those for whom there was no free slot. */
  readonly heard: readonly Heard[];
  readonly waiting: readonly { serverId: number; frequency: string }[];
  /** Empty when all is well. Show them: they mean silence where there should be none. */
  readonly faults: readonly Fault[];
  /** Called after any of the above has changed. The answer ends it. */
  onchange(listener: () => void): () => void;

  /**
   * Takes the microphone and connects; call once the session's socket is
   * connected and its identity known. It reconnects by itself from then on, also
   * after the socket reconnects. Never rejects: what went wrong is in the state.
   */
  start(socket: VoiceSocket): Promise<void>;
  stop(): void;
  /** Asks for the microphone (again), as from a button after it was denied. */
  retryMicrophone(): Promise<void>;

  /**
   * Opens the microphone towards the service for these channels, or closes it
   * (empty). The PTT controller calls this; it does not ask for the floor.
   */
  transmit(frequencies: readonly string[]): void;

  /** The own voice comes back while on. */
  setLoopback(enabled: boolean): void;
  /** Sends short bursts through the service and back, and measures. Takes about 3 s. */
  selfTest(): Promise<SelfTest>;
}
