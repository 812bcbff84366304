import type { Ports } from "../ports";
import { showRail } from "./screen";

/** How many seconds of traffic can be recalled; one click recalls the first. */
export const recallTimes = [10, 30, 60] as const;

/** Replays the last traffic of a channel, or of all (null), and shows what plays: or that there is nothing. */
export function recall(p: Ports, channel: string | null, seconds: number = recallTimes[0]): void {
  showRail(p, "recall");
  p.sound.resume();
  p.sound.recall?.play(channel, seconds);
}

/** How long before and after a transmission its voice may begin to arrive, ms. */
export const tapeSlack = 1_500;

/** Replays one transmission, if this console has it on its tape. */
export function recallOne(p: Ports, channel: string, talker: number, startedAt: number, endedAt: number): void {
  p.sound.resume();
  p.sound.recall?.playOne(channel, talker, startedAt - tapeSlack, endedAt + tapeSlack);
}

/** Plays on from one of the recalled transmissions. */
export function recallFrom(p: Ports, index: number): void {
  p.sound.recall?.from(index);
}

export function stopRecall(p: Ports): void {
  p.sound.recall?.stop();
}
