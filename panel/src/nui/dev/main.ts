// Plays the game around the radio: npm run dev, then /nui-dev.html. What the radio's
// buttons ask for happens as a Lua script would do it; ?scene=rx&model=car&night shows
// one state, and &bare nothing but the radio.

import type { Model, ToLua, View } from "../message";
import { after, models } from "../picture";
import { channels, rest, scenes } from "./scenes";
import "./dev.css";

const asked = new URLSearchParams(location.search);

let view: View = {
  ...rest,
  ...scenes[asked.get("scene") ?? "idle"],
  model: models.find((m) => m === asked.get("model")) ?? "handheld-a",
  night: asked.has("night"),
  theme: asked.get("theme") ?? "standard",
};

const frame = Object.assign(document.createElement("iframe"), { src: "/nui.html?played", allow: "microphone; autoplay" });
const log = document.createElement("pre");

function show(change: Partial<View>): void {
  view = { ...view, ...change };
  document.body.dataset["look"] = view.night ? "night" : "day";
  frame.contentWindow!.postMessage({ type: "view", ...view }, location.origin);
}

function act({ action, value }: ToLua["ui"]): Partial<View> {
  switch (action) {
    case "power":
      return { power: !view.power };
    case "ptt_down":
      return { transmitting: "talking" };
    case "ptt_up":
      return { transmitting: "idle" };
    case "channel_up":
      return { channel: after(channels, view.channel!) };
    case "channel_down":
      return { channel: after(channels, view.channel!, -1) };
    case "zone_up":
    case "zone_down":
      return { zone: after(view.zones, view.zone) };
    case "volume":
      return { volume: Number(value) };
    case "tone_volume":
      return { toneVolume: Number(value) };
    case "scan":
      return { scanning: !view.scanning, listening: ["154.28"] };
    case "gps":
      return { gps: !view.gps };
    case "earbuds":
      return { earbuds: !view.earbuds };
    case "night":
      return { night: !view.night };
    case "theme":
      return { theme: String(value) };
    case "layout":
      return { model: value as Model };
    case "emergency":
      return { emergency: view.emergency ? null : { active: true, frequency: view.channel!.frequency, hotMicMs: 10_000 } };
    case "close":
      return { focus: false };
  }
}

window.addEventListener("message", (e: MessageEvent<{ callback?: keyof ToLua; data: unknown }>) => {
  if (e.source !== frame.contentWindow || e.data.callback === undefined) return;
  log.textContent = `${e.data.callback} ${JSON.stringify(e.data.data)}\n${log.textContent}`.slice(0, 2_000);
  if (e.data.callback === "ready") show({});
  if (e.data.callback === "ui") show(act(e.data.data as ToLua["ui"]));
});

document.body.append(frame);
if (!asked.has("bare")) {
  const panel = document.createElement("aside");
  for (const name of Object.keys(scenes)) {
    const b = Object.assign(document.createElement("button"), { textContent: name });
    b.onclick = () => show({ ...rest, model: view.model, theme: view.theme, night: view.night, ...scenes[name] });
    panel.append(b);
  }
  panel.append(log);
  document.body.append(panel);
}
document.body.dataset["look"] = view.night ? "night" : "day";
