import type { Ports } from "../ports";
import type { OneSaid } from "../state/recall";
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
export function recallOne(p: Ports, what: OneSaid, endedAt: number): void {
  p.sound.resume();
  p.sound.recall?.playOne(what, what.at - tapeSlack, endedAt + tapeSlack);
}

/** Replays one transmission from a recording. Rejects if the browser cannot play it. */
export async function recallFile(p: Ports, what: OneSaid, file: ArrayBuffer, peaks: readonly number[], wanted: () => boolean): Promise<void> {
  const sound = await p.sound.recall?.open(file);
  if (sound && wanted()) p.sound.recall?.playFile(what, sound, peaks);
}

/** Plays on from another moment of a transmission that is replayed, 0..1. */
export function seekRecall(p: Ports, to: number): void {
  p.sound.resume();
  p.sound.recall?.seek(to);
}

/** Plays on from one of the recalled transmissions. */
export function recallFrom(p: Ports, index: number): void {
  p.sound.recall?.from(index);
}

export function stopRecall(p: Ports): void {
  p.sound.recall?.stop();
}
