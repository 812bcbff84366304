// What was measured in all scenes and looks, put together.

import type { Look } from "../../state/desk";
import type { Finding, Hint, Measured } from "./measure";

/** The measurements of one theme: by look and scene. */
export type Results = ReadonlyMap<string, { look: Look; scene: string; measured: Measured }>;

export interface Found extends Finding {
  look: Look;
  /** Where it was seen. */
  scenes: string[];
}

export interface FoundHint extends Hint {
  scenes: string[];
}

export const resultKey = (look: Look, scene: string): string => `${look} ${scene}`;

export function withResult(results: Results, look: Look, scene: string, measured: Measured): Results {
  return new Map(results).set(resultKey(look, scene), { look, scene, measured });
}

/** Each kind of text that is hard to read once, the worst first. */
export function findingsOf(results: Results): Found[] {
  const found = new Map<string, Found>();
  for (const { look, scene, measured } of results.values())
    for (const f of measured.findings) {
      const key = [look, f.part, f.state, f.colour, f.ground, f.least].join(" ");
      const known = found.get(key);
      if (known) known.scenes.push(scene);
      else found.set(key, { ...f, look, scenes: [scene] });
    }
  return [...found.values()].sort((a, b) => a.ratio / a.least - b.ratio / b.least);
}

/** Each hint once. */
export function hintsOf(results: Results): FoundHint[] {
  const found = new Map<string, FoundHint>();
  for (const { scene, measured } of results.values())
    for (const h of measured.hints) {
      const key = [h.kind, h.part, h.state, h.colour].join(" ");
      const known = found.get(key);
      if (!known) found.set(key, { ...h, scenes: [scene] });
      else if (!known.scenes.includes(scene)) known.scenes.push(scene);
    }
  return [...found.values()];
}

export const textsIn = (results: Results): number => [...results.values()].reduce((sum, r) => sum + r.measured.texts, 0);
