/** What went wrong with a request, an event or a connection. */
export interface Failing {
  /** The request or event that failed: "POST /api/play-tone", "setTalking", "connect". */
  what: string;
  /** HTTP status; 0 if the service was not reached or did not answer in time, or if the refusal has none (events). */
  status: number;
  /** Why, in the service's words. */
  refusal: string;
  /** Code of a refused handshake: "bad_token", "bad_session", "bad_id", "bad_scope", "locked_out" or "full". */
  code?: string | undefined;
  /** Seconds to wait before another attempt, if the service says so. */
  retryAfter?: number | undefined;
  /** Who has the floor, if a key-up was denied because the channel is busy. */
  currentTalker?: number | undefined;
}

/**
 * The one error that this package throws.
 *
 * @example
 * try {
 *   await radio.rest("POST /api/play-tone", { body: { frequency: "154.755", tone: "CHIRP" } });
 * } catch (e) {
 *   if (e instanceof SquelchError && e.status === 404) console.log(e.refusal); // "Channel not found"
 *   else throw e;
 * }
 */
export class SquelchError extends Error implements Failing {
  override readonly name = "SquelchError";
  readonly what: string;
  readonly status: number;
  readonly refusal: string;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
  readonly currentTalker: number | undefined;

  constructor(f: Failing, options?: ErrorOptions) {
    super(`${f.what}: ${f.refusal}${f.status ? ` (${f.status})` : ""}`, options);
    this.what = f.what;
    this.status = f.status;
    this.refusal = f.refusal;
    this.code = f.code;
    this.retryAfter = f.retryAfter;
    this.currentTalker = f.currentTalker;
  }
}
