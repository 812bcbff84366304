import { mount } from "svelte";
import { hear, OrderedPort, toGame, toParent } from "./port";
import { Radio } from "./radio";
import { Screen } from "./screen.svelte";
import App from "./view/App.svelte";
import "./nui.css";

// Around this page is the game, or the test page that plays it.
const played = new URLSearchParams(location.search).has("played");
const port = new OrderedPort(played ? toParent() : toGame());
let screen: Screen;
const radio = new Radio(port, (change) => screen.show(change), localStorage);
screen = new Screen(localStorage, (action, value) => radio.press(action, value), () => radio.retryMicrophone());
mount(App, { target: document.body, props: { screen, why: () => radio.noMicrophone } });
hear((message) => radio.take(message));
radio.ready();
