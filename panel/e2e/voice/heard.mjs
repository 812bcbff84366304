// What a recording must show if the voice came through.
import assert from "node:assert/strict";
import { aligned, bursts, correlation } from "./envelope.mjs";

/** How long after it was said something is heard at the latest, in 10 ms. */
const late = 80;

/** Compares the one burst that was said with what was heard soon after. least is how well they must fit. */
export function wantHeard(t, who, said, heard, least = 0.85) {
  const all = bursts(said);
  assert.equal(all.length, 1, `${who}: one burst was said`);
  const [from, to] = all[0];
  const stretch = said.slice(from, to);
  const fit = correlation(stretch, aligned(stretch, heard, from - 20, from + late).heard);
  // The same measure must tell other words apart, or it would prove nothing.
  const half = Math.floor(stretch.length / 2);
  const turned = [...stretch.slice(half), ...stretch.slice(0, half)];
  const control = correlation(turned, aligned(turned, heard, from - 20, from + late).heard);
  t.diagnostic(`${who}: ${stretch.length * 10} ms, fit ${fit.toFixed(3)}; other words ${control.toFixed(3)}`);
  assert.ok(fit > least, `${who}: envelopes fit ${fit.toFixed(3)}, want above ${least}`);
  assert.ok(control < fit - 0.05, `${who}: other words fit as well (${control.toFixed(3)})`);
}

/** The loudness of the last 300 ms. */
export const ending = (envelope) => Math.max(...envelope.slice(-30));
