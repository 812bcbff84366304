// The rail: what happened, and who is there.
import assert from "node:assert/strict";
import test from "node:test";
import { frequencyOf } from "../county.mjs";
import { LiveWorld } from "../live.mjs";
import { Stage } from "../simulated.mjs";
import { shift } from "../stage.mjs";
import { passes, until } from "../wait.mjs";

const desktops = [[1440, 900], ...(process.env.SQUELCH_ALL_LOOKS ? [[1366, 768], [1920, 1080], [2560, 1440]] : [])];

const lines = (desk) => desk.page.locator("[data-part=transmissions] li");
/** How many lines the log has, also of those that are too far down to be drawn. */
const count = (desk) =>
  desk.page.evaluate(() => {
    const log = document.querySelector("[data-part=transmissions]");
    return log ? log.children.length + Math.round(parseFloat(getComputedStyle(log).paddingBottom) / log.firstElementChild.offsetHeight) : 0;
  });
const row = (desk, name) => desk.page.locator("[data-part=units] li", { hasText: name });
const card = (desk, channel) => desk.page.locator(`[data-part=channel-card][data-frequency="${frequencyOf(channel)}"]`);
const tab = (desk, name) => desk.page.getByRole("tab", { name: new RegExp(`^${name}\\b`) });
const icon = (locator, name) => locator.locator(`use[href="#i-${name}"]`).first().waitFor({ state: "attached" });
const on = (desk, name, channel) => row(desk, name).locator(".where", { hasText: channel }).waitFor();

/** So many transmissions, one after the other. */
const talks = (n, from = 1) => Array.from({ length: n }, (_, i) => ({ at: from + 0.6 * i, unit: [7, 8, 9][i % 3], do: "talk", for: 0.3 }));

