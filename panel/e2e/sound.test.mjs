// A browser that starts no sound before it is allowed to, as browsers do: the
// console says so, keys nothing meanwhile, and the first click turns sound on.
import assert from "node:assert/strict";
import test from "node:test";
import { Desk, startBrowser } from "./browser.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";
import { patience, until } from "./wait.mjs";

/** In the page, before its scripts: a gamepad that the test controls, whose buttons are not a gesture to a browser; and the page's audio contexts. */
function instruments() {
  window.pads = [];
  window.looks = 0;
  navigator.getGamepads = () => (window.looks++, window.pads);
  window.contexts = [];
  const Real = window.AudioContext;
  window.AudioContext = class extends Real {
    constructor(...options) {
      super(...options);
      window.contexts.push(this);
    }
  };
  // A page that may use a real microphone in Chromium may also play.
  const silence = new Real().createMediaStreamDestination().stream;
  navigator.mediaDevices.getUserMedia = async () => (window.microphone = silence.clone());
}

test("sound before the first click", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser(["--autoplay-policy=document-user-activation-required"]);
  t.after(() => browser.close());
  const desk = await Desk.open(browser, service, "NORTH");
  let { page } = desk;
  let devtools;
  const ana = await Radio.connect(service, 7, "Ana Ruiz");
  t.after(() => ana.close());
  await ana.join("MAIN");
  await desk.speakOn("MAIN");
  await page.evaluate(() => {
    const kept = JSON.parse(localStorage.getItem("squelch.desk"));
    kept.settings.globalPTT = { pttKey: "", pttType: "gamepad", pttMouseButton: 5 };
    localStorage.setItem("squelch.desk", JSON.stringify(kept));
  });
  const off = () => page.locator("[data-part=sound-off]");
  // Whatever Playwright does in a page counts as a gesture of the user there. This
  // does not.
  const look = async (expression) => (await devtools.send("Runtime.evaluate", { expression, returnByValue: true })).result.value;
  const reads = async (part, words) => {
    let found = "";
    await until(
      () => `${part} reads “${words}”, and not “${found}”`,
      async () => (found = (await look(`document.querySelector("[data-part=${part}]")?.textContent ?? ""`)) ?? "").includes(words),
    );
  };
  const pad = (down) => look(`void (window.pads = [{ connected: true, buttons: Array.from({ length: 8 }, (_, i) => ({ pressed: ${down} && i === 5 })) }])`);
  /** Opens the page anew, in a window that the user has not touched. */
  const anew = async () => {
    await page.close();
    desk.page = page = await desk.context.newPage();
    page.setDefaultTimeout(patience);
    desk.watch();
    devtools = await desk.context.newCDPSession(page);
    await page.addInitScript(instruments);
    await page.goto(service.url);
    await reads("channel-card", "MAIN");
    await until("the page has a microphone", () => look("window.microphone !== undefined"));
    await until("the desk is on MAIN", async () => (await service.status()).channels["154.755"].speakers.length === 2);
    await pad(false);
    const looks = await look("window.looks");
    await until("the console has seen the button up", async () => (await look("window.looks")) >= looks + 2);
    ana.forget();
  };
  /** Moves the pointer to something, as a hand does. */
  const point = async (selector) => {
    const { x, y } = await look(`(() => { const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`);
    await page.mouse.move(x, y);
  };
  const click = async (selector) => {
    await point(selector);
    await page.mouse.down();
    await page.mouse.up();
  };
  const keyed = () => ana.told.filter(({ event, payload }) => event === "talkingState" && payload.state && payload.serverId < 0).length;
  /** The gamepad's button talks, and Ana hears it. */
  const talks = async () => {
    ana.forget();
    await pad(true);
    await desk.ptt("TX");
    await page.locator("[data-part=voice-status]", { hasText: "TX" }).waitFor();
    await ana.hears(0.2);
    await pad(false);
    await desk.ptt("IDLE");
  };
  /** The console says that it neither plays nor sends. */
  const silent = async () => {
    await reads("voice-status", "MUTED");
    await reads("ptt", "Sound is off");
  };

  await t.test("the console says that sound is off, and a key-up does not go on the air", async () => {
    await anew();
    await pad(true);
    await reads("ptt-line", "Not on the air");
    assert.equal(await look("window.contexts[0].state"), "suspended");
    await silent();
    await reads("sound-off", "Click anywhere");
    await pad(false);
    await ana.send("setTalking", false); // after it, everything that the desk sent would have come
    assert.deepEqual([keyed(), ana.voices], [0, 0]);
  });

  await t.test("the first click anywhere turns sound on", async () => {
    await click("[data-part=clock]");
    await off().waitFor({ state: "detached" });
    await page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
    await talks();
  });

  await t.test("holding the PTT bar turns sound on, and talks", async () => {
    await anew();
    await reads("sound-off", "Click anywhere");
    await point("[data-part=ptt]");
    await page.mouse.down();
    await desk.ptt("TX");
    await ana.hears(0.2);
    await page.mouse.up();
    await desk.ptt("IDLE");
    await off().waitFor({ state: "detached" });
  });

  await t.test("sound that stops in mid-transmission releases PTT, says so, and comes back with a click", async () => {
    await talks();
    ana.forget();
    await pad(true);
    await desk.ptt("TX");
    await ana.hears(0.2);
    // The device goes away, or the system takes the sound away: a test cannot do that
    // from outside, so the page does it.
    await page.evaluate(() => {
      window.contexts[0].resume = () => new Promise(() => undefined);
      return window.contexts[0].suspend();
    });
    await desk.ptt("IDLE");
    await page.locator("[data-part=ptt-line]", { hasText: "sound stopped" }).waitFor();
    await off().waitFor();
    await silent();
    await ana.wait("the end of the talk", (e, p) => e === "talkingState" && !p.state && p.serverId < 0);
    await pad(false);
    await page.evaluate(() => void delete window.contexts[0].resume);
    await page.locator("[data-part=clock]").click();
    await off().waitFor({ state: "detached" });
    await talks();
  });

  await t.test("sound that does not start after a click: the console asks to check the output", async () => {
    await page.evaluate(() => {
      window.contexts[0].resume = () => new Promise(() => undefined);
      return window.contexts[0].suspend();
    });
    await page.locator("[data-part=clock]").click();
    await off().getByText("audio output").waitFor();
    await page.evaluate(() => void delete window.contexts[0].resume);
    await desk.button("Turn on sound").click();
    await off().waitFor({ state: "detached" });
    await talks();
  });

  await t.test("a microphone lost in mid-transmission releases PTT, and can be retried", async () => {
    await pad(true);
    await desk.ptt("TX");
    ana.forget();
    await page.evaluate(() => window.microphone.getAudioTracks()[0].dispatchEvent(new Event("ended")));
    await desk.ptt("NOMIC");
    await ana.wait("the end of the talk", (e, p) => e === "talkingState" && !p.state && p.serverId < 0);
    await page.locator("[data-part=ptt-line]", { hasText: "microphone disconnected" }).waitFor();
    await page.getByText("Listen only: microphone disconnected.").waitFor();
    await pad(false);
    await desk.button("Retry microphone").click();
    await page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
    await talks();
  });

  await t.test("no other errors in the browser", () => desk.silent(/AudioContext was not allowed to start/));
});
