// Every state of the console, each in turn: what themes may rely on is there, what has to
// be told apart can be, in all looks, and axe finds nothing.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { violations } from "../eyes.mjs";
import { looks, wear } from "../looks.mjs";
import { Stage } from "../simulated.mjs";
import { begin, pages, reach } from "../states.mjs";
import { chroma, rgb } from "./colour.mjs";
import { fills, measure, standing, table, text } from "./contrast.mjs";
import { flags, inventory, promised, values } from "./promised.mjs";
import { looks as swept } from "./sizes.mjs";

const roots = { look: looks, density: ["comfortable"], link: ["connected", "disconnected"], ptt: ["IDLE", "TX"], emergency: ["none", "unacknowledged", "open"] };

const folder = fileURLToPath(new URL("../../../build/", import.meta.url));

test("the states of the console", async (t) => {
  const stage = await Stage.build(t);
  const found = new Set();
  const measured = [];

  for (const page of pages()) {
    let desk;
    for (const state of page)
      await t.test(`${state.name}: ${state.about}`, async () => {
        if (!state.goesOn) desk = await begin(stage, state);
        await reach(desk, state);
        const here = async () => (await desk.page.evaluate(inventory, [values, flags, Object.keys(roots)])).forEach((x) => found.add(x));
        await here();
        const bad = [];
        for (const look of looks) {
          await wear(desk.page, look);
          await here();
          measured.push(...(await measure(desk.page, state.name, look)));
          if (state.name === "traffic" && look !== "lcd") {
            const { over, looked } = await desk.page.evaluate(standing);
            assert.ok(looked > 10);
            assert.deepEqual(over, [], `5. nothing stands out more than the plate of an emergency: ${look}`);
          }
          if (state.name === "rest") await grey(desk.page, look);
        }
        for (const look of swept) {
          await wear(desk.page, look);
          bad.push(...(await violations(desk.page, state.name)).map((v) => `${look}: ${v}`));
        }
        await wear(desk.page, "night");
        await state.leave?.(desk);
        assert.deepEqual(bad, [], "8. axe finds nothing");
      });
    await desk?.close();
  }

  await t.test("4. what has to be told apart can be, in every look", () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}contrast.md`, table(measured));
    t.diagnostic(`the whole table: ${folder}contrast.md`);
    assert.ok(measured.length >= looks.length * (text.length + fills.length), `${measured.length} were measured`);
    assert.deepEqual(measured.filter((m) => !m.ok).map((m) => `${m.look}, ${m.what}: ${m.colour} on ${m.ground} ${m.ratio.toFixed(2)} (${m.least})${m.lc === null ? "" : ` Lc ${m.lc.toFixed(0)} (${m.leastLc})`}`), []);
  });

  await t.test("50. every part and every state that themes may rely on was there", () => {
    assert.deepEqual(promised(roots).filter((a) => !found.has(a)), []);
  });
});

/** 7. At rest nothing is colourful but targets. */
async function grey(page, look) {
  const grounds = await page.locator("[data-part=console]").evaluate((console) =>
    [console, ...console.querySelectorAll("*")]
      .filter((e) => !e.closest("[data-part=target][aria-pressed=true], [data-part=ptt-target]"))
      .map((e) => [`${e.tagName} ${e.className}`, getComputedStyle(e).backgroundColor]),
  );
  assert.ok(grounds.length > 100);
  assert.deepEqual(grounds.filter(([, c]) => rgb(c) && chroma(rgb(c)) >= 0.25), [], `7. at rest nothing is colourful: ${look}`);
  const target = await page.locator("[data-part=target][aria-pressed=true]").first().evaluate((e) => getComputedStyle(e).backgroundColor);
  assert.ok(look === "lcd" || chroma(rgb(target)) >= 0.25, `${look}: a target is not`);
}
