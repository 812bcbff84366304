// Look and language: the same settings, at the same place in the browser, as the console's.
import { languages, looks, type Language, type Look } from "../state/desk";
import { deskKey } from "../state/memory";
import { setLanguage } from "./language.svelte";

type Json = Record<string, unknown>;
const object = (v: unknown): Json => (typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Json) : {});

export const settings = $state<{ look: Look; language: Language }>({ look: "night", language: "en" });

/** kept is what the console has kept in this browser; {}: nothing yet, or nothing readable. */
export function kept(): Json {
  try {
    return object(JSON.parse(localStorage.getItem(deskKey) ?? "{}"));
  } catch {
    return {};
  }
}

/** follow applies the settings of this browser, also when the console changes them in another tab. */
export async function follow(): Promise<void> {
  const stored = object(kept()["settings"]);
  const light = matchMedia("(prefers-color-scheme: light)").matches;
  const asked = navigator.languages.map((l) => l.toLowerCase().split("-")[0]);
  const language = languages.find((l) => l === stored["language"]) ?? asked.flatMap((a) => languages.filter((l) => l === a))[0] ?? "en";
  dress(looks.find((l) => l === stored["look"]) ?? (light ? "day" : "night"));
  if (await setLanguage(language)) settings.language = language;
}

function dress(look: Look): void {
  settings.look = look;
  document.documentElement.dataset["look"] = look;
}

/** choose changes a setting, here and for the console. Whatever else the console keeps stays. */
export async function choose(change: { look?: Look; language?: Language }): Promise<void> {
  if (change.look !== undefined) dress(change.look);
  if (change.language !== undefined && (await setLanguage(change.language))) settings.language = change.language;
  try {
    const desk = kept();
    localStorage.setItem(deskKey, JSON.stringify({ ...desk, settings: { ...object(desk["settings"]), ...change } }));
  } catch {
    // a browser that keeps nothing: the choice holds for this page
  }
}
