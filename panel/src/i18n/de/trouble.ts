import type { trouble as en } from "../en/trouble";

export const trouble: Record<keyof typeof en, string> = {
  "reason.blocked": "Das Netzwerk sperrt die direkte Sprachverbindung. Der Ersatzweg wird verwendet; die Verzögerung ist größer.",
  "reason.lost": "Sprachverbindung abgerissen.",
  "reason.refused": "Der Server hat die Sprachverbindung abgelehnt.",
  "reason.no-webrtc": "Dieser Browser unterstützt keine direkte Sprachverbindung (WebRTC).",
  "reason.no-codec": "Dieser Browser kann Sprache nicht wiedergeben. Verwenden Sie einen aktuellen Chrome, Edge oder Firefox.",
  "reason.offline": "Keine Verbindung zum Server.",

  "mic.insecure": "Nur Empfang: Das Mikrofon braucht HTTPS. Wenden Sie sich an Ihren Administrator.",
  "mic.unsupported": "Nur Empfang: Dieser Browser unterstützt keine Mikrofone.",
  "mic.denied": "Nur Empfang: Der Zugriff auf das Mikrofon wurde verweigert.",
  "mic.missing": "Nur Empfang: kein Mikrofon gefunden.",
  "mic.busy": "Nur Empfang: Ein anderes Programm verwendet das Mikrofon.",
  "mic.lost": "Nur Empfang: Das Mikrofon ist nicht mehr angeschlossen.",
  "mic.retry": "Mikrofon erneut versuchen",

  "sound.click": "Der Ton ist aus: Browser schalten ihn erst nach einem Klick ein. Sie hören nichts, und was Sie sagen, wird nicht gesendet. Klicken Sie irgendwohin, um ihn einzuschalten.",
  "sound.device": "Der Ton lässt sich nicht starten. Sie hören nichts, und was Sie sagen, wird nicht gesendet. Prüfen Sie, ob dieser Rechner eine Tonausgabe hat.",
  "sound.output": "Der gewählte Lautsprecher ist nicht nutzbar. Wählen Sie in den Einstellungen einen anderen.",
  "sound.unsent": "Nicht auf Sendung: Der Ton ist aus.",
  "sound.line": "Der Ton ist aus",
  "sound.unloaded": "Ton und Sprache wurden nicht geladen. Sie hören nichts, und was Sie sagen, wird nicht gesendet. Prüfen Sie die Verbindung zum Server. Hilft das nicht, laden Sie die Seite neu.",

  "trouble.locked_out": "Zu viele fehlgeschlagene Anmeldungen von dieser Adresse. Nächster Versuch in {s} s.",
  "trouble.full": "Der Server ist ausgelastet. Nächster Versuch in {s} s. Schließen Sie Konsolen, die niemand braucht, oder bitten Sie den Administrator, die Grenze anzuheben.",
  "trouble.refused": "Der Server weist diese Konsole ab: {error}. Nächster Versuch in {s} s. Hilft das nicht, melden Sie sich neu an.",
  "trouble.again": "Neu anmelden",
  "trouble.degraded": "Der Server kann nicht auf seine Festplatte schreiben ({reason}). Sprechen, Notrufe und Alarme funktionieren weiter. Kopplungen, Rufnamen und neue Anmeldungen werden abgelehnt: Bitten Sie den Administrator, die Festplatte zu prüfen.",

  "ptt.released": "Sprechtaste gelöst: {reason}",
  "ptt.reason.blur": "ein anderes Fenster hat die Tastatur",
  "ptt.reason.hidden": "dieser Tab ist im Hintergrund",
  "ptt.reason.pagehide": "die Seite wurde geschlossen",
  "ptt.reason.focus": "ein Textfeld hat die Tastatur",
  "ptt.reason.cancel": "der Tastendruck wurde unterbrochen",
  "ptt.reason.device": "das Mikrofon ist nicht mehr angeschlossen",
  "ptt.reason.sound": "der Ton ist ausgefallen",
  "ptt.reason.socket": "keine Verbindung zum Server",
  "ptt.reason.taken": "von anderen unterbrochen",
  "ptt.reason.stop": "beendet",
};
