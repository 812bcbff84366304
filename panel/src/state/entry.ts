/** What the log's filter tells apart. */
export type LogKind = "voice" | "emergency" | "alert" | "change" | "message";

/** What happened, apart from transmissions. */
export type Deed =
  | "raised"
  | "acknowledged"
  | "ended"
  | "closed"
  | "alert"
  | "alertCleared"
  | "alertSeen"
  | "moved"
  | "patchOn"
  | "patchOff"
  | "disconnected"
  | "callsign"
  | "text"
  | "broadcast";

/** One line of the log that is not a transmission. Names are those of the time. */
export interface LogEntry {
  /** Made of what happened, where and when (by the server's clock): what is told twice is logged once. */
  id: string;
  what: Deed;
  /** ms since the epoch, this computer's clock. */
  at: number;
  /** The unit that it is about. */
  serverId: number | null;
  name: string;
  frequency: string | null;
  /** Who did it; 0: nobody on the radio. */
  by: number;
  byName: string;
  /** An alert's name, a patch's label, a message, a new callsign, how an emergency ended or the reason for closing it. */
  detail: string;
}
