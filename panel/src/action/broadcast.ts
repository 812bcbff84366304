import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";

/** The labels that the interface lists; others are allowed. */
export const broadcastTypes = ["General Alert", "Information Alert", "Priority Alert", "Emergency Alert"] as const;

export interface Broadcast {
  message: string;
  type: string;
  /** "" goes to everybody. */
  frequency: string;
  /** "" is silent. */
  tone: string;
}

export function sendBroadcast(p: Ports, b: Broadcast): Promise<boolean> {
  return p.attempt(
    t("broadcast.title"),
    p.link.request("POST /radio/dispatch/broadcast", {
      message: b.message,
      type: b.type,
      ...(b.frequency ? { frequency: b.frequency } : {}),
      ...(b.tone ? { tone: b.tone } : {}),
    }),
  );
}
