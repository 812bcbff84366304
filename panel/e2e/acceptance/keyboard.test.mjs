// The console without a pointer: regions, digits, every action of a card, the palette.
import assert from "node:assert/strict";
import test from "node:test";
import { Stage } from "../simulated.mjs";
import { crowd, shift } from "../stage.mjs";
import { until } from "../wait.mjs";

const regions = ["emergency-lane", "tools", "channels", "log", "desk", "ptt-bar"];
const setUp = { first: "done", settings: { language: "en" } };

/** Where the focus is: its region, its channel, and what it is on. */
const focus = (page) =>
  page.evaluate((regions) => {
    const e = document.activeElement;
    return {
      region: regions.find((r) => e.closest(`[data-part=${r}]`)) ?? "",
      channel: e.closest("[data-part=channel-card]")?.querySelector("[data-part=name]")?.textContent.trim() ?? "",
      is: [e.tagName, e.id, e.dataset.part, e.getAttribute("aria-label") ?? e.textContent.trim().slice(0, 40)].join(" "),
    };
  }, regions);

const focused = (page, what, condition) => until(what, async () => condition(await focus(page)));
const desk = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("simulation.squelch.desk")));
const deskIs = (page, what, condition) => until(what, async () => condition(await desk(page)));

/** Goes to a region by F6, and says how many presses that took. */
async function go(page, region) {
  for (let n = 0; n <= 6; n++) {
    if ((await focus(page)).region === region) return n;
    await page.keyboard.press("F6");
  }
  throw new Error(`${region} is not reached by F6`);
}

/** On the card of a channel that is drawn. */
async function onCard(page, channel) {
  await go(page, "channels");
  await page.keyboard.press("Home");
  for (let n = 0; n < 40; n++) {
    if ((await focus(page)).channel === channel) return;
    await page.keyboard.press("ArrowRight");
  }
  throw new Error(`${channel} is not reached by the arrows`);
}

