// The first run: a browser in which no console was opened yet.
import assert from "node:assert/strict";
import test from "node:test";
import { accessible, largeEnough, picture } from "../eyes.mjs";
import { LiveWorld } from "../live.mjs";
import { Stage } from "../simulated.mjs";
import { shift } from "../stage.mjs";
import { passes, until } from "../wait.mjs";

/** What a dispatcher does at a console, counted: every click, choice and key is one input. */
class Hand {
  inputs = 0;

  constructor(desk) {
    this.desk = desk;
    this.page = desk.page;
  }

  click(locator) {
    this.inputs++;
    return locator.click();
  }

  choose(locator, label) {
    this.inputs++;
    return locator.selectOption({ label });
  }

  down(key) {
    this.inputs++;
    return this.page.keyboard.down(key);
  }
}

const wizard = (desk) => desk.page.locator("[data-part=onboarding]");
const atStep = (desk, step) => desk.page.locator(`[data-part=onboarding][data-step="${step}"]`).waitFor();
const kept = (desk, prefix) => desk.page.evaluate((key) => JSON.parse(localStorage.getItem(key)), `${prefix}squelch.desk`);

/** world: fresh(context) opens a console in a new browser, again(desk) waits after its reload; heard(desk) waits until a radio on MAIN hears it. */
async function firstStory(t, world) {
  await t.test("47. First run finished by script in at most 12 inputs; resumes after a reload", async (t) => {
    const desk = await world.fresh();
    const { page } = desk;
    const hand = new Hand(desk);
    await atStep(desk, 0);
    assert.equal(await desk.page.locator("[data-part=channel-card]").count(), 0);
    // The microphone of the test browser beeps once a second.
    await page.locator("[data-part=first-verdict][data-state=good]", { hasText: "Good" }).waitFor();
    await until("the microphone can be chosen", async () => (await page.getByLabel("Device").locator("option").count()) > 1);
    await until("its meter moves", () => page.locator("[data-part=onboarding] .meter i").evaluate((bar) => Number.parseFloat(bar.style.transform.slice(7)) > 0.02));
    await accessible(page, "first run: microphone", "[data-part=onboarding]");
    await largeEnough(page, "first run: microphone");
    await picture(page, `${world.pictures}first-microphone`);
    await hand.click(desk.button("Next"));

    await atStep(desk, 1);
    await page.getByText("Press F2 now").waitFor();
    await hand.down("F2");
    await page.locator("[data-part=first-press][data-state=down]", { hasText: "F2 works" }).waitFor();
    await page.keyboard.up("F2");
    await page.locator("[data-part=first-press][data-state=works]").waitFor();
    await accessible(page, "first run: push to talk", "[data-part=onboarding]");
    await picture(page, `${world.pictures}first-ptt`);
    await hand.click(desk.button("Next"));

    await atStep(desk, 2);
    await hand.click(desk.button("Monitor North"));
    await page.locator("[aria-pressed=true]", { hasText: "Monitor North" }).waitFor();
    await page.reload();
    await world.again(desk);
    await atStep(desk, 2);
    await page.locator("[aria-pressed=true]", { hasText: "Monitor North" }).waitFor();
    await hand.choose(page.getByLabel("Talk on"), "MAIN");
    await accessible(page, "first run: channels", "[data-part=onboarding]");
    await picture(page, `${world.pictures}first-channels`);
    await hand.click(desk.button("Start"));

    await wizard(desk).waitFor({ state: "detached" });
    await desk.card("MAIN").waitFor();
    const { scans, joined, first } = await kept(desk, world.prefix);
    assert.deepEqual([Object.keys(scans).sort(), joined, first], [["154.755", "154.815", "460.25"], "154.755", "done"]);
    await hand.down("F2");
    await desk.ptt("TX");
    await world.heard(desk);
    await page.keyboard.up("F2");
    t.diagnostic(`${hand.inputs} inputs until the first transmission`);
    assert.ok(hand.inputs <= 12, `${hand.inputs} inputs`);
    await page.reload();
    await world.again(desk);
    await desk.card("MAIN").waitFor();
    assert.equal(await wizard(desk).count(), 0);
    desk.silent();
    await desk.close();
  });

  await t.test("47. Skipped with one press, the first transmission takes at most four inputs; it stays skipped", async (t) => {
    const desk = await world.fresh();
    const { page } = desk;
    const hand = new Hand(desk);
    await atStep(desk, 0);
    await hand.click(desk.button("Skip setup"));
    await hand.click(page.getByRole("button", { name: "Talk here: MAIN," }));
    await hand.down("F2");
    await desk.ptt("TX");
    await world.heard(desk);
    await page.keyboard.up("F2");
    t.diagnostic(`${hand.inputs} inputs until the first transmission`);
    assert.ok(hand.inputs <= 4, `${hand.inputs} inputs`);
    await desk.button("Add MAIN to PTT targets").click(); // nothing is set up any more
    await page.locator("[data-part=channel-card][data-target=true]").waitFor({ state: "detached" });
    assert.equal(await wizard(desk).count(), 0);
    await page.reload();
    await world.again(desk);
    await desk.card("MAIN").waitFor();
    assert.equal(await wizard(desk).count(), 0);
    desk.silent();
    await desk.close();
  });

  await t.test("trying the key sends nothing, not even with a channel to talk on; another key can be bound", async () => {
    const desk = await world.fresh();
    const { page } = desk;
    await desk.button("Next").click();
    await desk.button("Next").click();
    await page.getByLabel("Talk on").selectOption({ label: "MAIN" });
    await desk.button("Back").click();
    await atStep(desk, 1);
    await page.keyboard.down("F2");
    await page.locator("[data-part=first-press][data-state=down]").waitFor();
    await passes(300, "a key that is only tried does not key");
    assert.equal(await page.locator("[data-part=ptt]").getAttribute("data-state"), "IDLE");
    await page.keyboard.up("F2");
    await desk.button("Pedal or other key: F2").click();
    await page.keyboard.press("F9"); // answers emergencies
    await page.getByText("F9 is a shortcut of the console.").waitFor();
    await page.keyboard.press("F7");
    await page.getByText("Press F7 now").waitFor();
    await page.keyboard.down("F7");
    await page.locator("[data-part=first-press][data-state=down]", { hasText: "F7 works" }).waitFor();
    await page.keyboard.up("F7");
    desk.silent();
    await desk.close();
  });

  await t.test("on a phone the first run needs no sideways scrolling", async () => {
    const desk = await world.fresh({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const { page } = desk;
    for (const step of [0, 1, 2]) {
      await atStep(desk, step);
      const [needs, has] = await wizard(desk).evaluate((e) => [e.scrollWidth, e.clientWidth]);
      assert.ok(needs <= has, `step ${step} is ${needs} px wide in ${has}`);
      const box = await wizard(desk).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390, `step ${step} reaches from ${box.x} over ${box.width}`);
      await picture(page, `${world.pictures}first-phone-${step}`);
      if (step < 2) await desk.button("Next").tap();
    }
    desk.silent();
    await desk.close();
  });
}

test("the first run at the service", async (t) => {
  const world = await LiveWorld.start(t);
  const ana = await world.radio(7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  await ana.join("MAIN");
  let n = 0;
  const fresh = async (context, before = async () => undefined) => {
    const desk = await world.desk(null, { ...context, fresh: true });
    await before(desk.page);
    await desk.signIn(`NEW ${++n}`);
    await wizard(desk).waitFor();
    return desk;
  };
  await firstStory(t, {
    fresh,
    again: async (desk) => desk.page.locator("[data-part=console]").waitFor(),
    heard: async () => (ana.forget(), ana.hears(0.2)),
    prefix: "",
    pictures: "",
  });

  await t.test("without a microphone it says what to do, can be retried, and goes on", async () => {
    const desk = await fresh({}, (page) =>
      page.evaluate(() => {
        const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
        window.refuse = "NotAllowedError";
        navigator.mediaDevices.getUserMedia = (c) => (window.refuse ? Promise.reject(new DOMException("no", window.refuse)) : ask(c));
      }));
    const { page } = desk;
    await page.locator("[data-part=first-verdict][data-state=denied]", { hasText: "microphone access denied" }).waitFor();
    await page.getByText("Allow the microphone in the address bar").waitFor();
    await page.evaluate(() => (window.refuse = "NotFoundError"));
    await wizard(desk).getByRole("button", { name: "Retry microphone" }).click();
    await page.locator("[data-part=first-verdict][data-state=missing]", { hasText: "no microphone found" }).waitFor();
    await accessible(page, "first run: no microphone", "[data-part=onboarding]");
    await picture(page, "first-no-microphone");
    await page.evaluate(() => (window.refuse = ""));
    await wizard(desk).getByRole("button", { name: "Retry microphone" }).click();
    await page.locator("[data-part=first-verdict][data-state=good]").waitFor();
    await desk.button("Next").click();
    await atStep(desk, 1);
    desk.silent();
    await desk.close();
  });

  await t.test("practice opens the first shift, and the console is set up when the dispatcher comes back", async () => {
    const desk = await fresh();
    const { page } = desk;
    await desk.button("Next").click();
    await desk.button("Next").click();
    await page.getByLabel("Talk on").selectOption({ label: "FIRE" });
    await page.getByRole("link", { name: "Practice: First shift" }).click();
    await page.locator("[data-part=simulation-bar]", { hasText: "First shift" }).waitFor();
    await page.goBack();
    await page.locator("[data-part=channel-card][data-target=true]", { hasText: "FIRE" }).waitFor();
    assert.equal(await wizard(desk).count(), 0);
    await desk.close();
  });
});

test("the first run in the simulation", async (t) => {
  const stage = await Stage.build(t);
  const scenario = shift({ name: "New desk", desk: { callsign: "D-1" } });
  await firstStory(t, {
    fresh: async (context) => {
      const desk = await stage.play(scenario, { context: { ...context, fresh: true } });
      await desk.run();
      return desk;
    },
    // A page that is loaded again begins its scenario again; what the desk has set up stays.
    again: async (desk) => (await desk.opened(scenario.name), desk.run()),
    heard: (desk) => until("Ana hears the desk", () => desk.page.evaluate(() => globalThis.simulation.view.units.find((u) => u.id === 7).hears.length > 0)),
    prefix: "simulation.",
    pictures: "simulation-",
  });
});
