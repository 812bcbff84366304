import type { desk as en } from "../en/desk";

export const desk: Record<keyof typeof en, string> = {
  "recall.title": "Alle Kanäle nachhören",
  "recall.all": "Alle Kanäle nachhören, letzte {n} s",
  "recall.seconds": "{n} s",

  "patch.title": "Kopplungen",
  "patch.none": "Keine aktiven Kopplungen",
  "patch.noneWhy": "Eine Kopplung verbindet Kanäle: Was auf einem zu hören ist, wird auf allen gesendet.",
  "patch.new": "Neue Kopplung…",
  "patch.remove": "Kopplung {label} beenden",
  "patch.removeShort": "Beenden",
  "patch.talk": "Senden auf Kopplung {label}",

  "group.title": "Durchsagegruppen",
  "group.none": "Keine Durchsagegruppen. Ein Administrator kann sie anlegen.",
  "group.arm": "{name} als Sprechziel",
  "group.armed": "Sprechziel",
  "group.talk": "Senden an {name}",

  "tones.title": "Töne",
  "tones.channel": "Töne senden auf",
  "tones.sendOn": "Senden auf",
  "tones.choose": "Kanal wählen",
  "tones.chooseWhy": "Töne werden nur auf dem hier gewählten Kanal gesendet.",
  "tones.play": "{tone} auf {channel} senden",
  "tones.on": "auf {channel}",
  "tones.hold": "Zum Senden halten",
  "tones.sent": "{tone} auf {channel} gesendet",
  "tones.none": "Keine Töne. Ein Administrator kann sie anlegen.",

  "tone.title": "Ton",
};