test("the keyboard", async (t) => {
  const stage = await Stage.build(t);

  await t.test("40. F6 goes around six regions, each of them is one Tab stop, and arrows move inside", async () => {
    const here = await stage.play(shift({ steps: [{ at: 2, unit: 9, do: "panic" }, { at: 2, unit: 7, do: "talk", for: 600 }] }), { kept: setUp });
    const { page } = here;
    await here.to(4);
    await page.locator("[data-part=emergency-slot]").first().waitFor();
    await here.keysThere();
    await go(page, regions[0]);
    const around = [];
    for (let i = 0; i < 7; i++) {
      around.push((await focus(page)).region);
      await page.keyboard.press("F6");
    }
    assert.deepEqual(around, [...regions, regions[0]]);
    assert.equal((await focus(page)).region, "tools");
    await page.keyboard.press("Shift+F6");
    assert.equal((await focus(page)).region, "emergency-lane");
    await page.keyboard.press("Shift+F6");
    assert.equal((await focus(page)).region, "ptt-bar");
    for (const from of regions) {
      for (const to of regions) {
        await go(page, from);
        const presses = await go(page, to);
        assert.ok(presses <= 6, `${from} to ${to}: ${presses} presses`);
      }
    }
    for (const region of regions) {
      await go(page, region);
      const before = await focus(page);
      await page.keyboard.press("Tab");
      const after = await focus(page);
      assert.notEqual(after.region, region, `Tab leaves ${region}: from ${before.is} to ${after.is}`);
      await page.keyboard.press("Shift+Tab");
      assert.equal((await focus(page)).is, before.is, `Shift and Tab lead back into ${region}`);
      const arrows = ["ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "End", "Home"];
      const seen = new Set([before.is]);
      for (const arrow of arrows) {
        await page.keyboard.press(arrow);
        const now = await focus(page);
        assert.equal(now.region, region, `${arrow} stays in ${region}`);
        seen.add(now.is);
      }
      assert.ok(seen.size > 1, `arrows move in ${region}`);
      // It is left and entered again where it was.
      const left = (await focus(page)).is;
      await page.keyboard.press("F6");
      await page.keyboard.press("Shift+F6");
      assert.equal((await focus(page)).is, left, `${region} remembers`);
    }
    here.silent();
    await here.close();
  });

  await t.test("40. a region keeps the focus when what had it goes", async () => {
    const here = await stage.play(shift({ steps: [{ at: 2, unit: 9, do: "panic" }] }), { kept: setUp });
    const { page } = here;
    await here.to(4);
    await here.keysThere();
    await go(page, "emergency-lane");
    const key = page.locator("[data-part=emergency-slot] [data-part=acknowledge]");
    await until("the focus is on Acknowledge", async () => {
      if (await key.evaluate((e) => e === document.activeElement)) return true;
      await page.keyboard.press("ArrowRight");
      return false;
    });
    await page.waitForTimeout(600); // a slot's keys take no press in its first half second
    await page.keyboard.press("Enter");
    await page.locator("[data-part=emergency-slot][data-state=acknowledged]").waitFor();
    await focused(page, "the focus is still in the lane", (f) => f.region === "emergency-lane");
    here.silent();
    await here.close();
  });

  await t.test("20. F9 is not lost while the keys of the console are still on their way", async () => {
    const here = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }] }), { kept: setUp });
    const { page } = here;
    let release;
    const released = new Promise((give) => (release = give));
    await page.route("**/assets/keyboard-*.js", async (route) => {
      await released;
      await route.continue();
    });
    await page.reload();
    await here.opened("Shift");
    await here.to(3);
    const slot = page.locator("[data-part=emergency-slot]", { hasText: "Cy" });
    await slot.and(page.locator("[data-state=unacknowledged]")).waitFor();
    await page.keyboard.press("F9");
    assert.equal(await slot.getAttribute("data-state"), "unacknowledged");
    release();
    await slot.and(page.locator("[data-state=acknowledged]")).waitFor();
    here.silent(/ERR_ABORTED|Failed to load/);
    await here.close();
  });

  await t.test("41. digits focus channels inside the channels, and nowhere else", async () => {
    const here = await stage.play(crowd(40), { kept: { ...setUp, filter: "all" } });
    const { page } = here;
    await here.to(2);
    await here.keysThere();
    await go(page, "channels");
    const shown = await page.locator("[data-part=channel-card] [data-part=name]").allTextContents();
    for (const [digit, at] of [["3", 2], ["1", 0], ["0", 9], ["9", 8]]) {
      await page.keyboard.press(digit);
      await focused(page, `${digit} focuses ${shown[at]}`, (f) => f.channel === shown[at].trim());
    }
    const { scans, joined } = await desk(page);
    const search = page.locator("[data-part=log] input[type=search]");
    await search.focus();
    await page.keyboard.type("123 xmpu");
    assert.equal(await search.inputValue(), "123 xmpu");
    assert.equal((await focus(page)).region, "log");
    for (const region of regions.filter((r) => r !== "channels")) {
      await page.keyboard.press("F6");
      await go(page, region);
      const before = (await focus(page)).is;
      if (before.startsWith("INPUT")) continue;
      for (const key of ["1", "5", "x", "p", "u"]) await page.keyboard.press(key);
      assert.equal((await focus(page)).region, region, `digits move nothing in ${region}`);
    }
    assert.deepEqual((({ scans, joined }) => ({ scans, joined }))(await desk(page)), { scans, joined });
    here.silent();
    await here.close();
  });

  await t.test("42. every action of a card is reached by keys, and a unit by ten Tabs at most", async () => {
    const here = await stage.play(crowd(), { kept: { ...setUp, filter: "all" } });
    const { page } = here;
    await here.to(2);
    await here.keysThere();
    await page.locator("#tab-recall").click();
    await onCard(page, "CH 005");
    const f = await page.locator("[data-part=channel-card]:focus-within").getAttribute("data-frequency");
    const targets = (d) => [d.joined, ...d.selected].filter(Boolean);
    const press = (key) => page.keyboard.press(key);
    await press("m");
    await deskIs(page, "M monitors", (d) => d.scans[f] === 0);
    for (const priority of [2, 1, 0]) {
      await press("p");
      await deskIs(page, `P gives priority ${priority}`, (d) => d.scans[f] === priority);
    }
    await press("m");
    await deskIs(page, "M ends it", (d) => !(f in d.scans));
    await press("x");
    await deskIs(page, "X adds a target", (d) => targets(d).length === 2 && targets(d).includes(f));
    await press("x");
    await deskIs(page, "X removes it", (d) => targets(d).length === 1 && !targets(d).includes(f));
    await press("Enter");
    await deskIs(page, "Enter makes it the only target", (d) => targets(d).join() === f);
    await press("-");
    await press("-");
    await deskIs(page, "- is quieter", (d) => d.levels[f].volume === 0.8);
    await press("+");
    await deskIs(page, "+ is louder", (d) => d.levels[f].volume === 0.9);
    await press("u");
    await deskIs(page, "U mutes", (d) => d.levels[f].muted);
    await press("u");
    await deskIs(page, "and lets it be heard", (d) => !d.levels[f].muted);
    await page.keyboard.down("t");
    await page.locator(`[data-part=channel-card][data-frequency="${f}"][data-state=tx]`).waitFor();
    await page.keyboard.up("t");
    await page.locator(`[data-part=channel-card][data-frequency="${f}"]:not([data-state=tx])`).waitFor();
    assert.equal((await focus(page)).channel, "CH 005");
    await press("r");
    await page.locator("[data-part=recall-player]").waitFor();
    assert.equal((await focus(page)).channel, "CH 005");
    await press("Escape");
    await page.locator("[data-part=recall-player]").waitFor({ state: "detached" });
    await press(".");
    await page.locator("[data-part=drawer]").waitFor();
    await press("Escape");
    await page.locator("[data-part=drawer]").waitFor({ state: "detached" });
    // From the status bar to a unit.
    await page.locator("[data-part=status-bar] button").first().focus();
    const stops = [];
    for (let region = ""; region !== "desk" && stops.length < 30; ) {
      await press("Tab");
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))); // a unit that leaves hands its focus on
      const now = await focus(page);
      region = now.region;
      stops.push(`${region}: ${now.is}`);
    }
    t.diagnostic(`${stops.length} Tabs from the status bar to the desk with 160 channels (asked: 10)`);
    assert.ok(stops.length <= 10, `${stops.length} Tabs:\n${stops.join("\n")}`);
    await until("the arrows lead to a unit", async () => {
      if (await page.evaluate(() => document.activeElement.closest("[data-part=unit]") !== null)) return true;
      await press("ArrowDown");
      return false;
    });
    here.silent();
    await here.close();
  });

  await t.test("43. the palette brings a channel that is out of sight into view, with the focus on it", async () => {
    const here = await stage.play(crowd(), { kept: { ...setUp, filter: "all" } });
    const { page } = here;
    await here.to(2);
    await here.keysThere();
    const inView = (channel) =>
      until(`${channel} is in view and has the focus`, () =>
        page.evaluate((channel) => {
          const card = document.activeElement.closest("[data-part=channel-card]");
          if (card?.querySelector("[data-part=name]")?.textContent.trim() !== channel) return false;
          const [box, around] = [card.getBoundingClientRect(), card.closest("[data-part=channels]").getBoundingClientRect()];
          return box.top >= around.top - 1 && box.bottom <= around.bottom + 1;
        }, channel),
      );
    const ask = async (words) => {
      await page.keyboard.press("Control+k");
      await page.locator("[data-part=palette] input").fill(words);
      await page.keyboard.press("Enter");
      await page.locator("[data-part=palette]").waitFor({ state: "detached" });
    };
    await ask("CH 150");
    await inView("CH 150");
    await ask("talk ch 003");
    await inView("CH 003");
    await deskIs(page, "CH 003 is the target", (d) => d.selected.length === 0 && d.joined !== null);
    // A filter that does not show it makes room, and a zone too.
    await page.locator("[data-part=filter]", { hasText: "Mine" }).click();
    await ask("CH 149");
    await inView("CH 149");
    await page.keyboard.press("Alt+1");
    await ask("zeige CH 160");
    await inView("CH 160");
    const named = page.locator("[data-part=palette] [role=option]");
    await page.keyboard.press("Control+k");
    await page.locator("[data-part=palette] input").fill("move unit 2");
    await page.keyboard.press("Enter");
    await until("the sentence is written on", async () => /^move Unit 2 to $/i.test(await page.locator("[data-part=palette] input").inputValue()));
    await page.keyboard.type("CH 160");
    await named.first().filter({ hasText: "Move Unit 2 to CH 160" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("[data-part=unit]", { hasText: "Unit 2" }).filter({ hasText: "CH 160" }).first().waitFor();
    here.silent();
    await here.close();
  });
});
