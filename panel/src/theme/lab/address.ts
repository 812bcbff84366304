// How a scene is to be drawn, as the lab's address says it.

import { densities, type Density, type Language, languages, type Look, looks } from "../../state/desk";

/** Windows that scenes are drawn in, px. */
export const sizes = { "1366×768": [1366, 768], "1440×900": [1440, 900], "1920×1080": [1920, 1080], "2560×1440": [2560, 1440] } as const;
export type Size = keyof typeof sizes;
/** A phone has its own. */
export const phoneSize = [390, 844] as const;

export interface Choice {
  /** The slug; "": none. */
  theme: string;
  look: Look;
  density: Density;
  language: Language;
  size: Size;
}

const oneOf = <T extends string>(value: string | null, all: readonly T[], or: T): T => all.find((x) => x === value) ?? or;

/** Reads an address; what is missing or unknown is as the console is by default. */
export function readChoice(query: URLSearchParams, language: Language): Choice {
  return {
    theme: query.get("theme") ?? "",
    look: oneOf(query.get("look"), looks, "night"),
    density: oneOf(query.get("density"), densities, "comfortable"),
    language: oneOf(query.get("language"), languages, language),
    size: oneOf(query.get("size"), Object.keys(sizes) as Size[], "1440×900"),
  };
}

/** The address of the lab, or of one of its scenes, beside this page. dev: a folder is watched. */
export function addressOf(choice: Choice, { scene, dev = false }: { scene?: string; dev?: boolean } = {}): string {
  const query = new URLSearchParams({ ...(scene && { scene }), ...(choice.theme && { theme: choice.theme }), look: choice.look, density: choice.density, language: choice.language });
  if (!scene) query.set("size", choice.size);
  return `?theme-lab&${query}${dev ? "&dev" : ""}`;
}
