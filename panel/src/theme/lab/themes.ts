import type { Theme } from "../../wire.gen";

/** The themes that are served beside this page; none where there is no list. */
export async function listThemes(): Promise<Theme[]> {
  const answer = await fetch("themes/index.json", { cache: "no-cache" });
  return answer.ok ? ((await answer.json()) as { themes: Theme[] }).themes : [];
}
