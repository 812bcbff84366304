import "../apart"; // before anything is kept
import { mount } from "svelte";
import App from "./App.svelte";
import { follow } from "./settings.svelte";
import "../view/css/tokens.css";
import "../view/css/day.css";
import "../view/css/contrast.css";
import "../view/css/lcd.css";
import "../view/css/base.css";
import "./admin.css";
import "./theme/theme.css";

// Before anything is drawn: nobody sees a page change its look or language.
await follow();
mount(App, { target: document.getElementById("app") as HTMLElement });
