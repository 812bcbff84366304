// The guided first shift from its first task to its report: with the mouse in English,
// by keyboard in German.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { accessible, picture } from "./eyes.mjs";
import { Stage } from "./simulated.mjs";
import { until } from "./wait.mjs";

const scenario = JSON.parse(readFileSync(new URL("../src/simulation/scenarios/first-shift.json", import.meta.url), "utf8"));
const frequencies = { "LSPD DISP": "154.755", "LSPD TAC 1": "154.815", "FIRE DISP": "154.28" };

/** One trainee at the first shift. */
class Trainee {
  constructor(desk, language) {
    this.desk = desk;
    this.page = desk.page;
    this.language = language;
    this.guide = this.page.locator("[data-part=guide]");
    this.slot = this.page.locator("[data-part=emergency-slot]", { hasText: "1-ADAM-14" }).first();
  }

  card(name) {
    return this.page.locator(`[data-part=channel-card][data-frequency="${frequencies[name]}"]`);
  }

  /** Waits until it is the turn of a task, and that it reads as the largest text of the bar. */
  async reads(id) {
    const { name } = scenario.tasks.find((t) => t.id === id);
    await this.page.locator("[data-part=guide][data-state=open]", { hasText: name[this.language] }).waitFor();
    const sizes = await this.page.evaluate(() => {
      const size = (e) => Number.parseFloat(getComputedStyle(e).fontSize);
      const bar = document.querySelector("[data-part=simulation-bar]");
      const task = bar.querySelector("[data-part=task]");
      return [size(task), Math.max(...[...bar.querySelectorAll("*")].filter((e) => e !== task && !task.contains(e) && e.textContent).map(size))];
    });
    assert.ok(sizes[0] > sizes[1], `the task has ${sizes[0]} px, something else ${sizes[1]} px`);
  }

  /** Does a task, and waits until it is checked off. */
  async does(id, work) {
    await this.reads(id);
    await work();
    await this.done(id);
  }

  /** Waits until a task is done; whoever only listens may not see it, at this speed. */
  done(id) {
    return until(`${id} is done`, async () => (await this.states())[id] === "done");
  }

  /** Every task's state. */
  states() {
    return this.page.evaluate(() => Object.fromEntries(globalThis.simulation.view.score.tasks.map((t) => [t.id, t.state])));
  }

  /** Holds a key until the trainee is on the air. */
  async talks(press, release) {
    await until("on the air", async () => {
      await press();
      const on = await this.page.locator("[data-part=ptt][data-state=TX]").waitFor({ timeout: 1_500 }).then(() => true, () => false); // the unit's microphone may still be open
      await release();
      return on;
    });
    await this.desk.ptt("IDLE");
  }

  /** Presses again until it has done what it does: for half a second a new emergency's keys do nothing. */
  presses(what, work, done) {
    return until(what, async () => {
      if (await done()) return true;
      await work();
      return false;
    });
  }
}

/** Where each task is done with the mouse. */
async function withTheMouse(u) {
  const { page, slot } = u;
  const key = page.locator("[data-part=ptt]");
  const hold = () =>
    u.talks(
      async () => {
        await key.hover();
        await page.mouse.down();
      },
      () => page.mouse.up(),
    );
  await u.does("monitor", () => u.card("FIRE DISP").locator("[data-part=monitor]").click());
  await u.done("listen");
  await u.does("target", () => u.card("LSPD DISP").locator("[data-part=target]").click());
  await u.does("call", hold);
  await u.done("check");
  await u.does("replay", () => u.card("LSPD DISP").locator("[data-part=replay]").click());
  await u.does("alert", () => page.locator("[data-part=acknowledge-alerts]").click());
  await u.does("answer", () => u.presses("answered", () => slot.locator("[data-part=answer]").click(), async () => (await slot.getAttribute("data-state")) === "acknowledged"));
  await u.does("speak", hold);
  await u.does("close", async () => {
    await slot.locator("[data-part=close-emergency]").click();
    await page.locator("[data-part=drawer] input[value=accidental]").check();
    await page.locator("[data-part=drawer] button[type=submit]").click();
  });
  await u.does("move", () => page.locator("[data-part=unit]", { hasText: "1-ADAM-14" }).first().dragTo(u.card("LSPD TAC 1")));
  await u.does("join", async () => {
    await page.getByRole("tab", { name: /^Patches/ }).click();
    await page.locator("[data-part=desk]").getByRole("button", { name: "New patch…" }).click();
    const dialog = page.locator("[data-part=dialog][data-state=patch]");
    for (const name of ["LSPD DISP", "FIRE DISP"]) await dialog.getByLabel(name).check();
    await dialog.getByRole("button", { name: "Start patch" }).click();
  });
  await u.does("apart", () => page.getByRole("button", { name: /^End patch/ }).click());
}

