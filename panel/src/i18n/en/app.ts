/** The first page: signing in, and what did not load. */
export const app = {
  "app.title": "Squelch Dispatch",

  "login.title": "Sign in to dispatch",
  "login.nac": "Access code (NAC ID)",
  "login.callsign": "Callsign",
  "login.go": "Sign in",
  "login.external": "Sign in with your organization",
  "login.unreachable": "Cannot reach the server.",
  "login.ended": "Your session ended. Sign in again.",
  "login.starting": "Connecting…",
  "login.simulation": "Practice with simulated radio traffic",
  "login.invalid": "Invalid access code. Check the spelling, or ask your administrator for it.",
  "login.storage": "The server cannot write to its disk, so nobody can sign in right now. Ask the administrator to check the disk. ({error})",
  "login.wait": "Too many attempts from this address. Try again in {s} s.",
  "login.untold": "You are signed out here, but the server could not be reached: the session stays valid there for up to a day.",

  "unloaded.console": "The console did not load. Check the connection to the server, then try again.",
  "unloaded.simulation": "The simulation did not load: {why}",
  "unloaded.again": "Try again",
  "unloaded.leave": "Leave simulation",
  "unloaded.title": "Not loaded",
  "unloaded.part": "This part of the console did not load. Check the connection to the server and try again. If that does not help, reload the page.",
} as const;
