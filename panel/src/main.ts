import { mount } from "svelte";
import { setLanguage } from "./i18n/language.svelte";
import { Live } from "./link/live";
import { Panel } from "./panel";
import App from "./view/App.svelte";
import "./view/looks.css";
import "./view/console.css";

function show(panel: Panel): void {
  void setLanguage(panel.store.now.desk.settings.language);
  mount(App, { target: document.getElementById("app") as HTMLElement, props: { panel } });
}

if (new URLSearchParams(location.search).has("simulate")) {
  void import("./simulation/start").then(({ simulate }) => simulate(show));
} else {
  const panel = new Panel((on) => new Live(on), localStorage);
  show(panel);
  void panel.boot();
}
