/**
 * The word that was probably meant, in whatever case it was written; null: none is near
 * enough. Up to a third of the letters may be wrong, missing, too many or swapped.
 */
export function nearest(word: string, known: Iterable<string>): string | null {
  const written = word.toLowerCase();
  let best: string | null = null;
  let least = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const k of known) {
    if (Math.abs(k.length - written.length) >= least) continue;
    const far = distance(written, k.toLowerCase());
    if (far >= least) continue;
    best = k;
    least = far;
  }
  return best;
}

/** How many letters differ: replaced, left out, added, or swapped with the next one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length] as number;
}
