import type { notice as en } from "../en/notice";

export const notice: Record<keyof typeof en, string> = {
  "attention.by": "von {name}",
  "attention.acknowledged": "Notruf von {name} quittiert",
  "attention.dismiss": "{title} schließen",
  "emergency.list": "Offene Notrufe",

  "undo.move": "{unit} auf {channel} geschaltet.",
  "undo.undo": "Rückgängig",

  "fault.voice": "Kein Ton von {name} auf {channel}.",
  "fault.waiting": "{name} auf {channel}: Alle Sprachplätze sind belegt.",
  "fault.wait": "{error}. Versuchen Sie es in {s} s erneut.",
  "fault.storage": "Es wurde nichts geändert: Der Server kann nicht auf seine Festplatte schreiben. Bitten Sie den Administrator, die Festplatte zu prüfen. ({error})",
  "fault.unreachable": "Keine Antwort vom Server.",
  "fault.alert": "Alarm auf {channel} fehlgeschlagen",
  "fault.panic": "Notruf von {name}: Aktion fehlgeschlagen",
  "fault.move": "{name} konnte nicht umgeschaltet werden",
  "fault.message": "Nachricht an {name} nicht gesendet",
  "fault.disconnect": "{name} konnte nicht getrennt werden",
  "fault.callsign": "Rufname von {name} konnte nicht geändert werden",

  "recorder.title": "Aufzeichnung",
  "recorder.stopped": "Es wird nichts aufgezeichnet: {reason}",
  "recorder.again": "Es wird wieder aufgezeichnet",

  "say.talks": "{name}, {channel}",
  "say.panic": "Notruf: {name} auf {channel}",
  "say.alert": "{alert} auf {channel}",

  "alert.title": "Alarm",
  "alert.clear": "Aufheben",
  "alert.unknown": "Unbekannter Alarm: {name}.",

  "broadcast.title": "Rundnachricht",
  "unit.title": "Einheit {name}",
  "more.broadcast": "Rundnachricht…",
};
