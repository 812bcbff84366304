// What is checked in a page: by axe-core, and by people who look at the pictures.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Not among those by itself: who speaks to the page says what is written on a key. */
const more = { "label-content-name-mismatch": { enabled: true } };
/** Pictures are kept where CI or a reader wants them. */
const pictures = process.env.SQUELCH_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

export async function picture(page, name) {
  const shot = await page.screenshot(pictures ? { path: join(pictures, `${name}.png`) } : {});
  assert.ok(shot.length > 10_000, `${name} is a picture of nothing`);
}

/** What axe-core finds in the page, or in the part of it that within selects. */
export async function violations(page, what, within) {
  // What is still fading in has other colours than what is read.
  await page.evaluate(() => Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations !== Infinity).map((a) => a.finished.catch(() => undefined))));
  await page.evaluate(axe); // through the debugger: the page's own policy would refuse it
  const found = await page.evaluate(
    async ([runOnly, rules, within]) => {
      const r = await window.axe.run(within ?? document, { runOnly, rules });
      return { passes: r.passes.length, bad: r.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")} ${n.failureSummary}`)) };
    },
    [rules, more, within],
  );
  assert.ok(found.passes >= 10, `${what}: axe looked at ${found.passes} rules only`);
  return found.bad;
}

/** axe-core finds nothing in the page, or in the part of it that within selects. */
export async function accessible(page, what, within) {
  assert.deepEqual(await violations(page, what, within), [], what);
}

/** Every button on the screen, or in the part of it that within selects, is at least 24 px wide and high, with what it lays over its surroundings. */
export async function largeEnough(page, what, within = "body") {
  const small = await page.evaluate((within) =>
    [...document.querySelectorAll(`:is(${within}) button`)]
      .map((b) => {
        const { width, height } = b.getBoundingClientRect();
        const over = getComputedStyle(b, "::after");
        const size = (own, more) => Math.max(own, own > 0 && over.position === "absolute" ? Number.parseFloat(more) || 0 : 0);
        return { name: b.getAttribute("aria-label") ?? b.textContent, box: { width: size(width, over.width), height: size(height, over.height) } };
      })
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ name }) => name),
    within,
  );
  assert.deepEqual(small, [], `targets under 24 px in ${what}`);
}

export const looks = ["Night", "Day", "High contrast", "Retro LCD"];
export const densities = ["Comfortable", "Compact", "Dense"];

/** Sets look and density as a user does. */
export async function dress(desk, look, density) {
  await desk.button("Settings").click();
  await desk.page.getByLabel("Look").selectOption(look);
  await desk.page.getByLabel("Density").selectOption(density);
  await desk.page.keyboard.press("Escape");
  await desk.page.getByRole("dialog").waitFor({ state: "detached" });
}
