import type { Key } from "../../i18n/en";
import type { Emergency } from "../../state/emergency";

const words: Record<string, Key> = {
  unit: "emergency.endedByUnit",
  timeout: "emergency.endedByTimeout",
  script: "emergency.endedByScript",
  disconnect: "emergency.endedByDisconnect",
};

/** What ended an emergency that nobody closed. */
export const endingOf = (e: Emergency): Key => words[e.endedBy ?? ""] ?? words["script"]!;
