import { mount } from "svelte";
import { setLanguage } from "./i18n/language.svelte";
import { Panel } from "./panel";
import App from "./view/App.svelte";
import Unloaded from "./view/Unloaded.svelte";
import "./view/looks.css";
import "./view/page.css";

const target = document.getElementById("app") as HTMLElement;

async function show(panel: Panel): Promise<void> {
  await setLanguage(panel.store.now.desk.settings.language); // before anything is drawn: nobody sees a page change its language
  mount(App, { target, props: { panel } });
}

if (new URLSearchParams(location.search).has("simulate")) {
  import("./simulation/start").then(({ simulate }) => simulate(show)).catch((e: unknown) => {
    target.replaceChildren();
    mount(Unloaded, { target, props: { why: e instanceof Error ? e.message : String(e) } });
    throw e; // for the browser's console
  });
} else {
  const panel = new Panel(localStorage, async (on) => {
    const { Console, Live } = await import("./onair");
    return { Console, link: new Live(on) };
  });
  void show(panel);
  void panel.boot();
}
