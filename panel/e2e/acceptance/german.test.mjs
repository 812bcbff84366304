// German is longer than English: every key has room for its words, in every density and at every size.
import assert from "node:assert/strict";
import test from "node:test";
import { Stage } from "../simulated.mjs";
import { shift } from "../stage.mjs";
import { until } from "../wait.mjs";
import { at, screen } from "./sizes.mjs";
import { cut } from "./words.mjs";

const everywhere = process.env.SQUELCH_ALL_LOOKS === "1";
const places = [
  ...["1366", "1440"].flatMap((name) => ["comfortable", "compact", "dense"].map((density) => [name, density])),
  ["390", "comfortable"],
].filter(([name, density]) => everywhere || name !== "1440" || density !== "compact");

const scene = () =>
  shift({
    steps: [
      { at: 1, unit: 8, do: "talk", for: 600 },
      { at: 1, unit: -2, do: "alert", alert: "SIGNAL 100", channel: "STATE" },
    ],
  });
const card = (page, name) => page.locator("[data-part=channel-card]", { has: page.locator("[data-part=name]", { hasText: new RegExp(`^${name}$`) }) });

test("every key has room for its German words", async (t) => {
  const stage = await Stage.build(t);
  for (const [name, density] of places) {
    await t.test(`at ${name}, ${density}`, async () => {
      const phone = name === "390";
      const settings = { language: "de", density };
      const kept = { filter: "all", zoom: "fit", first: "done", settings };
      const desk = await stage.play(scene(), { kept, context: at(screen(name)) });
      const { page } = desk;
      const found = [];
      const look = async (what) => found.push(...(await cut(page, what)));
      await desk.to(3);
      await page.locator("[data-part=status-bar]").waitFor();
      await page.locator("[data-part=filter], [data-part=phone-nav], .phone-nav", { hasText: /Meine|Kanäle/ }).first().waitFor();
      await page.keyboard.press("Shift"); // a gesture: sound may start
      await look("idle");
      if (density === "dense")
        for (const channel of ["MAIN", "FIRE", "STATE"]) {
          await card(page, channel).hover();
          await look(`the keys of ${channel}`);
        }
      // What is keyed.
      const hold = async (state) => {
        await until(state, async () => {
          await page.keyboard.up("F2");
          await page.keyboard.down("F2");
          return page.locator(`[data-part=ptt][data-state=${state}]`).waitFor({ timeout: 2_000 }).then(() => true, () => false);
        });
        await look(state);
        await page.keyboard.up("F2");
      };
      await hold("TX");
      await desk.ptt("IDLE");
      // Emergencies: raised, not acknowledged for long, acknowledged, ended in every way.
      for (const unit of [9, 7]) await desk.deed({ do: "panic" }, unit);
      await page.locator("[data-part=emergency-slot]").nth(1).waitFor();
      await look("two emergencies");
      await desk.to(60);
      await page.locator("[data-overdue=true]").first().waitFor();
      await look("not acknowledged");
      await page.waitForTimeout(600); // the keys of a new slot do nothing at first
      await page.locator("[data-part=emergency-slot] [data-part=acknowledge]").first().click();
      await page.locator("[data-part=emergency-slot][data-state=acknowledged]").waitFor();
      await desk.deed({ do: "calm" }, 7);
      await page.locator("[data-part=emergency-slot][data-state=ended]").waitFor();
      await look("acknowledged and ended");
      await desk.deed({ do: "panic" }, 8);
      await look("three emergencies");
      if (!phone) {
        await page.locator("[data-part=emergency-more]").click();
        await page.locator("#all-emergencies:popover-open").waitFor();
        await look("the list of emergencies");
        await page.keyboard.press("Escape");
        for (const tab of ["units", "patches", "groups", "tones"]) {
          await page.locator(`#tab-${tab}`).click();
          await look(tab);
        }
      }
      // The drawer of a channel, and that of an emergency.
      if (!phone && density !== "dense") {
        await card(page, "MAIN").locator("[data-part=more]").click();
        await page.locator("[data-part=drawer]").waitFor();
        await look("the drawer");
        await page.keyboard.press("Escape");
      }
      await page.locator("[data-part=emergency-slot] [data-part=close-emergency]").first().click();
      await page.locator("[data-part=drawer] input").first().waitFor();
      await look("closing");
      await page.keyboard.press("Escape");
      await desk.close();

      // Without a link.
      const lost = await stage.play(scene(), { kept, context: at(screen(name)) });
      await lost.to(3);
      await lost.deed({ do: "link", down: 30 });
      await lost.ptt("NOLINK");
      await cut(lost.page, "no link").then((more) => found.push(...more));
      await lost.close();

      const latched = await stage.play(scene(), { kept: { ...kept, settings: { ...settings, latch: true } }, context: at(screen(name)) });
      await latched.to(3);
      await until("latched", async () => {
        await latched.page.keyboard.press("F2", { delay: 50 });
        return latched.page.locator("[data-part=ptt][data-state=LATCHED]").waitFor({ timeout: 2_000 }).then(() => true, () => false);
      });
      await cut(latched.page, "latched").then((more) => found.push(...more));
      await latched.close();
      assert.deepEqual(found, []);
    });
  }
});
