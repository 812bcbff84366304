import type { Density, Look } from "../state/desk";

/** Night and comfortable are there from the start; the style sheets of the others are fetched. */
const sheets: Partial<Record<Look | Density, () => Promise<unknown>>> = {
  day: () => import("./css/day.css"),
  contrast: () => import("./css/contrast.css"),
  lcd: () => import("./css/lcd.css"),
  compact: () => import("./css/dense.css"),
  dense: () => import("./css/dense.css"),
};

/** Fetches what a look or a density is drawn with. Without it the page is drawn as from the start. */
export async function fetchSheet(of: Look | Density): Promise<void> {
  await sheets[of]?.().catch(() => undefined);
}
