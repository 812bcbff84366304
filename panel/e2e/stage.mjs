// Brings a console into any state, without waiting: a page that plays a made-up
// scenario and stands still until the test says to which second it goes.
//
//   const stage = await Stage.build(t);
//   const desk = await stage.play(shift({ steps: [{ at: 1, unit: 7, do: "talk", for: 600 }] }));
//   await desk.to(8); // MAIN has been heard for seven seconds, and the clock stands still
//   await desk.deed({ do: "panic" }, 9); // now, by hand
//   await desk.run(); // time passes, and voices are made
import { earsOn } from "./acceptance/ears.mjs";
import { county } from "./simulated.mjs";

/** The moment at which every made-up shift begins. */
export const clock = "2026-03-14T14:28:00Z";

/**
 * A shift on the radio of config.lua with everybody in place: Ana Ruiz (7) and Kay Moss
 * (10) on MAIN, Ben Okoye (8) on FIRE, Cy (9) on TAC, Dispatcher SOUTH (-2). The console
 * talks on MAIN and listens to FIRE; nobody listens to TAC. more: fields of the scenario;
 * radio: fields of its configuration, such as { panicTimeout: 5000 }.
 */
export function shift({ radio = {}, ...more } = {}) {
  const { radio: usual } = county();
  return {
    name: "Shift",
    about: "Made up for a test.",
    clock,
    radio: { ...usual, timeoutTimer: 0, ...radio },
    desk: { callsign: "D-1", joined: "MAIN", scans: ["FIRE"] },
    units: [
      { id: 7, name: "Ana Ruiz", nacId: "LSPD", unitId: "4A-12", on: "MAIN" },
      { id: 8, name: "Ben Okoye", nacId: "LSFD", unitId: "E-3", on: "FIRE" },
      { id: 9, name: "Cy", unitId: "U-9", on: "TAC" },
      { id: 10, name: "Kay Moss", nacId: "LSPD", unitId: "4A-14", on: "MAIN" },
      { id: -2, name: "SOUTH", callsign: "SOUTH", on: "STATE" },
    ],
    steps: [],
    ends: 86_400,
    ...more,
  };
}

/**
 * A county of many channels in zones of 20, with units that all talk from second 1 on,
 * each on a channel of its own. The console listens to the first of them: a simulation
 * makes at most 8 voices at once.
 */
export function crowd(channels = 160, talkers = 24, heard = 8) {
  const all = Array.from({ length: channels }, (_, i) => ({
    name: `CH ${String(i + 1).padStart(3, "0")}`,
    type: "conventional",
    frequency: (150 + i * 0.025).toFixed(3).replace(/0+$/, "").replace(/\.$/, ".0"),
  }));
  const zones = Array.from({ length: Math.ceil(channels / 20) }, (_, i) => ({ name: `Zone ${i + 1}`, channels: all.slice(20 * i, 20 * i + 20) }));
  const on = (i) => all[Math.floor((i * channels) / talkers)].name;
  const units = Array.from({ length: talkers }, (_, i) => ({ id: 100 + i, name: `Unit ${i + 1}`, unitId: `U-${i + 1}`, on: on(i) }));
  return shift({
    name: "Crowd",
    radio: { zones, announcementGroups: [] },
    desk: { callsign: "D-1", joined: all[0].name, scans: units.slice(0, heard).map((u) => u.on) },
    units,
    steps: units.map((u) => ({ at: 1, unit: u.id, do: "talk", for: 600 })),
  });
}

/**
 * What a page is told before it opens a scenario. kept: fields of the desk that the
 * browser has kept (settings, filter, ...); microphone: false takes it away; bar: false
 * leaves the whole window to the console, as at a real radio; ears: true measures what it
 * plays, see acceptance/ears.mjs.
 */
export async function prepare(page, scenario, { kept, microphone = true, bar = false, ears = false } = {}) {
  if (ears) await earsOn(page);
  if (!bar) {
    await page.addInitScript(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("[data-part=simulation-bar] { display: none !important }");
      document.adoptedStyleSheets.push(sheet);
    });
  }
  await page.route("**/scene.json", (route) => route.fulfill({ json: scenario }));
  if (kept) {
    // Once: what the page itself keeps from then on stays over a reload.
    await page.addInitScript((desk) => {
      if (sessionStorage.getItem("stage.kept")) return;
      sessionStorage.setItem("stage.kept", "yes");
      localStorage.setItem("simulation.squelch.desk", desk);
    }, JSON.stringify({ first: "done", ...kept }));
  }
  if (!microphone) {
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("none", "NotFoundError"));
    });
  }
}
