// Emergencies at a console: from the raise to the line in the log.
import assert from "node:assert/strict";
import test from "node:test";
import { Stage } from "../simulated.mjs";
import { shift } from "../stage.mjs";
import { passes, until } from "../wait.mjs";
import { earsOn, loudness } from "./ears.mjs";

const slot = (desk, name) => desk.page.locator("[data-part=emergency-slot]", { hasText: new RegExp(`${name && "\\b"}${name}`) }); // EMERGENCY has a "cy" in it
const card = (desk, channel) => desk.page.locator("[data-part=channel-card]", { has: desk.page.locator("[data-part=name]", { hasText: new RegExp(`^${channel}$`) }) });
const inState = (locator, state) => locator.and(locator.page().locator(`[data-state=${state}]`)).waitFor();
const targetsOf = (desk) => desk.page.locator("[data-part=ptt-target] b").allTextContents();
const deskOf = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("simulation.squelch.desk")));

test("emergencies", async (t) => {
  const stage = await Stage.build(t);

  await t.test("19. a raised emergency is in the lane, on its card, its tab, its unit, in the log and in the title", async () => {
    const desk = await stage.play(shift());
    await desk.to(5);
    const before = Date.now();
    await desk.deed({ do: "panic" }, 9);
    await inState(slot(desk, "Cy"), "unacknowledged");
    await inState(card(desk, "TAC"), "em");
    t.diagnostic(`in the lane and on the card ${Date.now() - before} ms after the deed (asked: 250 ms)`);
    assert.equal(await slot(desk, "Cy").locator(".who b").textContent().then((x) => x.trim()), "Cy U-9");
    const complete = await card(desk, "TAC").evaluate((c) => {
      const name = c.querySelector("[data-part=talker]");
      return name.textContent.includes("Cy") && name.scrollWidth <= name.clientWidth + 1 && c.textContent.includes("U-9");
    });
    assert.ok(complete, "name and unit are complete on the card");
    await desk.page.locator("[data-part=zone-tab]", { hasText: "North" }).locator(".tab-em").waitFor();
    await desk.page.locator("[data-part=units] [data-state=em]", { hasText: "Cy" }).waitFor();
    await desk.page.locator("[data-part=log] [data-kind=em]", { hasText: "Cy" }).waitFor();
    assert.equal(await desk.page.title(), "▲ Cy · TAC");
    assert.equal(await desk.page.locator("html").getAttribute("data-emergency"), "unacknowledged");
    desk.silent();
    await desk.close();
  });

  await t.test("20. F9 acknowledges, makes it the only target and keys nothing; F2 then keys it; the earlier targets come back", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 2, unit: 9, do: "panic" }] }));
    await desk.to(3);
    await inState(slot(desk, "Cy"), "unacknowledged");
    assert.deepEqual(await targetsOf(desk), ["MAIN"]);
    await desk.page.keyboard.press("F9");
    await inState(slot(desk, "Cy"), "acknowledged");
    await until("TAC is the only target", async () => (await targetsOf(desk)).join() === "TAC");
    await desk.ptt("IDLE");
    assert.equal(await desk.page.locator("[data-part=channel-card][data-state=tx]").count(), 0);
    await desk.page.locator("[data-part=restore]", { hasText: "Return to 1 target" }).waitFor();
    await desk.page.keyboard.down("F2");
    await desk.ptt("TX");
    assert.equal(await desk.page.locator("[data-part=ptt-target][data-state=tx] b").textContent(), "TAC");
    await desk.page.keyboard.up("F2");
    await desk.ptt("IDLE");
    await desk.page.locator("[data-part=restore]").click();
    await until("MAIN is the target again", async () => (await targetsOf(desk)).join() === "MAIN");
    desk.silent();
    await desk.close();
  });

  await t.test("21. answering does not end what is on air", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 2, unit: 9, do: "panic" }] }));
    await desk.to(3);
    await inState(slot(desk, "Cy"), "unacknowledged");
    await desk.page.keyboard.down("F2");
    await desk.ptt("TX");
    await desk.page.keyboard.press("F9");
    await inState(slot(desk, "Cy"), "acknowledged");
    await desk.page.locator("[data-part=restore]").waitFor();
    await inState(card(desk, "MAIN"), "tx");
    await desk.ptt("TX");
    await desk.page.keyboard.up("F2");
    await desk.ptt("IDLE");
    await until("the next press keys TAC", async () => (await targetsOf(desk)).join() === "TAC");
    await desk.page.keyboard.down("F2");
    await desk.ptt("TX");
    assert.equal(await desk.page.locator("[data-part=ptt-target][data-state=tx] b").textContent(), "TAC");
    await desk.page.keyboard.up("F2");
    desk.silent();
    await desk.close();
  });

  await t.test("10. a press on Talk that an emergency interrupts talks on that channel, and nothing else is pressed", async () => {
    const desk = await stage.play(shift());
    await desk.to(3);
    const key = card(desk, "STATE").locator("[data-part=instant-tx]");
    const box = await key.boundingBox();
    await desk.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await desk.page.mouse.down();
    await desk.deed({ do: "panic" }, 9);
    await inState(slot(desk, "Cy"), "unacknowledged");
    await inState(card(desk, "STATE"), "tx");
    assert.deepEqual(await key.boundingBox(), box);
    await desk.page.mouse.up();
    await desk.ptt("IDLE");
    await inState(slot(desk, "Cy"), "unacknowledged"); // nobody has answered or acknowledged it
    assert.deepEqual(await targetsOf(desk), ["MAIN"]);
    desk.silent();
    await desk.close();
  });

  await t.test("11. a click within half a second of a slot's new emergency does nothing", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }, { at: 2, unit: 7, do: "panic" }, { at: 3, unit: 8, do: "panic" }] }));
    await desk.to(4);
    const places = desk.page.locator("[data-part=emergency-slot]");
    await until("two slots are taken", async () => (await places.count()) === 2);
    // The first is closed by somebody else, and the third takes its place under the hand, which clicks at once.
    await desk.page.evaluate(() => {
      const lane = document.querySelector("[data-part=emergency-lane]");
      globalThis.clicked = new Promise((done) => {
        new MutationObserver((_, o) => {
          const first = lane.querySelector("[data-part=emergency-slot]");
          if (!first.textContent.includes("Ben Okoye")) return;
          o.disconnect();
          first.querySelector("[data-part=acknowledge]").click();
          done();
        }).observe(lane, { subtree: true, childList: true, characterData: true });
      });
    });
    await desk.deed({ do: "close", who: 9, reason: "test" }, -2);
    await desk.page.evaluate(() => globalThis.clicked);
    await passes(700, "the time in which a slot's keys do nothing, and some more");
    await inState(slot(desk, "Ben Okoye"), "unacknowledged");
    await slot(desk, "Ben Okoye").locator("[data-part=acknowledge]").click();
    await inState(slot(desk, "Ben Okoye"), "acknowledged");
    desk.silent();
    await desk.close();
  });

  await t.test("24. F9 answers by age; a slot stays where it is; +n lists all", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }, { at: 2, unit: 7, do: "panic" }, { at: 3, unit: 8, do: "panic" }] }));
    await desk.to(4);
    const x = async (name) => (await slot(desk, name).boundingBox()).x;
    const [cy, ana] = [await x("Cy"), await x("Ana Ruiz")];
    assert.ok(cy < ana, "the oldest is first");
    const more = desk.page.locator("[data-part=emergency-more]");
    await more.filter({ hasText: "+1" }).waitFor();
    await more.click();
    const list = desk.page.locator("#all-emergencies:popover-open");
    await list.waitFor();
    assert.equal(await list.locator("li").count(), 3);
    await desk.page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await desk.page.keyboard.press("Control+k");
    await desk.page.locator("[data-part=palette] input").fill("open emergencies");
    await desk.page.locator("[data-part=palette] [role=option]").first().waitFor();
    await desk.page.keyboard.press("Enter");
    await list.waitFor();
    await desk.page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    for (const [channel, name] of [["TAC", "Cy"], ["MAIN", "Ana Ruiz"], ["FIRE", "Ben Okoye"]]) {
      await desk.page.keyboard.press("F9");
      await until(`F9 answers ${name}`, async () => (await targetsOf(desk)).join() === channel);
      await inState(card(desk, channel), "ack");
    }
    assert.deepEqual([await x("Cy"), await x("Ana Ruiz")], [cy, ana]);
    desk.silent();
    await desk.close();
  });

  for (const [language, words] of [["en", ["Answer", "Acknowledge"]], ["de", ["Annehmen", "Quittieren"]]])
    await t.test(`46. on a phone a slot has its sign, name, unit and channel whole, and keys of 44 px with words (${language})`, async () => {
      const desk = await stage.play(shift({ steps: [{ at: 1, unit: 7, do: "panic" }, { at: 2, unit: 9, do: "panic" }] }), {
        kept: { first: "done", settings: { language } }, context: { viewport: { width: 390, height: 844 } },
      });
      await desk.to(4);
      const ana = slot(desk, "Ana Ruiz");
      await inState(ana, "unacknowledged");
      const look = () =>
        ana.evaluate((s) => {
          const edge = s.getBoundingClientRect();
          const shown = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0;
          return {
            sign: [...s.querySelectorAll("use")].filter(shown).map((u) => u.getAttribute("href")),
            cut: [...s.querySelectorAll(".who b, .who span, .plate b, .plate time")]
              .filter((e) => {
                const [r, key] = [e.getBoundingClientRect(), s.querySelector("button").getBoundingClientRect()];
                return e.scrollWidth > e.clientWidth + 1 || r.top < edge.top - 1 || r.bottom > key.top + 1;
              })
              .map((e) => e.textContent.trim()),
            keys: [...s.querySelectorAll("button")].map((b) => {
              const r = b.getBoundingClientRect();
              return { words: b.innerText.trim(), large: r.width >= 44 && r.height >= 44, inside: r.left >= edge.left && r.right <= edge.right && r.bottom <= edge.bottom, cut: b.scrollWidth > b.clientWidth };
            }),
            who: s.querySelector(".who").innerText.replace(/\s+/g, " "),
          };
        });
      const raised = await look();
      assert.deepEqual(raised.sign, ["#i-em"]);
      assert.deepEqual(raised.cut, []);
      assert.match(raised.who, /^Ana Ruiz 4A-12 MAIN/);
      assert.deepEqual(raised.keys, words.map((word) => ({ words: word, large: true, inside: true, cut: false })));
      await desk.to(40); // not acknowledged for long
      await ana.locator("[data-overdue=true]").waitFor();
      assert.deepEqual((await look()).cut, []);
      await passes(700, "the lane has moved to Ana by itself: the time in which its keys do nothing, and some more");
      await ana.locator("[data-part=acknowledge]").click();
      await inState(ana, "acknowledged");
      const taken = await look();
      assert.deepEqual(taken.sign, ["#i-em-o"]);
      assert.ok(taken.keys.every((k) => k.words && k.large && k.inside && !k.cut), JSON.stringify(taken.keys));
      await desk.close();
    });

  await t.test("46. on a phone that shows an acknowledged emergency, the next one comes into view with its alarm", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }, { at: 10, unit: 7, do: "panic" }] }), { context: { viewport: { width: 390, height: 844 } } });
    await desk.to(4);
    await slot(desk, "Cy").locator("[data-part=acknowledge]").click();
    await inState(slot(desk, "Cy"), "acknowledged");
    await desk.to(12);
    await inState(slot(desk, "Ana Ruiz"), "unacknowledged");
    await until("the emergency that sounds is in view", async () => {
      const { x, width } = await slot(desk, "Ana Ruiz").boundingBox();
      return x >= -1 && x + width <= 391;
    });
    desk.silent();
    await desk.close();
  });

  await t.test("25. an emergency that its unit ends stays, and sounds, until it is acknowledged; each ending has its words", async () => {
    const endings = [
      ["ENDED BY UNIT", { do: "calm" }, 9, {}],
      ["ENDED BY SCRIPT", { do: "end", who: 9 }, undefined, {}],
      ["UNIT LEFT", { do: "quit" }, 9, {}],
      ["TIMED OUT", null, undefined, { radio: { panicTimeout: 10_000 } }],
    ];
    for (const [words, deed, unit, more] of endings) {
      const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }], ...more }));
      await desk.to(3);
      await inState(slot(desk, "Cy"), "unacknowledged");
      if (deed) await desk.deed(deed, unit);
      else await desk.to(15);
      await inState(slot(desk, "Cy"), "ended");
      await slot(desk, "Cy").getByText(words).waitFor();
      await inState(card(desk, "TAC"), "ended");
      await card(desk, "TAC").getByText(words).waitFor();
      await desk.page.locator("[data-part=emergency-lane]:not([data-alarm=off])").waitFor();
      await slot(desk, "Cy").locator("[data-part=acknowledge]").click();
      await slot(desk, "Cy").waitFor({ state: "detached" });
      await desk.page.locator("[data-part=emergency-lane][data-alarm=off]").waitFor();
      desk.silent();
      await desk.close();
    }
  });

  await t.test("18. an emergency on a channel that is not monitored, or muted, is heard, and its channel closes with it", async () => {
    for (const [channel, unit, kept] of [["TAC", 9, {}], ["FIRE", 8, { levels: { "154.28": { volume: 0.1, pan: 0, muted: true } } }]]) {
      const scenario = shift({ steps: [{ at: 1, unit, do: "talk", for: 600 }] });
      const desk = await stage.play(scenario, { kept, ears: true });
      await desk.to(2);
      await desk.run();
      await until("voices are made", async () => (await desk.page.evaluate(() => globalThis.simulation.view.rate)) === 1);
      await passes(1_500, "voice would be heard by now");
      const quiet = await loudness(desk.page);
      assert.ok(quiet < 0.003, `nothing is heard of ${channel} before (${quiet})`);
      await desk.deed({ do: "panic" }, unit);
      await card(desk, channel).getByText("AUTO", { exact: true }).waitFor();
      await desk.page.keyboard.press("F8"); // the alarm is over: what is heard now is the voice
      await desk.page.locator("[data-part=emergency-lane][data-alarm=off]").waitFor();
      await passes(1_200, "the alarm has left what is measured");
      const heard = await until(`${channel} is heard`, async () => {
        const now = await loudness(desk.page);
        return now > 0.01 ? now : 0;
      });
      t.diagnostic(`${channel}: ${quiet.toFixed(4)} before, ${heard.toFixed(3)} in the emergency`);
      await slot(desk, "").first().locator("[data-part=close-emergency]").click();
      await desk.page.locator("[data-part=drawer]").getByRole("radio", { name: "Test" }).or(desk.page.locator("[data-part=drawer]").getByRole("button", { name: "Test" })).first().click();
      await desk.page.locator("[data-part=drawer]").getByRole("button", { name: "Close emergency" }).click();
      await slot(desk, "").first().waitFor({ state: "detached" });
      await card(desk, channel).getByText("AUTO", { exact: true }).waitFor({ state: "detached" });
      await until(`${channel} is silent again`, async () => (await loudness(desk.page)) < 0.003);
      assert.deepEqual((await deskOf(desk.page)).auto, {});
      desk.silent();
      await desk.close();
    }
  });

  await t.test("23. acknowledging all alerts leaves emergencies alone", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }, { at: 2, unit: -2, do: "alert", alert: "SIGNAL 100", channel: "STATE" }] }));
    await desk.to(3);
    await inState(slot(desk, "Cy"), "unacknowledged");
    await desk.page.keyboard.press("Alt+a");
    await passes(600, "an acknowledgement would be there by now");
    await inState(slot(desk, "Cy"), "unacknowledged");
    await desk.page.keyboard.press("Control+k");
    await desk.page.locator("[data-part=palette] input, dialog input").first().fill("acknowledge all alerts");
    await desk.page.keyboard.press("Enter");
    await passes(600, "an acknowledgement would be there by now");
    await inState(slot(desk, "Cy"), "unacknowledged");
    desk.silent();
    await desk.close();
  });

  await t.test("27. closing needs a reason; the log has the whole story, and the card is normal again", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }] }));
    await desk.to(3);
    await desk.page.keyboard.press("F9");
    await inState(slot(desk, "Cy"), "acknowledged");
    await slot(desk, "Cy").locator("[data-part=close-emergency]").click();
    const drawer = desk.page.locator("[data-part=drawer]");
    const close = drawer.getByRole("button", { name: "Close emergency" });
    assert.ok((await close.isDisabled()) || (await close.getAttribute("aria-disabled")) === "true", "without a reason it cannot be closed");
    await drawer.getByText("Resolved", { exact: true }).click();
    await drawer.getByRole("textbox").fill("Suspect in custody");
    await desk.page.keyboard.press("Enter");
    await slot(desk, "Cy").waitFor({ state: "detached" });
    await card(desk, "TAC").getByText("Emergency closed").waitFor();
    await inState(card(desk, "TAC"), "idle");
    const lines = desk.page.locator("[data-part=log] [data-kind=em], [data-part=log] [data-kind=ack]", { hasText: "Cy" });
    await until("raise, acknowledgement and close are in the log", async () => (await lines.count()) >= 3);
    desk.silent();
    await desk.close();
  });

  await t.test("28. the plate flashes at 1 Hz at most and nothing else moves for ever; with reduced motion nothing does", async () => {
    const endless = (page) =>
      page.evaluate(() =>
        document.getAnimations({ subtree: true })
          .filter((a) => a.effect.getTiming().iterations === Infinity)
          .map((a) => ({ what: a.effect.target.closest("[data-part]")?.dataset.part ?? a.effect.target.className, ms: a.effect.getTiming().duration, steps: a.effect.getKeyframes().length })),
      );
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }, { at: 1, unit: 7, do: "talk", for: 600 }] }));
    await desk.to(3);
    await inState(slot(desk, "Cy"), "unacknowledged");
    const moving = await endless(desk.page);
    assert.ok(moving.length > 0, "the plate flashes");
    for (const m of moving) {
      assert.equal(m.what, "emergency-plate");
      assert.ok(m.ms >= 1_000, `${m.ms} ms a cycle`);
    }
    await desk.close();
    const still = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }] }), { context: { reducedMotion: "reduce" } });
    await still.to(3);
    await inState(slot(still, "Cy"), "unacknowledged");
    assert.deepEqual(await endless(still.page), []);
    await still.close();
  });

  await t.test("29. after 30 s without an acknowledgement it is louder, and says so", async () => {
    const desk = await stage.play(shift({ steps: [{ at: 1, unit: 9, do: "panic" }] }), { ears: true });
    const cycle = async () => {
      let most = 0;
      for (let i = 0; i < 80; i++) {
        most = Math.max(most, await loudness(desk.page));
        await passes(100, "a cycle of the alarm takes 3 s, and this is at least two of them");
      }
      return most;
    };
    await desk.to(5);
    await desk.page.locator("[data-part=emergency-lane][data-alarm=on]").waitFor();
    await passes(4_000, "the tone of the panic, which sounds once, is over and has left what is measured");
    const normal = await cycle();
    await desk.to(32);
    await desk.page.locator("[data-part=emergency-lane][data-alarm=loud]").waitFor();
    await slot(desk, "Cy").getByText("NOT ACKNOWLEDGED").waitFor();
    const loud = await cycle();
    const db = 20 * Math.log10(loud / normal);
    t.diagnostic(`${db.toFixed(1)} dB louder (asked: 6)`);
    assert.ok(db > 4 && db < 8, `${db} dB`);
    desk.silent();
    await desk.close();
  });
});
