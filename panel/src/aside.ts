// The pages that need no service: /?simulate and /?theme-lab. Nothing of them is in the
// first load.

import type { Shown } from "./view/App.svelte";

export async function open(show: (panel: Shown) => Promise<void>): Promise<void> {
  const query = new URLSearchParams(location.search);
  if (query.has("theme-lab")) return (await import("./theme/lab/start")).openLab(show);
  return (await import("./simulation/start")).simulate(show);
}