test("the rail on a simulated radio", async (t) => {
  const stage = await Stage.build(t);

  for (const [width, height] of desktops) {
    await t.test(`12. the log never pushes the units off the screen: 0, 14, 64, 500 entries at ${width}×${height}`, async (t) => {
      const desk = await stage.play(shift({ steps: talks(500) }), { context: { viewport: { width, height } } });
      await desk.page.locator("[data-part=desk]").waitFor();
      const boxes = [];
      for (const n of [0, 14, 64, 500]) {
        await desk.to(n === 0 ? 0.5 : 1.4 + 0.6 * (n - 1));
        await until(`${n} lines`, async () => (await count(desk)) === n);
        boxes.push(
          await desk.page.evaluate(() => {
            const box = document.querySelector("[data-part=desk]").getBoundingClientRect();
            const { scrollHeight, clientHeight } = document.documentElement;
            return { top: box.top, height: box.height, below: box.bottom - innerHeight, scrolls: scrollHeight - clientHeight };
          }),
        );
      }
      t.diagnostic(`the desk is ${Math.round(boxes[0].height)} px high`);
      assert.ok(boxes[0].height >= 200 && boxes[0].below <= 0, JSON.stringify(boxes[0]));
      assert.equal(boxes[0].scrolls, 0);
      assert.deepEqual(boxes.slice(1), [boxes[0], boxes[0], boxes[0]]);
      desk.silent();
      await desk.close();
    });
  }

  await t.test("13. a log that is scrolled keeps its first visible line when 10 entries arrive", async () => {
    const desk = await stage.play(shift({ steps: [...talks(40), ...talks(10, 60)] }));
    await desk.to(50);
    await until("40 lines", async () => (await lines(desk).count()) === 40);
    const list = desk.page.locator("[data-part=transmissions]");
    const first = () =>
      list.evaluate((l) => {
        const top = l.getBoundingClientRect().top;
        const li = [...l.children].find((x) => x.getBoundingClientRect().bottom > top + 1);
        return [li.dataset.key, Math.round(li.getBoundingClientRect().top - top)];
      });
    await list.hover();
    await desk.page.mouse.wheel(0, 310);
    await until("it is scrolled", () => list.evaluate((l) => l.scrollTop === 310));
    const before = await first();
    await desk.to(70);
    const fresh = desk.page.getByRole("button", { name: "10 new ↑" });
    await fresh.waitFor();
    assert.deepEqual(await first(), before);
    await fresh.click();
    await until("all lines are there, from the newest", async () => (await lines(desk).count()) === 50 && (await list.evaluate((l) => l.scrollTop)) === 0);
    desk.silent();
    await desk.close();
  });

  await t.test("36. who is followed has headphones until that is stopped", async () => {
    const desk = await stage.play(shift());
    await desk.to(2);
    await followed(desk, "Cy", "TAC");
    desk.silent();
    await desk.close();
  });

  await t.test("38. tones go nowhere until a channel is chosen, and PANIC is held", async () => {
    const desk = await stage.play(shift());
    await desk.to(2);
    await tab(desk, "Tones").click();
    const keys = desk.page.locator("[data-part=tone]");
    await until("there are tones", async () => (await keys.count()) > 3);
    const none = async () => (await keys.evaluateAll((all) => all.every((k) => k.disabled))) && (await desk.page.getByLabel("Send tones on").inputValue()) === "";
    assert.ok(await none(), "no channel is chosen");
    // Clicks, Enter and the Tab key on cards choose none.
    await card(desk, "TAC").locator("[data-part=name]").click();
    await desk.page.keyboard.press("Enter");
    for (let i = 0; i < 4; i++) await desk.page.keyboard.press("Tab");
    assert.ok(await none(), "a card chose a channel for tones");

    await desk.page.getByLabel("Send tones on").selectOption("FIRE");
    await until("every key says where it sends", () => keys.evaluateAll((all) => all.every((k) => !k.disabled && k.textContent.includes("FIRE"))));
    await card(desk, "TAC").locator("[data-part=name]").click();
    assert.equal(await desk.page.getByLabel("Send tones on").inputValue(), frequencyOf("FIRE"));
    const sent = desk.page.locator("[role=status]", { hasText: " sent on FIRE" });
    const panic = desk.page.getByRole("button", { name: "Send PANIC on FIRE, Hold to send" });
    // The page's own clock ends the press that must not send: a busy machine may take longer to say so.
    await panic.evaluate((key) => {
      window.held = new Promise((done) => {
        const letGo = () => {
          done("holding" in key.dataset);
          key.dispatchEvent(new PointerEvent("pointerup"));
        };
        key.addEventListener("pointerdown", () => setTimeout(letGo, 300), { once: true });
      });
    });
    await panic.hover();
    await desk.page.mouse.down();
    assert.ok(await desk.page.evaluate(() => window.held), "it is held half-way to its end");
    await desk.page.mouse.up();
    await desk.page.locator("[data-part=tone][data-holding]").waitFor({ state: "detached" });
    await passes(600, "nothing is sent late either");
    assert.equal(await sent.count(), 0);
    await desk.page.mouse.down();
    await sent.filter({ hasText: "PANIC" }).waitFor();
    await desk.page.mouse.up();
    await desk.page.getByRole("button", { name: "Send BEEP on FIRE" }).click();
    await sent.filter({ hasText: "BEEP" }).waitFor();
    desk.silent();
    await desk.close();
  });

  await t.test("39. a unit is moved by drag, over any part of a card, and Undo restores it", async () => {
    const desk = await stage.play(shift());
    await desk.to(2);
    await moved(desk, "Cy", "TAC", "STATE");
    desk.silent();
    await desk.close();
  });

  await t.test("a line is replayed from the log, by key or pointer; without a recording its key says why", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "talk", for: 2 }, { at: 2, unit: 8, do: "talk", for: 6 }] }));
    await desk.run();
    const heard = lines(desk).filter({ hasText: "Ben Okoye" });
    await heard.and(desk.page.locator("[data-state=done]")).waitFor();
    assert.equal(await lines(desk).filter({ hasText: "Cy" }).locator("button").getAttribute("title"), "Not recorded at this console");
    await until("Ben can be replayed", () => heard.locator("button").isEnabled());
    await heard.focus();
    await desk.page.keyboard.press("Enter");
    await heard.locator("button[aria-pressed=true]").waitFor();
    await desk.page.keyboard.press("j");
    await lines(desk).filter({ hasText: "Cy" }).and(desk.page.locator(":focus")).waitFor(); // the one before
    await heard.locator("button[aria-pressed=false]").waitFor(); // it has ended
    desk.silent();
    await desk.close();
  });
});

