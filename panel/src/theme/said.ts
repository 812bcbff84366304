/** Longest piece of a theme's value in a message. */
const most = 60;

/** How a value that a theme has given is written in a message, whatever it is. */
export function said(x: unknown): string {
  if (typeof x === "string") return JSON.stringify(x.length > most ? `${x.slice(0, most)}…` : x);
  if (typeof x === "function") return "a function";
  if (typeof x !== "object" || x === null) return String(x);
  return Array.isArray(x) ? "a list" : "an object";
}
