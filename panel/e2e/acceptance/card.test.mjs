// Channel cards: what they show, how large, and what never moves.
import assert from "node:assert/strict";
import test from "node:test";
import { LiveWorld } from "../live.mjs";
import { Stage } from "../simulated.mjs";
import { shift } from "../stage.mjs";
import { until } from "../wait.mjs";
import { loudness } from "./ears.mjs";
import { rgb } from "./colour.mjs";

const everywhere = process.env.SQUELCH_ALL_LOOKS === "1";
/** Windows, and the zoom at which the console is looked at there. */
const windows = [[1366, 768, 1], [1440, 900, 1], [1920, 1080, 1.25], [2560, 1440, 1.75]].filter(([w]) => everywhere || w === 1440);
const phone = { viewport: { width: 390, height: 844 } };

const all = (desk) => desk.page.locator("[data-part=channel-card]");
const card = (desk, channel) => all(desk).filter({ has: desk.page.locator("[data-part=name]", { hasText: new RegExp(`^${channel}$`) }) });
const inState = (locator, state) => locator.and(locator.page().locator(`[data-state=${state}]`)).waitFor();
const css = (locator, name) => locator.evaluate((e, name) => getComputedStyle(e).getPropertyValue(name), name);

/** Holds the push-to-talk until it is on the air: a page that has just opened may have no microphone yet. */
const onAir = (desk, channel) =>
  until("the push-to-talk works", async () => {
    await desk.page.keyboard.up("F2");
    await desk.page.keyboard.down("F2");
    const tx = card(desk, channel).and(desk.page.locator("[data-state=tx]"));
    return tx.waitFor({ timeout: 2_000 }).then(() => true, () => false);
  });

const kept = (more = {}, settings = {}) => ({ filter: "all", zoom: 1, ...more, settings: { look: "night", ...settings } });
const talk = (unit, more = {}) => ({ at: 2, unit, do: "talk", for: 600, ...more });
const at = ([width, height]) => ({ viewport: { width, height } });

/** Twelve channels whose names have 14 characters, like their talkers' names. */
function county() {
  const names = ["LOS SANTOS DSP", "SANDY SHORES 1", "FIRE DISPATCH1", "EMS TACTICAL 2", "BLAINE COUNTY1", "STATE PATROL 4", "HARBOUR CONTRL", "AIRPORT GROUND", "FIREGROUND WST", "MUTUAL AID 101", "HIGHWAY PATROL", "PALETO BAY TAC"];
  const channels = names.map((name, i) => ({ name, type: "conventional", frequency: `15${i % 10}.${i < 10 ? "1" : "2"}25` }));
  const talkers = ["Dana Whitfield", "Marcus Bellamy", "Priya Nairobis"];
  return shift({
    name: "Long names",
    radio: { zones: [{ name: "All", channels }], announcementGroups: [] },
    desk: { callsign: "D-1", joined: names[0], scans: names },
    units: talkers.map((name, i) => ({ id: 7 + i, name, unitId: ["4A-44", "2-SAM-7", "E-9"][i], on: names[i + 1] })),
    steps: talkers.map((_, i) => talk(7 + i)),
  });
}

