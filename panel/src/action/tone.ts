import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";

/** Chooses the channel that the rail's tones are sent on. */
export function chooseToneChannel(p: Ports, frequency: string | null): void {
  p.store.change((s) => ({ ...s, screen: { ...s.screen, toneOn: frequency } }));
}

/** Plays a tone to everybody on a channel. */
export function playTone(p: Ports, frequency: string, tone: string): Promise<boolean> {
  return p.attempt(t("tone.title"), p.link.request("POST /radio/dispatch/tone", { frequency, tone }));
}
