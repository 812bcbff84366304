// Opens the panel on a simulated radio: /?simulate, from a service or from any
// static web server.

import { mount } from "svelte";
import { setLanguage } from "../i18n/language.svelte";
import { Simulation } from "../link/simulation";
import { RemoteCore } from "../link/wasm-remote";
import { Panel } from "../panel";
import { Sound } from "../sound";
import { emptyRadio } from "../state/radio";
import Console from "../view/Console.svelte";
import { setClock } from "../view/clock.svelte";
import coreWasm from "../../../wasm/core.wasm?url";
import { begin } from "./address";
import { Simulator } from "./control";
import { deskOf } from "./desk";
import { memoryOf } from "./memory";
import { watch } from "./notice";
import { themesBeside } from "./themes";
import Bar from "./view/Bar.svelte";

/** How often the console looks at the clock, ms: ten times as often as on a real radio, because a second may last a tenth of one. */
const clockEvery = 100;

/** Makes the panel, shows it, and puts it on the air with the first scenario. */
export async function simulate(show: (panel: Panel) => Promise<void>): Promise<void> {
  const link = new Simulation(() => location.assign(location.pathname), themesBeside);
  const panel = new Panel(memoryOf(localStorage), (p) => new Sound(p), async () => ({ Console, link }));
  await setLanguage(panel.store.now.desk.settings.language); // before what does not load is reported
  await panel.open();
  const core = await RemoteCore.open(new Worker(new URL("../link/wasm-worker.ts", import.meta.url), { type: "module" }), coreWasm);
  const control = new Simulator(core, link, (desk) => {
    panel.store.change((s) => ({ ...s, radio: emptyRadio, desk: { ...s.desk, ...deskOf(s.desk, desk, (c) => control.channel(c)) } }));
  });
  setClock(() => link.now(), clockEvery);
  mount(Bar, { target: document.body, anchor: document.getElementById("app") as HTMLElement, props: { control, panel } });
  await show(panel);
  watch(panel.store, (event, channels) => control.noticed(event, channels));
  await panel.enter({ sessionId: "simulation", authToken: "", callsign: panel.store.now.desk.callsign || "DISPATCH", since: Date.now() });
  Object.assign(window, { simulation: control }); // for the browser's console, and for tests
  await begin(control, location);
}
