import type { Credentials } from "./session";

/** The result of an external login: credentials, or the service's words. */
export interface ExternalLogin {
  credentials: Credentials | null;
  error: string;
}

/**
 * Reads the result of an external login from the address's fragment. The mark in it
 * must also be in a cookie, which only the service sets: any other link was made by
 * somebody else, and whoever follows it must not be logged in under that person's
 * login (RFC 9700, section 4.7). Null: the fragment is not the result of a login.
 */
export function fromFragment(hash: string, cookies: string, now: number): ExternalLogin | null {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  const sessionId = p.get("sessionId");
  const authToken = p.get("authToken");
  const error = p.get("error");
  if (error === null && (sessionId === null || authToken === null)) return null;
  const mark = p.get("login");
  if (!mark || !cookies.split("; ").includes(`dispatch_login_done=${mark}`)) return { credentials: null, error: "" };
  if (!sessionId || !authToken) return { credentials: null, error: error ?? "" };
  return { credentials: { sessionId, authToken, callsign: p.get("callsign") ?? "", since: now }, error: "" };
}
