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
import { looks as swept } from "./sizes.mjs";

/** What themes and scripts find in the page: the console's own words for its parts and states. */
const parts = `console status-bar health voice clock emergency-lane emergency-slot emergency-plate emergency-open emergency-ended
  answer acknowledge close-emergency tools zone-tab filter layout zoom channels channel-card name band state talker timer meter
  instant-tx monitor target replay more patch-tag alert drawer rail log desk unit patch group tone ptt-bar ptt targets ptt-target
  ptt-line microphone latch notice dialog palette onboarding`.split(/\s+/);
const values = {
  "[data-part=channel-card]": ["idle", "off", "rx", "wait", "tx", "over", "busy", "overridden", "denied", "em", "ack", "ended", "link", "noaudio"],
  "[data-part=emergency-slot]": ["unacknowledged", "acknowledged", "ended"],
  "[data-part=ptt]": ["IDLE", "REQUESTED", "TX", "TAIL", "DENIED", "LATCHED", "NOMIC", "NOLINK"],
};
const flags = ["monitored", "target", "alert", "patched", "muted"];
const roots = { look: looks, density: ["comfortable"], link: ["connected", "disconnected"], ptt: ["IDLE", "TX"], emergency: ["none", "unacknowledged", "open"] };

const folder = fileURLToPath(new URL("../../../build/", import.meta.url));

/** In the page: its parts, and what they are in. */
const inventory = ([values, flags, roots]) => {
  const found = [...document.querySelectorAll("[data-part]")].flatMap((e) => e.dataset.part.split(" "));
  for (const [selector, all] of Object.entries(values))
    for (const value of all) if (document.querySelector(`${selector}[data-state=${value}]`)) found.push(`${selector} ${value}`);
  for (const flag of flags) for (const value of [true, false]) if (document.querySelector(`[data-part=channel-card][data-${flag}=${value}]`)) found.push(`${flag} ${value}`);
  for (const root of roots) found.push(`root ${root} ${document.documentElement.dataset[root]}`);
  return found;
};

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
    const asked = [
      ...parts,
      ...Object.entries(values).flatMap(([selector, all]) => all.map((v) => `${selector} ${v}`)),
      ...flags.flatMap((f) => [`${f} true`, `${f} false`]),
      ...Object.entries(roots).flatMap(([root, all]) => all.map((v) => `root ${root} ${v}`)),
    ];
    assert.deepEqual(asked.filter((a) => !found.has(a)), []);
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
