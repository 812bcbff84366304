export type PttState = "IDLE" | "REQUESTED" | "TX" | "TAIL" | "DENIED";

/** What was pressed. A press belongs to its source: only that source's release, or a forced one, ends it. */
export type PttSource = "key" | "mouse" | "gamepad" | "screen" | "command" | "theme";

/** What is keyed. */
export type PttTarget =
  | { kind: "global" } // the current or all selected channels
  | { kind: "channel"; frequency: string }
  | { kind: "group"; groupId: string }
  | { kind: "patch"; patchId: string };

/** Why a transmission ended although the source was not released. */
export type ForcedRelease =
  | "blur" // the window lost the keyboard
  | "hidden" // the page went to the background
  | "pagehide"
  | "focus" // focus moved into a text field
  | "cancel" // the pointer was cancelled
  | "device" // the microphone was disconnected
  | "sound" // sound stopped, and the microphone with it
  | "socket" // the link is lost
  | "taken" // the service ended it (time-out timer, or an override after the lease ran out)
  | "stop"; // the panel closes or the user logs out

export interface Denial {
  frequency: string;
  /** "busy", the words of a refusal, or "no answer" */
  reason: string;
  holder: number | null;
}

/** The whole state of a push-to-talk. Times are ms of one clock that never goes back. */
export interface Ptt {
  state: PttState;
  source: PttSource | null;
  target: PttTarget | null;
  /** Channels asked for and not yet answered, and channels granted. */
  asked: readonly string[];
  granted: readonly string[];
  /** The last denials, until the next press. */
  denials: readonly Denial[];
  /** Channels that were granted and then taken by somebody else, until the next press. */
  lost: readonly string[];
  override: boolean;
  latched: boolean;
  /** When "time" is due, in the clock of now; null: never. */
  deadline: number | null;
  /** When the last press began, for the double tap. */
  pressedAt: number;
  /** Why the last transmission was ended by force; null: it was released. */
  forced: ForcedRelease | null;
}
