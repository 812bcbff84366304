import type { ConfigBody } from "../wire.gen";

type Themes = Pick<ConfigBody, "themes" | "defaultTheme">;

let asked: Promise<Themes> | null = null;

/** The themes that are beside the page: those of the service, or those that the panel was built with. On a server without, none. */
export function themesBeside(): Promise<Themes> {
  return (asked ??= fetch("themes/index.json")
    .then(async (r) => (r.ok ? ((await r.json()) as Themes) : null))
    .catch(() => null)
    .then((list) => ({ themes: list?.themes ?? [], defaultTheme: list?.defaultTheme ?? "" })));
}