test("channel cards", async (t) => {
  const stage = await Stage.build(t);
  /** Icon and word of every state that a test has brought about. */
  const faces = new Map();
  const note = async (desk, channel, state) => {
    await inState(card(desk, channel), state);
    const face = await card(desk, channel).locator("[data-part=band]").evaluate((band) => [
      band.querySelector("use")?.getAttribute("href") ?? "none", band.querySelector("[data-part=state]")?.textContent,
    ]);
    faces.set(state, face.join(" "));
  };

  for (const [i, window] of windows.entries()) {
    const [width, height, zoom] = window;
    await t.test(`1. 2. 3. 14. at ${width}: talkers are large, names whole, keys large and on their card, with room for the ring of the focus`, async () => {
      const desk = await stage.play(county(), { kept: kept({ zoom }), context: at(window) });
      await desk.to(5);
      await until("three talk", async () => (await all(desk).and(desk.page.locator("[data-state=rx]")).count()) === 3);
      const least = { 1366: 20, 1440: 20, 1920: 24, 2560: 36 }[width];
      const got = await desk.page.evaluate(() => {
        const px = (e) => parseFloat(getComputedStyle(e).fontSize);
        const cards = [...document.querySelectorAll("[data-part=channel-card]")];
        const named = [...document.querySelectorAll("[data-part=channel-card] :is([data-part=name], [data-part=talker])")];
        const keys = cards.flatMap((c) => [...c.querySelectorAll(".card-keys button, .band button")].map((b) => ({ b: b.getBoundingClientRect(), c: c.getBoundingClientRect() })));
        return {
          talker: Math.min(...[...document.querySelectorAll("[data-state=rx] [data-part=talker]")].map(px)),
          cut: named.filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.textContent} ${e.scrollWidth} > ${e.clientWidth}`),
          key: Math.min(...keys.map(({ b }) => Math.min(b.width, b.height))),
          out: keys.filter(({ b, c }) => b.left < c.left + 3 || b.right > c.right - 3 || b.bottom > c.bottom - 3 || b.top < c.top + 3).length,
        };
      });
      t.diagnostic(`${width}: talker ${got.talker.toFixed(1)} px, smallest key ${got.key.toFixed(1)} px`);
      assert.ok(got.talker >= least, `talker ${got.talker} px, asked ${least}`);
      assert.deepEqual(got.cut, []);
      assert.ok(got.key >= 32, `key ${got.key} px`);
      assert.equal(got.out, 0, "keys beside their card, or too near its edge for the ring");
      // The ring around the card of the first and the last column.
      for (const n of [0, 3]) {
        await all(desk).nth(n).locator("[data-part=select]").focus();
        await desk.page.keyboard.press("Shift"); // a key: now the focus is shown
        const ring = await all(desk).nth(n).evaluate((c) => {
          const s = getComputedStyle(c);
          const wide = parseFloat(s.outlineWidth) + parseFloat(s.outlineOffset);
          const [a, b] = [c.getBoundingClientRect(), c.closest("[data-part=channels]").getBoundingClientRect()];
          return { style: s.outlineStyle, fits: a.left - wide >= b.left && a.right + wide <= b.right && a.top - wide >= b.top };
        });
        assert.deepEqual(ring, { style: "solid", fits: true });
      }
      if (i === 0) desk.silent();
      await desk.close();
    });
  }

  // The letters of Retro LCD are the widest.
  for (const look of ["night", "lcd"]) await t.test(`2. Dense hides the frequency before it cuts the name, and cuts no talker and no timer: ${look}`, async () => {
    const scene = county();
    scene.radio.zones[0].channels[5].name = scene.desk.scans[5] = "STATE PATROL AND HIGHWAY ASSISTANCE 4";
    scene.desk.scans = scene.desk.scans.filter((n) => n !== scene.units[2].on);
    const desk = await stage.play(scene, { kept: kept({}, { density: "dense", look }), context: at([1440, 900]) });
    await desk.to(15);
    await all(desk).nth(5).waitFor();
    await until("three talk", async () => (await all(desk).locator("[data-part=timer]").count()) === 3);
    await inState(card(desk, scene.units[2].on), "off");
    const lines = all(desk).filter({ has: desk.page.locator("[data-part=timer]") }).locator(":is(.talker, .sub, .word)");
    assert.deepEqual(await lines.evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.textContent} ${e.scrollWidth} > ${e.clientWidth}`)), []);
    const heads = await all(desk).locator("header").evaluateAll((all) =>
      all.map((h) => {
        const name = h.querySelector("[data-part=name]");
        return { length: name.textContent.length, cut: name.scrollWidth > name.clientWidth, line: h.querySelector("p").clientWidth };
      }),
    );
    for (const h of heads) assert.ok(h.cut ? h.length > 14 && h.line === 0 : true, JSON.stringify(h));
    assert.equal(heads.filter((h) => h.cut).length, 1);
    await desk.close();
  });

  await t.test("3. keys on a phone are at least 44 px", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 2, unit: 9, do: "panic" }] }), { kept: kept(), context: phone });
    await desk.to(4);
    await inState(card(desk, "TAC"), "em");
    const small = await all(desk).locator("button:visible:not([data-part=select])").evaluateAll((all) => all.map((b) => b.getBoundingClientRect()).filter((r) => r.width < 44 || r.height < 44).length);
    assert.equal(small, 0);
    await desk.close();
  });

  await t.test("the states of what is heard: idle, RX, not monitored, no audio, no link", async () => {
    const desk = await stage.play(shift({ desk: { callsign: "D-1", joined: "MAIN", scans: ["FIRE", "STATE"] }, units: [...shift().units, { id: 11, name: "Rui Costa", unitId: "M-4", on: "STATE" }], steps: [{ at: 1, unit: 11, do: "mute" }, talk(8), talk(9), talk(11)] }), { kept: kept() });
    await desk.to(5);
    await note(desk, "MAIN", "idle");
    await note(desk, "FIRE", "rx");
    await note(desk, "TAC", "off");
    await desk.run();
    await note(desk, "STATE", "noaudio");
    await desk.deed({ do: "link", down: 30 });
    await note(desk, "FIRE", "link");
    assert.equal(await card(desk, "FIRE").locator("[data-part=timer]").textContent(), "–:––");
    assert.equal(await card(desk, "FIRE").locator("[data-part=talker]").textContent(), "Ben Okoye");
    assert.equal(await card(desk, "FIRE").getByText("last known").count(), 1);
    assert.ok(await card(desk, "FIRE").locator("[data-part=instant-tx]").isDisabled());
    desk.silent();
    await desk.close();
  });

  await t.test("the states of what is keyed: requested, on the air, busy, override, denied", async () => {
    const desk = await stage.play(shift({ steps: [talk(8, { for: 100 })] }), { kept: kept() });
    await desk.to(5);
    const { page } = desk;
    await onAir(desk, "MAIN");
    await note(desk, "MAIN", "tx");
    await page.keyboard.up("F2");
    await desk.ptt("IDLE");
    await desk.unanswered();
    await page.keyboard.down("F2");
    await note(desk, "MAIN", "wait");
    assert.equal(await card(desk, "MAIN").locator("[data-part=timer]").count(), 0);
    await note(desk, "MAIN", "denied"); // nobody answers for three seconds
    await page.keyboard.up("F2");
    await desk.answered();
    await inState(card(desk, "MAIN"), "idle");
    const key = card(desk, "FIRE").locator("[data-part=instant-tx]");
    await key.focus();
    await page.keyboard.down("Space");
    await note(desk, "FIRE", "busy");
    assert.equal(await card(desk, "FIRE").locator("[data-part=talker]").textContent(), "Ben Okoye");
    await until("a double press overrides", async () => {
      await page.keyboard.up("Space");
      await page.keyboard.down("Space");
      await page.keyboard.up("Space");
      await page.keyboard.down("Space");
      return inState(card(desk, "FIRE"), "over").then(() => true, () => false);
    });
    await note(desk, "FIRE", "over");
    await page.keyboard.up("Space");
    desk.silent();
    await desk.close();
  });

  await t.test("the states of emergencies: raised, acknowledged, ended; then closed for a minute", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 7, do: "panic" }, { at: 2, unit: 8, do: "panic" }, { at: 3, unit: 8, do: "calm" }, { at: 4, unit: 9, do: "panic" }, { at: 5, unit: -2, do: "acknowledge", who: 9 }] }), { kept: kept() });
    await desk.to(6);
    await note(desk, "MAIN", "em");
    await note(desk, "FIRE", "ended");
    // Another console's older word for it closes at once; this one acknowledges and closes in two steps.
    if ((await card(desk, "TAC").getAttribute("data-state")) !== "ack") await desk.deed({ do: "panic" }, 9);
    await card(desk, "MAIN").locator("[data-part=answer]").click();
    await note(desk, "MAIN", "ack");
    await until("the card says who took it", async () => /ack D-1 \d\d:\d\d/.test(await card(desk, "MAIN").textContent()));
    await card(desk, "FIRE").locator("[data-part=acknowledge]").click();
    await until("it is over", async () => (await card(desk, "FIRE").getAttribute("data-state")) !== "ended");
    await card(desk, "MAIN").locator("[data-part=close-emergency]").click();
    const drawer = desk.page.locator("[data-part=drawer][data-state=close]");
    await drawer.getByLabel("Accidental").check();
    await desk.page.keyboard.press("Enter");
    await drawer.waitFor({ state: "detached" });
    await inState(card(desk, "MAIN"), "idle");
    await card(desk, "MAIN").getByText(/^Emergency closed \d\d:\d\d$/).waitFor();
    await desk.to(80);
    await card(desk, "MAIN").getByText(/^Emergency closed/).waitFor({ state: "detached" });
    desk.silent();
    await desk.close();
  });

  await t.test("31. a dispatcher who is overridden sees by whom", async () => {
    const desk = await stage.play(shift(), { kept: kept() });
    await desk.to(3);
    await onAir(desk, "MAIN");
    await desk.to(4);
    await desk.deed({ do: "talk", for: 600, on: "MAIN", override: true }, -2);
    await note(desk, "MAIN", "overridden");
    assert.equal(await card(desk, "MAIN").locator("[data-part=talker]").textContent(), "SOUTH");
    await desk.page.keyboard.up("F2");
    desk.silent();
    await desk.close();
  });

  await t.test("6. no two states have icon and word in common, and every state was brought about", () => {
    assert.deepEqual([...faces.keys()].sort(), ["ack", "busy", "denied", "em", "ended", "idle", "link", "noaudio", "off", "over", "overridden", "rx", "tx", "wait"]);
    assert.equal(new Set(faces.values()).size, faces.size, JSON.stringify([...faces]));
  });

  await t.test("15. cards stay where they are, whatever happens", async () => {
    const desk = await stage.play(shift(), { kept: kept() });
    await desk.to(3);
    const order = () => all(desk).evaluateAll((all) => all.map((c) => [c.dataset.frequency, JSON.stringify(c.getBoundingClientRect()), ...[...c.querySelectorAll(".card-keys button")].map((b) => JSON.stringify(b.getBoundingClientRect()))]));
    const before = await order();
    const same = async (what) => assert.deepEqual(await order(), before, what);
    await desk.deed({ do: "panic" }, 9);
    await inState(card(desk, "TAC"), "em");
    await same("an emergency is raised");
    await desk.deed({ do: "talk", for: 600 }, 8);
    await inState(card(desk, "FIRE"), "rx");
    await same("somebody talks");
    await desk.deed({ do: "alert", alert: "SIGNAL 100", channel: "STATE" }, -2);
    await card(desk, "STATE").locator("[data-part=alert]").waitFor();
    await same("an alert is raised");
    await card(desk, "STATE").locator("[data-part=target]").click();
    await card(desk, "STATE").and(desk.page.locator("[data-target=true]")).waitFor();
    await same("a target is added");
    await card(desk, "TAC").locator("[data-part=answer]").click();
    await inState(card(desk, "TAC"), "ack");
    await same("an emergency is answered");
    await desk.deed({ do: "link", down: 30 });
    await inState(card(desk, "FIRE"), "link");
    await same("the link is lost");
    await desk.close();
  });

  await t.test("16. what happens on a channel that is not monitored is neither shown as received nor heard", async () => {
    const desk = await stage.play(shift({ steps: [talk(9)] }), { kept: kept(), ears: true });
    await desk.to(3);
    await desk.run();
    await inState(card(desk, "TAC"), "off");
    assert.equal(await card(desk, "TAC").locator("[data-part=meter]").count(), 0);
    await until("time has passed", async () => (await card(desk, "TAC").locator("[data-part=timer]").textContent()) >= "0:03");
    assert.equal(await loudness(desk.page), 0);
    await inState(card(desk, "TAC"), "off");
    // Green is what is heard, also on the tabs, among the units and in the log.
    const elsewhere = (heard) =>
      until(`${heard ? "heard" : "not heard"} everywhere`, async () => {
        const [dots, units, lines] = await Promise.all(
          ["[data-part=zone-tab] .dot", "[data-part=unit][data-state=rx]", "[data-part=transmissions] [data-kind=rx]"].map((x) => desk.page.locator(x).count()),
        );
        return heard ? dots > 0 && units === 1 && lines === 1 : dots + units + lines === 0;
      });
    await elsewhere(false);
    await desk.page.locator("[data-part=unit][data-state=off]", { hasText: "Cy" }).waitFor();
    await card(desk, "TAC").locator("[data-part=monitor]").click();
    await inState(card(desk, "TAC"), "rx");
    await elsewhere(true);
    await until("now it is heard", async () => (await loudness(desk.page)) > 0.001);
    desk.silent();
    await desk.close();
  });

  await t.test("17. a muted channel says so and is never filled as received", async () => {
    const desk = await stage.play(shift({ steps: [talk(8)] }), { kept: kept({ levels: { "154.28": { volume: 1, pan: 0, muted: true } } }) });
    await desk.to(5);
    await inState(card(desk, "FIRE"), "off");
    assert.equal(await card(desk, "FIRE").getAttribute("data-muted"), "true");
    assert.equal(await card(desk, "FIRE").locator("[data-part=state]").textContent(), "Muted");
    assert.equal(rgb(await css(card(desk, "FIRE").locator("[data-part=band]"), "background-color")), null);
    await desk.close();
  });

  await t.test("36. a unit that is followed has headphones on its channel's card, and is heard there, until it is stopped", async () => {
    const desk = await stage.play(shift({ steps: [talk(9)] }), { kept: kept() });
    await desk.to(3);
    await inState(card(desk, "TAC"), "off");
    await desk.page.locator("[data-part=desk] [data-part=unit], [data-part=units] [data-part=unit]").filter({ hasText: "Cy" }).first().click();
    await desk.button("Follow").click();
    await desk.page.keyboard.press("Escape");
    await card(desk, "TAC").locator("[data-part=following]").waitFor();
    await inState(card(desk, "TAC"), "rx");
    await desk.page.locator("[data-part=desk] [data-part=unit], [data-part=units] [data-part=unit]").filter({ hasText: "Cy" }).first().click();
    await desk.button("Following – stop").click();
    await desk.page.keyboard.press("Escape");
    await card(desk, "TAC").locator("[data-part=following]").waitFor({ state: "detached" });
    await inState(card(desk, "TAC"), "off");
    desk.silent();
    await desk.close();
  });

  await t.test("39. a dragged unit lights up the whole card, over each of its parts", async () => {
    const desk = await stage.play(shift(), { kept: kept() });
    await desk.to(3);
    const parts = await card(desk, "TAC").evaluate((c) => {
      const data = new DataTransfer();
      data.setData("application/x-squelch-unit", JSON.stringify({ id: 7, from: "154.755" }));
      const told = [];
      const send = (type, on, relatedTarget) => on.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data, relatedTarget }));
      let last = null;
      return (async () => {
        // The rail, which units are dragged from, is fetched behind the cards.
        for (let n = 0; n < 1000 && c.dataset.over !== "true"; n++) {
          send("dragover", c, null);
          await new Promise((drawn) => setTimeout(drawn, 10));
        }
        for (const part of [c, ...c.querySelectorAll("*")]) {
          if (last) send("dragleave", last, part);
          send("dragenter", part, last);
          send("dragover", part, null);
          last = part;
          await new Promise((drawn) => setTimeout(drawn));
          told.push(c.dataset.over);
        }
        send("dragleave", last, document.body);
        await new Promise((drawn) => setTimeout(drawn));
        return { over: [...new Set(told)], parts: told.length, after: c.dataset.over };
      })();
    });
    assert.deepEqual(parts.over, ["true"]);
    assert.ok(parts.parts > 10);
    assert.equal(parts.after, "false");
    await desk.close();
  });

  await t.test("the drawer has the other controls of a channel; Escape leads back to the key that opened it", async () => {
    const desk = await stage.play(shift(), { kept: kept() });
    await desk.to(3);
    const more = card(desk, "FIRE").locator("[data-part=more]");
    await more.click();
    const drawer = desk.page.locator("[data-part=drawer]");
    await drawer.waitFor();
    assert.equal(await more.getAttribute("aria-expanded"), "true");
    await drawer.locator("[data-part=volume]").fill("40");
    await drawer.getByText("Volume · 40%").waitFor();
    await drawer.locator("[data-part=pan]").fill("-50");
    await drawer.getByText("Balance · left 50%").waitFor();
    await drawer.locator("[data-part=mute]").click();
    await card(desk, "FIRE").and(desk.page.locator("[data-muted=true]")).waitFor();
    await drawer.getByRole("button", { name: "Priority 1" }).click();
    await card(desk, "FIRE").getByText("PRI 1").waitFor();
    await drawer.getByRole("button", { name: "Raise SIGNAL 100" }).click();
    await card(desk, "FIRE").locator("[data-part=alert]").waitFor();
    await drawer.getByRole("button", { name: "CLEAR 100" }).click();
    await card(desk, "FIRE").locator("[data-part=alert]").waitFor({ state: "detached" });
    // A tone that alarms people is held, here too: a short press sends nothing.
    const panic = drawer.getByRole("button", { name: "Send PANIC on FIRE, Hold to send" });
    await panic.scrollIntoViewIfNeeded();
    await desk.page.evaluate(() => {
      const post = Worker.prototype.postMessage;
      globalThis.tones = [];
      Worker.prototype.postMessage = function (...message) {
        const text = JSON.stringify(message[0]);
        if (text?.includes("/radio/dispatch/tone")) globalThis.tones.push(text);
        post.apply(this, message);
      };
    });
    await panic.click();
    assert.equal(await desk.page.evaluate(() => globalThis.tones.length), 0);
    await panic.click({ delay: 900 });
    await until("the tone is sent", () => desk.page.evaluate(() => globalThis.tones.length === 1));
    await desk.page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await until("the focus is back", () => more.evaluate((b) => b === document.activeElement));
    desk.silent();
    await desk.close();
  });
});

