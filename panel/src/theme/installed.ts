import type { State } from "../state/state";
import type { Theme } from "../wire.gen";

/** The theme that this desk has chosen, or else the operator's default; null: none, or it is not installed. */
export function chosen({ desk, radio }: Pick<State, "desk" | "radio">): Theme | null {
  const { config } = radio;
  const slug = desk.settings.theme ?? config?.defaultTheme;
  return (slug && installed({ radio }).find((x) => x.slug === slug)) || null;
}

/** The themes that the service has. One of an older service has no build, and cannot be loaded. */
export const installed = ({ radio }: Pick<State, "radio">): readonly Theme[] => (radio.config?.themes ?? []).filter((x) => x.build && x.css);

/** The address of a theme's file, relative to the page. */
export const fileOf = ({ slug, build }: Theme, name: string): string => ["themes", slug, build, ...name.split("/")].map(encodeURIComponent).join("/");
