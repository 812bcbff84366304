import { languages, looks } from "../../state/desk";
import { define } from "../define";
import { showIncident } from "../incident";
import { logout } from "../login";
import { closeDrawer, open } from "../screen";
import { setCallsign, updateSettings } from "../settings";

/** The desk itself, and what it opens. */
export const desk = [
  define({ id: "look.set", args: { look: { kind: "choice", of: looks } }, run: (p, a) => updateSettings(p, { look: a.look }) }),
  define({ id: "theme.set", args: { theme: { kind: "theme", optional: true } }, run: (p, a) => updateSettings(p, { theme: a.theme ?? null }) }),
  define({ id: "language.set", args: { language: { kind: "choice", of: languages } }, run: (p, a) => updateSettings(p, { language: a.language }) }),
  define({ id: "latch.toggle", args: {}, run: (p) => updateSettings(p, { latch: !p.store.now.desk.settings.latch }) }),
  define({ id: "callsign.set", args: { callsign: { kind: "text", least: 1, most: 32 } }, run: (p, a) => setCallsign(p, a.callsign) }),
  define({ id: "settings.open", args: {}, run: (p) => open(p, "settings") }),
  define({ id: "incident.open", args: {}, run: (p) => showIncident(p) }),
  define({ id: "incident.close", args: {}, enabled: (p) => p.store.now.screen.incident === true, run: (p) => showIncident(p, false) }),
  define({ id: "keys.open", args: {}, run: (p) => open(p, "keys") }),
  define({ id: "palette.open", args: {}, run: (p) => open(p, "palette") }),
  define({ id: "drawer.close", args: {}, run: closeDrawer }),
  define({ id: "logout", args: {}, run: logout }),
];