test("the rail on the service", async (t) => {
  const world = await LiveWorld.start(t);
  const ana = await world.radio(7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  await ana.join("MAIN");

  await t.test("37. after a reload the log has at least the last 50 entries, and never says that there are none", async (t) => {
    const desk = await world.desk("NORTH");
    for (let i = 0; i < 55; i++) {
      await ana.talk(true);
      await ana.talk(false);
    }
    await until("55 lines", async () => (await lines(desk).count()) >= 55);
    await desk.page.addInitScript(() => {
      window.saidNone = false;
      new MutationObserver(() => (window.saidNone ||= document.body?.textContent.includes("No transmissions yet") ?? false)).observe(document, { childList: true, subtree: true, characterData: true });
    });
    await desk.page.reload();
    await until("50 lines after the reload", async () => (await lines(desk).count()) >= 50);
    t.diagnostic(`${await lines(desk).count()} lines after the reload`);
    assert.equal(await desk.page.evaluate(() => window.saidNone), false);
    desk.silent();
    await desk.close();
  });

  await t.test("36. who is followed has headphones until that is stopped", async () => {
    const desk = await world.desk("NORTH");
    await followed(desk, "Ana Ruiz", "MAIN");
    desk.silent();
    await desk.close();
  });

  await t.test("39. a unit is moved by drag, over any part of a card, and Undo restores it", async () => {
    const desk = await world.desk("NORTH");
    await moved(desk, "Ana Ruiz", "MAIN", "STATE");
    desk.silent();
    await desk.close();
  });
});

async function followed(desk, name, channel) {
  const { page } = desk;
  await icon(row(desk, name), "unit");
  await row(desk, name).locator("[data-part=unit]").click();
  await desk.button("Follow").click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await icon(row(desk, name), "ear");
  await row(desk, name).locator("[data-part=unit][data-state=fol]").waitFor();
  await icon(card(desk, channel).locator("[data-part=following]"), "ear");
  await desk.button(`Stop following ${name}`).click();
  await icon(row(desk, name), "unit");
  await desk.button(`Stop following ${name}`).waitFor({ state: "detached" });
  await card(desk, channel).locator("[data-part=following]").waitFor({ state: "detached" });
}

async function moved(desk, name, from, to) {
  const { page } = desk;
  const undo = page.locator("[data-part=undo]");
  await on(desk, name, from);
  await row(desk, name).locator("[data-part=unit]").hover();
  await page.mouse.down();
  const over = card(desk, to).and(page.locator("[data-over=true]"));
  for (const child of ["[data-part=name]", "[data-part=band]", "[data-part=instant-tx]"]) {
    const box = await card(desk, to).locator(child).first().boundingBox();
    // Two steps: the browser begins a drag with the first, and is over the child with the second.
    await page.mouse.move(box.x + box.width / 2 - 2, box.y + box.height / 2, { steps: 4 });
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await over.waitFor();
  }
  await page.mouse.up();
  await on(desk, name, to);
  await over.waitFor({ state: "detached" });
  await undo.filter({ hasText: `${name} moved to ${to}.` }).getByRole("button", { name: "Undo" }).click();
  await on(desk, name, from);
  await undo.waitFor({ state: "detached" });
}
