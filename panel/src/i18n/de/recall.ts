import type { recall as en } from "../en/recall";

export const recall: Record<keyof typeof en, string> = {
  "recall.everything": "Alle Kanäle",
  "recall.again": "{channel} nachhören, letzte {n} s",
  "recall.last": "Letzte {n} s nachhören",
  "recall.menu": "{channel} nachhören",
  "recall.stop": "Nachhören beenden",
  "recall.close": "Nachhören schließen",
  "recall.list": "Aufzeichnungen",
  "recall.count.one": "{n} Funkspruch · {s} s",
  "recall.count.other": "{n} Funksprüche · {s} s",
  "recall.of": "Nachhören",
  "recall.none": "Keine Wiedergabe",
  "recall.noneWhy": "Wählen Sie, wie viel vom letzten Funkverkehr wiedergegeben wird. Aufgezeichnet ist nur, was an dieser Konsole zu hören war.",
  "recall.from": "Ab {time} abspielen, {name}",
  "recall.timeline": "Zeitachse",
  "recall.nothing": "Nichts aufgezeichnet",
  "recall.interrupted": "Nachhören beendet: Notruf",
};
