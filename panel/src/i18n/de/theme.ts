import type { theme as en } from "../en/theme";

export const theme: Record<keyof typeof en, string> = {
  "theme.region": "Theme",
  "theme.desk": "Konsole",
  "theme.failed": "Theme {name} ist nicht gestartet",
  "theme.off": "Theme {name} wurde ausgeschaltet: Es ist zweimal gescheitert",
  "theme.again": "{why} Es wird noch einmal versucht, wenn diese Seite neu geladen wird.",
  "theme.settings": "{why} In den Einstellungen kann es noch einmal versucht werden.",
  "theme.error": "Fehler im Theme {name}",
  "theme.errorHint": "{error}. Das Theme läuft weiter; mehr steht in der Konsole des Browsers.",
  "theme.noSheet": "Seine Stilvorlage konnte nicht geladen werden.",
  "theme.noScript": "Sein Skript konnte nicht geladen werden.",
  "theme.notParsed": "Sein Skript ist kein gültiges JavaScript: {error}.",
  "theme.threw": "Sein Skript endete mit einem Fehler: {error}.",
  "theme.line": "{error} (Zeile {line})",
  "theme.removed": "Theme {name} wurde entfernt",
  "theme.removedHint": "Der Dienst hat es nicht mehr.",
  "theme.died": "Die Seite ist stehen geblieben, während es startete.",
};
