import type { log as en } from "../en/log";

/** Das Log des Dienstes. */
export const log: Record<keyof typeof en, string> = {
  "log.hint": "Die letzten 1000 Zeilen des Dienstes. Was geschrieben wird, sagt logLevel in der Konfiguration oder --log-level: Dieser Dienst schreibt bis „{level}“.",
  "log.find": "Suchen",
  "log.like": "Name, Adresse oder Wort",
  "log.level": "Bis",
  "log.kind": "Stufe",
  "log.error": "error",
  "log.warn": "warn",
  "log.notice": "notice",
  "log.info": "info",
  "log.debug": "debug",
  "log.verbose": "verbose",
  "log.pause": "Anhalten",
  "log.follow": "Mitlaufen",
  "log.paused": "Angehalten",
  "log.time": "Zeit",
  "log.line": "Was geschah",
  "log.none": "Keine Zeilen",
  "log.lost.one": "1 Zeile wurde ausgelassen, weil es in einer Sekunde zu viele waren.",
  "log.lost.other": "{n} Zeilen wurden ausgelassen, weil es in einer Sekunde zu viele waren.",
};
