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

/** Reasons for having no microphone, to be shown in the user's language. */
export type NoMicrophone =
  | "insecure" // plain http: the browser has no microphone there
  | "unsupported" // the browser has none of it
  | "denied" // the user or a policy said no
  | "missing" // there is no microphone
  | "busy" // another program has it
  | "lost"; // it was unplugged

/** A talker is shown as talking to this panel, but 50 frames (1 s) went by without a packet. */
export interface Fault {
  serverId: number;
  frequency: string;
  /** ms since the epoch */
  since: number;
}
