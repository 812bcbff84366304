import { Speech } from "./speech";
import { pitchOf } from "./voice";

/** Hz: what a radio lets through needs no more. */
export const rate = 16_000;
/** The voices are made at the usual rate of a sound output, and so that they can be made again. */
const times = 3;

/** Makes again what a unit said in a talk that began then, in so many ms; pitch in Hz, if a scenario gives one. */
export function saidAgain(id: number, pitch: number | undefined, since: number, ms: number): Float32Array {
  const speech = new Speech(pitch ?? pitchOf(id), Math.abs(id), rate * times, since);
  const out = new Float32Array(Math.ceil((ms * rate) / 1000));
  for (let at = 0; at < out.length; ) {
    const frame = speech.frame();
    for (let i = 0; i < frame.length && at < out.length; i += times) out[at++] = frame[i]!;
  }
  return out;
}
