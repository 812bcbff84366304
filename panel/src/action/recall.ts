import type { Panel } from "../panel";

/** Seconds of traffic that can be had again; one click gives the first. */
export const recallTimes = [10, 30, 60] as const;

/** Plays again what was said last on a channel, or on all of them (null). */
export function recall(p: Panel, channel: string | null, seconds: number = recallTimes[0]): void {
  p.sound.resume();
  p.sound.recall?.play(channel, seconds);
}

/** Plays on from one of the transmissions that are recalled. */
export function recallFrom(p: Panel, index: number): void {
  p.sound.recall?.from(index);
}

export function stopRecall(p: Panel): void {
  p.sound.recall?.stop();
}
