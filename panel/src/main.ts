import { mount } from "svelte";
import { setLanguage } from "./i18n/language.svelte";
import { Panel } from "./panel";
import { Sound } from "./sound";
import App from "./view/App.svelte";
import Unloaded from "./view/Unloaded.svelte";
import { fetchSheet } from "./view/wear";
import "./view/css/tokens.css";
import "./view/css/base.css";

const target = document.getElementById("app") as HTMLElement;

async function show(panel: Panel): Promise<void> {
  const { language, look, density } = panel.store.now.desk.settings;
  await Promise.all([setLanguage(language), fetchSheet(look), fetchSheet(density)]); // before anything is drawn: nobody sees a page change its language or its look
  mount(App, { target, props: { panel } });
}

if (new URLSearchParams(location.search).has("simulate")) {
  import("./simulation/start").then(({ simulate }) => simulate(show)).catch((e: unknown) => {
    target.replaceChildren();
    mount(Unloaded, { target, props: { why: e instanceof Error ? e.message : String(e) } });
    throw e; // for the browser's console
  });
} else {
  const panel = new Panel(localStorage, (p) => new Sound(p), async () => {
    const { Console, Live } = await import("./onair");
    return { Console, link: new Live() };
  });
  void show(panel);
  void panel.boot();
}
