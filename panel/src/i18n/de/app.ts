import type { app as en } from "../en/app";

export const app: Record<keyof typeof en, string> = {
  "app.title": "Squelch Leitstelle",

  "login.title": "An der Leitstelle anmelden",
  "login.nac": "Zugangscode (NAC-ID)",
  "login.callsign": "Rufname",
  "login.go": "Anmelden",
  "login.external": "Über Ihre Organisation anmelden",
  "login.unreachable": "Der Server ist nicht erreichbar.",
  "login.ended": "Ihre Sitzung ist beendet. Melden Sie sich neu an.",
  "login.starting": "Verbindung wird aufgebaut…",
  "login.simulation": "Mit simuliertem Funkverkehr üben",
  "login.invalid": "Ungültiger Zugangscode. Prüfen Sie die Schreibweise, oder fragen Sie Ihren Administrator.",
  "login.storage": "Der Server kann nicht auf seine Festplatte schreiben, daher kann sich gerade niemand anmelden. Bitten Sie den Administrator, die Festplatte zu prüfen. ({error})",
  "login.wait": "Zu viele Versuche von dieser Adresse. Versuchen Sie es in {s} s erneut.",
  "login.untold": "Sie sind hier abgemeldet, aber der Server war nicht erreichbar: Dort bleibt die Sitzung bis zu einem Tag gültig.",

  "unloaded.console": "Die Konsole wurde nicht geladen. Prüfen Sie die Verbindung zum Server, und versuchen Sie es erneut.",
  "unloaded.simulation": "Die Simulation wurde nicht geladen: {why}",
  "unloaded.again": "Erneut versuchen",
  "unloaded.leave": "Simulation verlassen",
  "unloaded.title": "Nicht geladen",
  "unloaded.part": "Dieser Teil der Konsole wurde nicht geladen. Prüfen Sie die Verbindung zum Server, und versuchen Sie es erneut. Hilft das nicht, laden Sie die Seite neu.",
};
