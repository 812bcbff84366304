import { t } from "../i18n/language.svelte";
import type { Panel } from "../panel";

/** Plays a tone to everybody on a channel. */
export function playTone(p: Panel, frequency: string, tone: string): Promise<boolean> {
  return p.attempt(t("tone.title"), p.link.request("POST /radio/dispatch/tone", { frequency, tone }));
}
