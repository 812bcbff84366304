// What the rest of the panel may ask of the voice link.

import type { Fault, VoiceState } from "../../state/voice";
import type { VoiceSocket } from "../socket";

/** A talker whom the service lets this panel hear, in a slot (WebRTC) or by events. */
export interface Heard {
  serverId: number;
  frequency: string;
  /** speaker, listener, userListener, 3DAudio or loopback */
  receiveType: string;
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
   * (empty). The PTT controller calls this; it does not ask for the floor. When it
   * closes, the result resolves once the last frame of what was said has left, soon in
   * any case; null: there is nothing to wait for.
   */
  transmit(frequencies: readonly string[]): Promise<void> | null;

  /** While on, the own voice comes back. */
  setLoopback(enabled: boolean): void;
  /** Sends short bursts through the service and back, and measures. Takes about 3 s. */
  selfTest(): Promise<SelfTest>;
}
