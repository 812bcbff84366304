import type { enConsole } from "./en.console";
import type { enDialog } from "./en.dialog";

/** The English of the first page; together with the other en files it is the list of all texts. {name} is filled in. */
export const en = {
  "app.title": "Squelch dispatch",

  "login.nac": "NAC id",
  "login.callsign": "Callsign",
  "login.go": "Log in",
  "login.external": "Log in with your account",
  "login.unreachable": "Cannot reach the server.",
  "login.ended": "Your session has ended. Log in again.",
  "login.starting": "Connecting…",
  "login.simulation": "Simulation",
  "login.invalid": "Invalid NAC id. Check the spelling, or ask your administrator for it.",
  "login.storage": "The server cannot write to its disk, so nobody can log in right now. Ask the operator to check the disk. ({error})",
  "login.wait": "Too many attempts from this address. Try again in {s} s.",
  "login.untold": "You are logged out here, but the server was not told: the login stays valid there for up to a day.",

  "unloaded.console": "The console did not load. Check the connection to the server, then try again.",
  "unloaded.simulation": "The simulation did not load: {why}",
  "unloaded.again": "Try again",
  "unloaded.leave": "Leave simulation",
} as const;

export type Key = keyof typeof en | keyof typeof enConsole | keyof typeof enDialog;
export type Catalogue = Record<Key, string>;
