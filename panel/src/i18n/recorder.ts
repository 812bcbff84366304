import { t } from "./language.svelte";
import "./later";

/** How the service tells every console, as a broadcast, how its recorder is. */
const stopped = "Nothing is recorded: ";
const again = "Recording again";

/** The broadcast of a recorder that does not work for that reason; "": it works again. */
export const recorderSaid = (reason: string): string => (reason ? stopped + reason : again);

/** Such a broadcast in the user's language; null: it is another one. */
export function recorderWords(text: string): string | null {
  if (text === again) return t("recorder.again");
  return text.startsWith(stopped) ? t("recorder.stopped", { reason: text.slice(stopped.length) }) : null;
}
