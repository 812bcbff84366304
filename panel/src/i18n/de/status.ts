import type { status as en } from "../en/status";

export const status: Record<keyof typeof en, string> = {
  "status.bar": "Status",
  "status.health": "Verbindung",
  "status.roundTrip": "{ms} ms",
  "status.loss": "{percent} % Paketverlust",
  "status.voice": "Sprachverbindung",
  "status.clock": "Uhrzeit",
  "status.commands": "Befehle",
  "status.settings": "Einstellungen",
  "status.account": "{callsign}: Konto",
  "status.shortcuts": "Tastenbelegung",
  "status.logout": "Abmelden",
  "status.id": "Konsole {id}",
  "status.stale": "Der Server antwortet nicht. Die Anzeige ist möglicherweise veraltet.",
  "status.sound": "Ton einschalten",

  "health.connected": "Verbunden",
  "health.stale": "Antwortet nicht",
  "health.disconnected": "Getrennt",

  "plane.webrtc": "Sprache: direkt",
  "plane.simulated": "Sprache: simuliert",
  "plane.socket": "Sprache: Ersatzweg",
  "plane.connecting": "Sprache wird verbunden…",
  "plane.none": "Keine Sprachverbindung",

  "key.Ctrl": "Strg",
  "key.Shift": "Umschalt",
  "key.Home": "Pos1",
  "key.End": "Ende",
};
