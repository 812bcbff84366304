let now = $state(Date.now());
let timer = setInterval(() => (now = Date.now()), 1_000);

/** Takes the time from source, every so many ms: a simulation has a time of its own. */
export function setClock(source: () => number, every: number): void {
  clearInterval(timer);
  timer = setInterval(() => (now = source()), every);
}

/** This computer's time in ms; a view that reads it is redrawn every second. */
export function seconds(): number {
  return now;
}

let coarse = $derived(Math.floor(now / 10_000) * 10_000);

/** As seconds, but a view that reads it is redrawn every ten seconds only. */
export function tens(): number {
  return coarse;
}

/** How many seconds are left until a time of the real clock. */
export function secondsTo(ms: number): number {
  return Math.ceil((ms - Math.max(now, Date.now())) / 1000);
}

/** 14:03:59, in UTC or as the computer's clock stands. */
export function clock(ms: number, utc: boolean): string {
  const d = new Date(ms);
  const parts = utc ? [d.getUTCHours(), d.getUTCMinutes(), d.getUTCSeconds()] : [d.getHours(), d.getMinutes(), d.getSeconds()];
  return parts.map((n) => String(n).padStart(2, "0")).join(":");
}

/** 14:03: a moment that is not measured to the second. */
export const minutes = (ms: number, utc: boolean): string => clock(ms, utc).slice(0, 5);

/** 0:07, 12:30. */
export function duration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}
