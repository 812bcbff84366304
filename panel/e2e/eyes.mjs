// What is checked in a page: by axe-core, and by people who look at the pictures.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Pictures are kept where CI or a reader wants them. */
const pictures = process.env.SQUELCH_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

export async function picture(page, name) {
  const shot = await page.screenshot(pictures ? { path: join(pictures, `${name}.png`) } : {});
  assert.ok(shot.length > 10_000, `${name} is a picture of nothing`);
}

/** axe-core finds nothing in the page, or in the part of it that within selects. */
export async function accessible(page, what, within) {
  await page.evaluate(axe); // through the debugger: the page's own policy would refuse it
  const found = await page.evaluate(
    async ([runOnly, within]) => {
      const r = await window.axe.run(within ?? document, { runOnly });
      return { passes: r.passes.length, bad: r.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")} ${n.failureSummary}`)) };
    },
    [rules, within],
  );
  assert.ok(found.passes >= 10, `${what}: axe looked at ${found.passes} rules only`);
  assert.deepEqual(found.bad, [], what);
}

/** Every button on the screen is at least 24 px wide and high. */
export async function largeEnough(page, what) {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button")]
      .map((b) => ({ name: b.getAttribute("aria-label") ?? b.textContent, box: b.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ name }) => name),
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
