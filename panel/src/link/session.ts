/** The result of a login. */
export interface Credentials {
  sessionId: string;
  authToken: string;
  callsign: string;
  /** ms since the epoch. */
  since: number;
  /** The last id on the radio: a reconnect asks for it. */
  me?: number;
}

const key = "squelch.session";

/** A session older than this, in ms, is renewed at the next connection; sessions last 24 hours. */
export const renewAfter = 20 * 3600_000;

export function keptSession(storage: Storage): Credentials | null {
  try {
    const c: unknown = JSON.parse(storage.getItem(key) ?? "null");
    if (typeof c !== "object" || c === null) return null;
    const { sessionId, authToken, callsign, since, me } = c as Record<string, unknown>;
    if (typeof sessionId !== "string" || typeof authToken !== "string") return null;
    return {
      sessionId,
      authToken,
      callsign: typeof callsign === "string" ? callsign : "",
      since: typeof since === "number" ? since : 0,
      ...(typeof me === "number" ? { me } : {}),
    };
  } catch {
    return null; // not written by the panel
  }
}

export function keepSession(storage: Storage, c: Credentials | null): void {
  if (c) storage.setItem(key, JSON.stringify(c));
  else storage.removeItem(key);
}
