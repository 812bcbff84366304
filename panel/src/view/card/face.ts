import type { CardState, CardView } from "../../state/card";
import type { Key } from "../../i18n/en";
import { endingOf } from "../lane/ending";

/** The icon and the word of every state: no two have both in common, so that no state is told by colour alone. */
export const faces: Record<CardState, { icon: string; word: Key }> = {
  em: { icon: "em", word: "card.emergency" },
  ended: { icon: "em-o", word: "emergency.endedByUnit" },
  ack: { icon: "em-o", word: "emergency.open" },
  link: { icon: "x", word: "card.noLink" },
  overridden: { icon: "busy", word: "card.overridden" },
  over: { icon: "mic", word: "card.override" },
  tx: { icon: "mic", word: "card.tx" },
  wait: { icon: "mic-o", word: "card.wait" },
  busy: { icon: "busy", word: "card.busy" },
  denied: { icon: "busy", word: "card.denied" },
  noaudio: { icon: "play", word: "card.fault" },
  rx: { icon: "play", word: "card.rx" },
  off: { icon: "play-o", word: "card.offActive" },
  idle: { icon: "", word: "card.idle" },
};

/** What the band of a card says it is. */
export function wordOf(card: CardView): Key {
  if (card.state === "ended") return endingOf(card.emergency!);
  if ((card.state === "idle" || card.state === "off") && card.muted) return "card.muted";
  return faces[card.state].word;
}

/** Whether something can be measured: voice that is heard, or the own. */
export const metered = (card: CardView): boolean => ["rx", "tx", "over", "busy"].includes(card.voice) && (card.heard || card.voice === "rx");
