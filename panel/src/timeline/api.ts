// What the panel can ask about the past. The service has a timeline, and so has a
// simulation; the panel cannot tell one from the other. All times are ms since the
// epoch by the clock of the radio that was asked.

import type { RecordingInfo, TimelineEntry, TimelinePage } from "../wire.gen";

export type { RecordingInfo, TimelineEntry, TimelinePage };

/** What to look for. What is left out is not asked for. */
export interface TimelineQuery {
  /** Entries with a lower number only: the next of the page before. */
  before?: number;
  /** Most entries of a page, up to 500. */
  limit?: number;
  from?: number;
  to?: number;
  kinds?: readonly string[];
  /** A channel's frequency: its working frequencies and patches count. */
  frequency?: string;
  /** A part of a unit's id, name or callsign. */
  unit?: string;
  /** Words that all must occur, in whatever an entry says. */
  text?: string;
}

/** A stretch of time. */
export interface Span {
  from: number;
  to: number;
  /** Empty: all channels. */
  frequencies: readonly string[];
}

/** How many bytes of a file are there. */
export type Arrived = (bytes: number) => void;

/** A file that is made and fetched at length. */
export interface Fetching {
  arrived?: Arrived;
  /** Ends it early: it rejects with a Refusal then. */
  signal?: AbortSignal;
}

export interface Timeline {
  /** Everything since then, the newest first, as far as the pages that it may take go. */
  recent(since: number): Promise<TimelineEntry[]>;
  /** One page. It may be empty although there is more further back: a search looks through so many entries and no more. */
  page(q: TimelineQuery): Promise<TimelinePage>;
  /**
   * The recording of a transmission, in a form that a browser decodes; of one that is
   * still on the air what there is so far. Rejects with a Refusal, of status 404 if
   * there is none.
   */
  audio(id: string, format?: RecordingInfo["format"]): Promise<ArrayBuffer>;
  /** What was said on one channel, one file in the order of time; pauses may be shortened. */
  mix(frequency: string, from: number, to: number, pauses: "keep" | "short", f?: Fetching): Promise<Blob>;
  /** Recordings, timeline and transcripts of that time, as a zip. */
  exporting(span: Span, f?: Fetching): Promise<Blob>;
}