test("31. on the service: who overrides says of whom, and who is overridden by whom", async (t) => {
  const world = await LiveWorld.start(t);
  const north = await world.desk("NORTH");
  const south = await world.desk("SOUTH");
  for (const d of [north, south]) await card(d, "MAIN").locator("[data-part=select]").click();
  for (const d of [north, south]) await card(d, "MAIN").and(d.page.locator("[data-target=true]")).waitFor();
  await onAir(north, "MAIN");
  await inState(card(south, "MAIN"), "rx");
  await until("a double press overrides", async () => {
    await south.page.keyboard.up("F2");
    await south.page.keyboard.down("F2");
    await south.page.keyboard.up("F2");
    await south.page.keyboard.down("F2");
    return inState(card(south, "MAIN"), "over").then(() => true, () => false);
  });
  const words = (d) => card(d, "MAIN").locator("[data-part=band]").textContent();
  assert.match(await words(south), /You.*OVERRIDE.*NORTH/s);
  await inState(card(north, "MAIN"), "overridden");
  assert.match(await words(north), /SOUTH.*OVERRIDDEN/s);
  await south.page.keyboard.up("F2");
  await inState(card(north, "MAIN"), "tx");
  await north.page.keyboard.up("F2");
  await inState(card(south, "MAIN"), "idle");
  north.silent();
  south.silent();
});