/** The same by keyboard. */
async function byKeyboard(u) {
  const { page, slot } = u;
  const { keyboard } = page;
  const at = async (name, ...keys) => {
    await u.card(name).locator("[data-part=select]").focus();
    for (const k of keys) await keyboard.press(k);
  };
  const hold = () => u.talks(() => keyboard.down("F2"), () => keyboard.up("F2"));
  await u.does("monitor", () => at("FIRE DISP", "m"));
  await u.done("listen");
  await u.does("target", () => at("LSPD DISP", "Enter"));
  await u.does("call", hold);
  await u.done("check");
  await u.does("replay", () => at("LSPD DISP", "r"));
  await u.does("alert", () => keyboard.press("Alt+a"));
  await u.does("answer", () => u.presses("answered", () => keyboard.press("F9"), async () => (await slot.getAttribute("data-state")) === "acknowledged"));
  await u.does("speak", hold);
  await u.does("close", async () => {
    await slot.locator("[data-part=close-emergency]").focus();
    await keyboard.press("Enter");
    await page.locator("[data-part=drawer] input[value=resolved]:focus").waitFor();
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
  });
  await u.does("move", async () => {
    await page.locator("[data-part=unit]", { hasText: "1-ADAM-14" }).first().focus();
    await keyboard.press("m");
    await page.locator("[data-part=move-menu] input:focus").waitFor();
    await keyboard.type("TAC 1");
    await keyboard.press("Enter");
  });
  await u.does("join", async () => {
    await page.getByRole("tab", { name: /^Kopplungen/ }).focus();
    await keyboard.press("Enter");
    await page.getByRole("button", { name: "Neue Kopplung" }).focus();
    await keyboard.press("Enter");
    const dialog = page.locator("[data-part=dialog][data-state=patch]");
    for (const name of ["LSPD DISP", "FIRE DISP"]) {
      await dialog.getByLabel(name).focus();
      await keyboard.press("Space");
    }
    await keyboard.press("Enter");
  });
  await u.does("apart", async () => {
    await page.getByRole("button", { name: /^Kopplung .* beenden$/ }).focus();
    await keyboard.press("Enter");
  });
}

test("the first shift", { concurrency: true }, async (t) => {
  const stage = await Stage.build(t);
  const begin = async (language, size) => {
    const desk = await stage.play(scenario, {
      address: "/?simulate=first-shift", open: false, bar: true, kept: { settings: { language } }, context: { viewport: size },
    });
    await desk.page.locator("[data-part=channel-card]").first().waitFor();
    await desk.run(5); // its pauses are for people
    return new Trainee(desk, language);
  };

  const finish = async (u, complete) => {
    const report = u.page.locator("[data-part=report]");
    await report.getByText(complete).waitFor();
    const states = await u.states();
    assert.deepEqual(Object.values(states), scenario.tasks.map(() => "done"), JSON.stringify(states));
    assert.equal(await report.locator("[data-part=report-task][data-state=done]").count(), scenario.tasks.length);
    await accessible(u.page, "report", "[data-part=simulation-sheet]");
    await picture(u.page, `first-shift-${u.language}`);
    u.desk.silent();
  };

  await Promise.all([
    t.test("with the mouse, in English", async () => {
      const u = await begin("en", { width: 1440, height: 900 });
      await u.reads("monitor");
      assert.equal(await u.guide.locator("[data-part=guide-progress]").innerText(), "1 of 13");
      await accessible(u.page, "task", "[data-part=simulation-bar]");
      await withTheMouse(u);
      await finish(u, /^Training complete: \d+ of 160 points\.$/);
      await u.page.locator("[data-part=simulation-sheet]").getByRole("button", { name: "Start Officer down" }).waitFor();
    }),

    t.test("by keyboard, in German", async () => {
      const u = await begin("de", { width: 1366, height: 768 });
      await u.desk.keysThere();
      await byKeyboard(u);
      await finish(u, /^Übung beendet: \d+ von 160 Punkten\.$/);
    }),

    t.test("a hint comes after a while, with the trainee's own key; a task is skipped; the language changes in between", async () => {
      const { desk, page, guide } = await begin("en", { width: 390, height: 844 });
      const talk = (settings) => page.evaluate((more) => {
        const desk = JSON.parse(localStorage.getItem("simulation.squelch.desk"));
        localStorage.setItem("simulation.squelch.desk", JSON.stringify({ ...desk, settings: { ...desk.settings, ...more } }));
      }, settings);
      await talk({ globalPTT: { pttKey: "F4", pttType: "key", pttMouseButton: 4 } });
      await page.reload();
      await page.locator("[data-part=channel-card]").first().waitFor();
      await desk.hold();
      await desk.to(29);
      await guide.getByText("Monitor FIRE DISP").waitFor();
      assert.equal(await page.locator("[data-part=task-hint]").count(), 0);
      await desk.to(31);
      await page.locator("[data-part=task-hint] kbd", { hasText: "F6" }).waitFor();
      const skip = () => guide.getByRole("button", { name: /Skip|Überspringen/ }).click();
      await skip();
      await guide.getByText("2 of 13").waitFor();
      await desk.to(40);
      await guide.getByText("Choose LSPD DISP to talk on").waitFor();
      await skip();
      await page.locator("[data-part=task-how] kbd", { hasText: "F4" }).waitFor();
      const states = await page.evaluate(() => globalThis.simulation.view.score.tasks.slice(0, 4).map((t) => t.state));
      assert.deepEqual(states, ["skipped", "done", "skipped", "open"]);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(sideways, 0);
      for (const part of ["ptt", "emergency-lane"]) {
        const box = await page.locator(`[data-part=${part}]`).boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height <= 844, `${part} is not on the screen`);
      }
      await picture(page, "first-shift-phone");
      await desk.button("Settings").click();
      await page.getByLabel("Language").selectOption("Deutsch");
      await page.keyboard.press("Escape");
      await guide.getByText("1-ADAM-12 rufen: „Sprechprobe“").waitFor();
      await page.locator("[data-part=caption]", { hasText: "Rauchentwicklung an der Mühle" }).waitFor();
      await page.locator("[data-part=scenario-name]", { hasText: "Erste Schicht" }).waitFor();
      desk.silent();
    }),
  ]);
});
