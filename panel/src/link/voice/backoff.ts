// When to try the media connection again.

/** Seconds between attempts: quick after a short failure, then so rare that it costs nothing where UDP is blocked for good. */
const waits = [1, 2, 5, 10, 30, 60];

/** backoff is the wait before attempt n (from 0) in ms, spread by ±20 % so that a restarted service is not met by all panels at once. random is 0..1, most in seconds. */
export function backoff(n: number, random: number, most = Infinity): number {
  const seconds = Math.min(most, waits[Math.min(n, waits.length - 1)]!);
  return Math.round(seconds * 1000 * (0.8 + 0.4 * random));
}
