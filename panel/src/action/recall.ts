import type { Panel } from "../panel";

/** How many seconds of traffic can be recalled; one click recalls the first. */
export const recallTimes = [10, 30, 60] as const;

/** Replays the last traffic of a channel, or of all (null). */
export function recall(p: Panel, channel: string | null, seconds: number = recallTimes[0]): void {
  p.sound.resume();
  p.sound.recall?.play(channel, seconds);
}

/** Plays on from one of the recalled transmissions. */
export function recallFrom(p: Panel, index: number): void {
  p.sound.recall?.from(index);
}

export function stopRecall(p: Panel): void {
  p.sound.recall?.stop();
}
