import { mount } from "svelte";
import App from "./App.svelte";
import "../view/looks.css";
import "./admin.css";

document.documentElement.dataset["look"] = matchMedia("(prefers-color-scheme: light)").matches ? "day" : "night";
mount(App, { target: document.getElementById("app") as HTMLElement });
