// The self-test: short tones go to the service and come back.

import type { Engine } from "../../audio/engine";
import { render } from "../../audio/score";
import type { Source } from "../../audio/source";
import type { SelfTest } from "./api";

/** Tones sent, and the seconds between them: longer than any round trip over which people can talk. */
const bursts = 5;
const spacing = 0.6;
/** Seconds until the first tone, so that the path is open. */
const lead = 0.2;

/** paired returns the time from each sent tone to the first onset after it, in the unit of the times. */
export function paired(sent: readonly number[], heard: readonly number[], apart: number): number[] {
  return sent.flatMap((s) => {
    const h = heard.find((t) => t > s && t < s + apart);
    return h === undefined ? [] : [h - s];
  });
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** runSelfTest sends and listens; returning finds the sources that play the own voice now. */
export async function runSelfTest(engine: Engine, returning: () => Source[]): Promise<SelfTest> {
  const { context, microphone } = engine;
  const tone = render("TEST", context.sampleRate);
  const start = context.currentTime + lead;
  const sent = Array.from({ length: bursts }, (_, i) => start + i * spacing);
  const heard: number[] = [];
  const listening = new Set<Source>();
  const look = setInterval(() => {
    for (const s of returning()) {
      listening.add(s);
      s.ononset = (t) => heard.push(t);
    }
  }, 50);
  for (const at of sent) microphone.inject(tone, at);
  await new Promise((done) => setTimeout(done, (lead + bursts * spacing) * 1000));
  clearInterval(look);
  for (const s of listening) s.ononset = null;
  const trips = paired(sent, heard, spacing);
  const middle = median(trips);
  return { roundTrip: middle === null ? null : Math.round(middle * 1000), sent: bursts, heard: trips.length };
}
