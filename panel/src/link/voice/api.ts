// What the rest of the panel may ask of the voice link.

import type { Socket } from "socket.io-client";
import type { ClientToServerEvents, ServerToClientEvents } from "../../wire.gen";
import type { NoMicrophone } from "../../audio/api";

/** The part of a session's socket that voice needs. */
export type VoiceSocket = Pick<
  Socket<ServerToClientEvents, ClientToServerEvents>,
  "on" | "off" | "emit" | "connected"
>;

/** How voice travels at this moment. */
export type Plane =
  | "webrtc"
  | "socket" // Opus over Socket.IO, for networks that let no UDP through
  | "simulated" // there is no service: the panel makes the voices
  | "connecting"
  | "none"; // neither works here

/** Why voice does not travel in the best way; null: it does. */
export type PlaneReason =
  | null
  | "blocked" // the media connection never came up
  | "lost" // the media connection broke
  | "refused" // the service said no; see detail
  | "no-webrtc" // the browser has no WebRTC
  | "no-codec" // the browser has no WebCodecs: nothing can be heard without WebRTC
  | "offline"; // the session's socket is down

export interface VoiceState {
  plane: Plane;
  reason: PlaneReason;
  /** The service's own words, if it gave any. */
  detail: string;
  /** True: there is a microphone, and PTT can be used. False: listen only; noMicrophone says why. */
  micReady: boolean;
  noMicrophone: NoMicrophone | null;
  /** Round trip of the media connection in ms; null: not known. */
  roundTrip: number | null;
  /** Packets lost on the way here, 0..1, over the last 5 s; null: not known. */
  loss: number | null;
}

/** A talker whom the service lets this panel hear, in a slot (WebRTC) or by events. */
export interface Heard {
  serverId: number;
  frequency: string;
  /** speaker, listener, userListener, 3DAudio or loopback */
  receiveType: string;
}

/** A talker is shown as talking to this panel, but 50 frames (1 s) went by without a packet. */
export interface Fault {
  serverId: number;
  frequency: string;
  /** ms since the epoch */
  since: number;
}

export interface SelfTest {
  /** From the microphone's graph to the loudspeaker's, in ms; null: nothing came back. */
  roundTrip: number | null;
  /** Bursts sent and heard again. */
  sent: number;
  heard: number;
}

export interface Voice {
  readonly state: VoiceState;
  /** Talkers heard now, and those for whom no slot was free. */
  readonly heard: readonly Heard[];
  readonly waiting: readonly { serverId: number; frequency: string }[];
  /** Empty when all is well. Show them: they mean silence where there should be voice. */
  readonly faults: readonly Fault[];
  /** Calls listener after any of the above has changed, until the function that it returns is called. */
  onchange(listener: () => void): () => void;

  /**
   * Asks for the microphone and connects; call it once the session's socket is
   * connected and the own id is known. From then on it reconnects by itself, also
   * after the socket reconnects. Never rejects: the state says what went wrong.
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

  /** While on, the own voice comes back. */
  setLoopback(enabled: boolean): void;
  /** Sends short bursts through the service and back, and measures. Takes about 3 s. */
  selfTest(): Promise<SelfTest>;
}
