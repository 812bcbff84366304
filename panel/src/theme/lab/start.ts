// The lab for authors of themes: /?theme-lab, from a service, from "squelch theme dev" or
// from any static web server. With scene=NAME it is one scene alone.

import { mount } from "svelte";
import { readChoice } from "./address";
import type { Show } from "./frame";

export async function openLab(show: Show): Promise<void> {
  const query = new URLSearchParams(location.search);
  if (query.has("scene")) return (await import("./frame")).openScene(query, show);
  const language = navigator.language.startsWith("de") ? "de" : "en";
  const { default: Lab } = await import("./Lab.svelte");
  document.documentElement.dataset["look"] = "night";
  mount(Lab, { target: document.getElementById("app") as HTMLElement, props: { begin: readChoice(query, language), watched: query.has("dev") } });
}
