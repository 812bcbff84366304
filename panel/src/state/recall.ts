/** One transmission to be played again, from a line of the log. */
export interface OneSaid {
  readonly line: string;
  readonly channel: string;
  readonly talker: number;
  /** ms since the epoch */
  readonly at: number;
}

/** A stretch of a burst that is being recalled. */
export interface Recalled {
  channel: string;
  talker: number;
  /** When it was said, in ms since the epoch. */
  at: number;
  /** Seconds of it that are played. */
  length: number;
}

/** The recall that is playing, or the last one. */
export interface RecallState {
  /** Null: all channels. */
  channel: string | null;
  /** Seconds of traffic that were asked for; 0: one transmission. */
  seconds: number;
  /** The line of the log that it was played from, and its picture: how loud it is, 0 to 255. */
  line?: string;
  peaks?: readonly number[];
  /** In the order in which they play; empty: nothing was said there. */
  bursts: readonly Recalled[];
  /** The index of the one that plays now, and of the one that it was played from. */
  index: number;
  first: number;
  playing: boolean;
  /** It was interrupted by an emergency, which takes precedence. */
  interrupted: boolean;
}
