import { mount } from "svelte";
import { setLanguage } from "./i18n/language.svelte";
import { Panel } from "./panel";
import { Sound } from "./sound";
import App, { type Shown } from "./view/App.svelte";
import Unloaded from "./view/Unloaded.svelte";
import { fetchSheet } from "./view/wear";
import "./view/css/tokens.css";
import "./view/css/base.css";

const target = document.getElementById("app") as HTMLElement;

async function show(panel: Shown): Promise<void> {
  const { language, look, density } = panel.store.now.desk.settings;
  await Promise.all([setLanguage(language), fetchSheet(look), fetchSheet(density)]); // before anything is drawn: nobody sees a page change its language or its look
  mount(App, { target, props: { panel } });
}

// Pages without a service: the simulation, and the lab for themes.
if (/[?&](simulate|theme-lab)/.test(location.search)) {
  import("./aside").then(({ open }) => open(show)).catch((e: Error) => {
    target.replaceChildren();
    mount(Unloaded, { target, props: { why: e.message } });
    throw e; // for the browser's console
  });
} else if (location.pathname.startsWith("/r/")) import("./apart").then(start);
else start();

function start(): void {
  const panel = new Panel(localStorage, (p) => new Sound(p), async () => {
    const { Console, Live } = await import("./onair");
    return { Console, link: new Live() };
  });
  void show(panel);
  void panel.boot();
}
