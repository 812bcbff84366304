import { mount } from "svelte";
import { setLanguage } from "./i18n/language.svelte";
import { Panel } from "./panel";
import App from "./view/App.svelte";
import "./view/looks.css";
import "./view/console.css";

const panel = new Panel();
void setLanguage(panel.store.now.desk.settings.language);
mount(App, { target: document.getElementById("app") as HTMLElement, props: { panel } });
void panel.boot();
