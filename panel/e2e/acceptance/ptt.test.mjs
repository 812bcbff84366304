// The push-to-talk bar: one result for each target, and never a promise that it cannot keep.
import assert from "node:assert/strict";
import test from "node:test";
import { Stage } from "../simulated.mjs";
import { shift } from "../stage.mjs";
import { until } from "../wait.mjs";

const bar = (desk) => desk.page.locator("[data-part=ptt-bar]");
const chips = (desk) =>
  desk.page.locator("[data-part=targets] [data-part=ptt-target]").evaluateAll((all) =>
    all.map((c) => ({ state: c.dataset.state, channel: c.querySelector("b").textContent, result: c.lastElementChild.textContent })),
  );
const line = (desk) => desk.page.locator("[data-part=ptt-line]").textContent();

test("the push-to-talk bar", async (t) => {
  const stage = await Stage.build(t);

  for (const [look, language] of [["night", "en"], ["lcd", "en"], ["lcd", "de"]]) await t.test(`3. the key and its words are large, and on it: ${look}, ${language}`, async () => {
    const desk = await stage.play(shift(), { kept: { settings: { look, language } } });
    await desk.to(2);
    const key = desk.page.locator("[data-part=ptt]");
    const box = await key.boundingBox();
    assert.ok(box.width >= 240 && box.height >= 60, `${box.width} x ${box.height}`);
    await desk.page.keyboard.down("F2");
    await desk.ptt("TX");
    const px = await key.locator("b").evaluate((b) => parseFloat(getComputedStyle(b).fontSize));
    assert.ok(px >= 24, `ON AIR in ${px} px`);
    assert.equal(await key.locator("b").textContent(), language === "de" ? "SENDET" : "ON AIR");
    const [words, time] = [await key.locator("span").boundingBox(), await key.locator("time").boundingBox()];
    assert.ok(words.x + words.width <= time.x && time.x + time.width <= box.x + box.width - 4, `the words end at ${words.x + words.width}, the time is from ${time.x} to ${time.x + time.width}, the key ends at ${box.x + box.width}`);
    assert.deepEqual(await key.boundingBox(), box);
    await desk.page.keyboard.up("F2");
    await desk.ptt("IDLE");
    await desk.close();
  });

  await t.test("a key that is pressed before the bindings are there talks once they are, unless it was let go", async () => {
    const desk = await stage.play(shift());
    const { page } = desk;
    let release;
    await page.route("**/assets/bindings-*.js", async (route) => {
      await new Promise((give) => (release = give));
      await route.continue();
    });
    const early = async (press) => {
      release = undefined;
      await page.reload();
      await until("the bindings are asked for", () => release !== undefined);
      await desk.ptt("IDLE");
      await press();
      release();
      await desk.opened("Shift");
      await desk.to(2);
    };
    await early(() => page.keyboard.down("F2"));
    await desk.ptt("TX");
    await page.keyboard.up("F2");
    await desk.ptt("IDLE");
    await early(() => page.keyboard.press("F2"));
    await page.locator("[data-part=microphone][data-state=ready]").waitFor();
    await page.waitForTimeout(500); // time enough to talk by mistake
    assert.equal(await page.locator(":root").getAttribute("data-ptt"), "IDLE");
    await page.keyboard.down("F2");
    await desk.ptt("TX");
    await page.keyboard.up("F2");
    await desk.close();
  });

  await t.test("32. a group of four, three of them busy: four chips, three with who holds them, and the line counts", async () => {
    const radio = { announcementGroups: [{ id: "four", name: "Four", frequencies: ["154.755", "154.815", "460.25", "154.28"] }], bonking: { blockTransmission: true, playBonkTone: true, playerOverride: true } };
    const desk = await stage.play(shift({ radio, desk: { callsign: "D-1", joined: "MAIN", scans: ["FIRE"] }, steps: [
      { at: 1, unit: 7, do: "talk", for: 600 }, { at: 1, unit: 8, do: "talk", for: 600 }, { at: 1, unit: 9, do: "talk", for: 600 },
    ] }), { kept: { group: "four" } });
    await desk.to(5);
    // The desk of a scenario has no group: it is armed as a dispatcher does it.
    if ((await chips(desk)).length !== 4) {
      await desk.page.locator("[data-part=desk]").getByRole("tab", { name: /^Groups/ }).click();
      await desk.page.getByRole("button", { name: "Use Four as PTT target" }).click();
    }
    await until("four targets", async () => (await chips(desk)).length === 4);
    const order = (await chips(desk)).map((c) => c.channel);
    await desk.page.keyboard.down("F2");
    await desk.ptt("TX");
    await until("three are denied", async () => (await chips(desk)).filter((c) => c.state === "busy").length === 3);
    const all = await chips(desk);
    assert.deepEqual(all.map((c) => c.channel), order, "the order has not changed");
    assert.deepEqual(all.filter((c) => c.state === "busy").map((c) => c.result).sort(), ["Busy: Ana Ruiz", "Busy: Ben Okoye", "Busy: Cy"]);
    assert.match(await line(desk), /^Transmitting on 1 of 4 channels/);
    await desk.page.keyboard.up("F2");
    await desk.ptt("IDLE");
    desk.silent();
    await desk.close();
  });

  await t.test("33. a patch has a chip for every member, before and while it is keyed", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: -2, do: "patch", channels: ["MAIN", "TAC"], label: "Pursuit" }] }));
    await desk.to(3);
    await until("both members have a chip", async () => (await chips(desk)).map((c) => c.channel).join() === "MAIN,TAC");
    await desk.page.keyboard.down("F2");
    await desk.ptt("TX");
    await until("both are on air", async () => (await chips(desk)).every((c) => c.state === "tx"));
    assert.match(await line(desk), /^Transmitting on 2 channels/);
    await desk.page.keyboard.up("F2");
    await desk.ptt("IDLE");
    desk.silent();
    await desk.close();
  });

  await t.test("35. a latched key is striped, says LATCHED large, and ticks", async () => {
    const desk = await stage.play(shift());
    await desk.to(2);
    await desk.page.locator("[data-part=latch]").click();
    await desk.page.locator("[data-part=ptt]").click();
    await desk.ptt("LATCHED");
    const key = desk.page.locator("[data-part=ptt]");
    assert.equal(await key.locator("b").textContent(), "LATCHED");
    const { px, striped } = await key.evaluate((k) => ({ px: parseFloat(getComputedStyle(k.querySelector("b")).fontSize), striped: getComputedStyle(k).backgroundImage }));
    assert.ok(px >= 24, `${px} px`);
    assert.match(striped, /repeating-linear-gradient/);
    await desk.page.evaluate(() => {
      const start = AudioBufferSourceNode.prototype.start;
      globalThis.ticks = [];
      AudioBufferSourceNode.prototype.start = function (...a) {
        globalThis.ticks.push(performance.now());
        return start.apply(this, a);
      };
    });
    await until("it ticks every ten seconds", () => desk.page.evaluate(() => globalThis.ticks.length >= 2), 100_000);
    const [first, second] = await desk.page.evaluate(() => globalThis.ticks);
    t.diagnostic(`a tick after ${((second - first) / 1000).toFixed(1)} s (asked: 10)`);
    await key.click();
    await desk.ptt("IDLE");
    desk.silent();
    await desk.close();
  });

  await t.test("30. a link that is lost on the air: no TX, no timer, no promise", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 8, do: "talk", for: 600 }] }));
    await desk.to(3);
    await desk.page.keyboard.down("F2");
    await desk.ptt("TX");
    const before = Date.now();
    await desk.deed({ do: "link", down: 60 });
    await desk.ptt("NOLINK");
    t.diagnostic(`the bar says so after ${Date.now() - before} ms (asked: 1000)`);
    const now = await desk.page.evaluate(() => ({
      tx: document.querySelectorAll("[data-part=channel-card][data-state=tx]").length,
      timers: [...document.querySelectorAll("[data-part=channel-card] [data-part=timer]")].map((x) => x.textContent.trim()),
      talk: [...document.querySelectorAll("[data-part=instant-tx]")].filter((k) => !k.disabled).length,
      bar: document.querySelector("[data-part=ptt-bar]").textContent,
      log: [...document.querySelectorAll("[data-part=transmissions] .dur")].map((x) => x.textContent.trim()),
      live: document.querySelectorAll("[data-part=transmissions] li[data-state=live], [data-part=zone-tab] .dot").length,
      lane: document.querySelector("[data-part=emergency-lane]").textContent,
    }));
    assert.ok(now.log.includes("–:––"), `the log knows no more how long FIRE's talker talks: ${now.log}`);
    assert.equal(now.live, 0);
    assert.match(now.lane, /No link/);
    assert.equal(now.tx, 0);
    assert.ok(now.timers.every((x) => !/\d/.test(x)), `no timer runs: ${now.timers}`);
    assert.equal(now.talk, 0, "no Talk key works");
    assert.match(now.bar, /No link/);
    assert.ok(!now.bar.includes("Hold to talk"));
    await desk.page.keyboard.up("F2");
    await desk.close();
  });
});
