// The built-in themes at work: in every look they can be read and axe finds nothing, they
// fit on their screens, and with each of them a dispatcher talks, monitors, answers an
// emergency and closes it.
import assert from "node:assert/strict";
import test from "node:test";
import { chroma, rgb } from "./acceptance/colour.mjs";
import { unreadable } from "./acceptance/contrast.mjs";
import { violations } from "./eyes.mjs";
import { looks, wear } from "./looks.mjs";
import { Stage } from "./simulated.mjs";
import { begin, frequency, metro, reach, states } from "./states.mjs";
import { until } from "./wait.mjs";

const every = process.env.SQUELCH_ALL_LOOKS === "1";
const desks = [[1366, 768], [1920, 1080], [390, 844]];
const tablets = [[1024, 768], [768, 1024], [390, 844]];
const id = (name) => metro().units.find((u) => u.name === name).id;

/**
 * The themes: the size that their looks are measured on; their other sizes; face: where
 * they say what goes on on a channel; talk and monitor: the keys for that; show: how the
 * channel is brought to the screen, if it is not there.
 */
const themes = [
  {
    slug: "switchboard", bare: true, size: [1366, 768], sizes: desks,
    face: (channel) => `.sb-line[data-id="${frequency(channel)}"]`,
    talk: (channel) => `.sb-line[data-id="${frequency(channel)}"] .sb-talk`,
    monitor: (channel) => `.sb-line[data-id="${frequency(channel)}"] .sb-monitor`,
  },
  {
    slug: "wall", bare: true, size: [1920, 1080], sizes: desks,
    face: (channel) => `.wall-tile[data-id="${frequency(channel)}"]`,
    talk: (channel) => `.wall-tile[data-id="${frequency(channel)}"] .wall-keys > :nth-child(1)`,
    monitor: (channel) => `.wall-tile[data-id="${frequency(channel)}"] .wall-keys > :nth-child(2)`,
  },
  {
    slug: "patrol", bare: true, size: [1024, 768], sizes: [...tablets, [1366, 768]],
    face: () => ".car",
    talk: () => "[data-part=ptt]",
    async show(page, channel) {
      for (let steps = 0; steps < 12 && (await page.locator(".car-name").textContent()) !== channel; steps++) {
        const before = await page.locator(".car-name").textContent();
        await page.locator(".car-after").click();
        await page.waitForFunction((before) => document.querySelector(".car-name").textContent !== before, before);
      }
      assert.equal(await page.locator(".car-name").textContent(), channel);
    },
  },
  {
    slug: "lamps", bare: false, size: [1366, 768], sizes: desks,
    face: (channel) => `.lamps-key:has(span:text-is("${channel}"))`,
    talk: (channel) => `[data-part=channel-card][data-frequency="${frequency(channel)}"] [data-part=instant-tx]`,
    monitor: (channel) => `.lamps-key:has(span:text-is("${channel}"))`,
  },
];

/** Opens a state of the catalogue with a theme. */
async function open(stage, { slug, size: [width, height] }, name) {
  const state = states.find((s) => s.name === name);
  const desk = await begin(stage, state, { settings: { theme: slug }, size: { width, height } });
  await desk.page.locator(`:root.theme-${slug} [data-part=theme-container] *`).first().waitFor();
  return { desk, state };
}

const inFace = (page, theme, channel, face) => page.locator(`${theme.face(channel)}`).and(page.locator(`[data-face=${face}]`)).waitFor();

for (const theme of themes)
  test(`the theme ${theme.slug}`, async (t) => {
    const stage = await Stage.build(t);

    await t.test("is read in every look, and axe finds nothing", async () => {
      for (const name of every ? ["traffic", "rest", "no-link", "ended"] : ["traffic"]) {
        const { desk, state } = await open(stage, theme, name);
        if (state.reach) await state.reach(desk);
        const bad = [];
        for (const look of looks) {
          await wear(desk.page, look);
          bad.push(...(await unreadable(desk.page, "[data-part=console]")).map((b) => `${look}: ${b}`));
          bad.push(...(await violations(desk.page, name)).map((v) => `${look}: ${v}`));
        }
        assert.deepEqual(bad, [], name);
        desk.silent();
      }
    });

    await t.test("fits on its screens, and nothing on it moves for those who want that", async () => {
      const { desk, state } = await open(stage, theme, "traffic");
      await reach(desk, { ...state, shows: [] });
      const { page } = desk;
      assert.equal(await page.evaluate(() => document.getAnimations().filter((a) => a.playState === "running").length), 0, "animations");
      for (const [width, height] of [theme.size, ...theme.sizes]) {
        await page.setViewportSize({ width, height });
        let found;
        const fits = async () => {
          found = await page.evaluate(() => {
            const wide = (e) => e.scrollWidth > e.clientWidth + 1;
            const out = [...document.querySelectorAll("[data-part=theme-container], [data-part=theme-container] *")]
              .filter((e) => e.checkVisibility({ opacityProperty: true }) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".lamps ul"));
            const talk = document.querySelector("[data-part=ptt]").getBoundingClientRect();
            return {
              sideways: wide(document.documentElement) || wide(document.querySelector("[data-part=console]")),
              out: out.map((e) => e.className),
              ptt: talk.width > 100 && talk.height >= 40 && talk.right <= innerWidth && talk.bottom <= innerHeight,
              box: Math.round(document.querySelector("[data-part=theme-container]").getBoundingClientRect().height),
            };
          });
          return !found.sideways && found.out.length === 0 && found.ptt;
        };
        await until(() => `${theme.slug} at ${width} × ${height}: ${JSON.stringify(found)}`, fits); // a phone fetches its style sheet
        assert.ok(theme.bare ? found.box > height * 0.35 : found.box > 30, `${width} × ${height}: the container is ${found.box} px high`);
      }
      await checks[theme.slug]?.(page);
      desk.silent();
    });

    await t.test("talks, monitors, answers and closes, and leaves nothing behind", async () => {
      const { desk } = await open(stage, theme, "rest");
      const { page } = desk;
      await grey(page, theme);
      await desk.run();
      await speak(desk, theme);
      await monitor(desk, theme);
      await emergency(desk, theme, "Jo Lindqvist", "FIRE DISP", () => page.keyboard.press("F9"));
      await emergency(desk, theme, "Kay Moss", "FIREGROUND", () => desk.emergency("Kay Moss", "unacknowledged").locator("[data-part=answer]").click());
      await leave(desk, theme);
      desk.silent();
      stage.alone();
    });
  });

/** At rest nothing is colourful but what is chosen. */
async function grey(page, theme) {
  const grounds = await page.locator("[data-part=console]").evaluate((console) =>
    [...console.querySelectorAll("*")]
      .filter((e) => e.checkVisibility() && !e.closest("[aria-pressed=true], [data-part=ptt-target]"))
      .map((e) => [`${e.tagName} ${e.className}`, getComputedStyle(e).backgroundColor]),
  );
  assert.ok(grounds.length > 25);
  assert.deepEqual(grounds.filter(([, c]) => rgb(c) && chroma(rgb(c)) >= 0.25), [], `${theme.slug} at rest`);
}

/** By the key of the console, and by the theme's key for a channel: held by a finger, and by a hand on the keyboard. */
async function speak(desk, theme) {
  const { page } = desk;
  await theme.show?.(page, "EMS DISP");
  await page.keyboard.down("F2");
  await desk.ptt("TX");
  await inFace(page, theme, "EMS DISP", "tx");
  await page.keyboard.up("F2");
  await desk.ptt("IDLE");
  await inFace(page, theme, "EMS DISP", "idle");

  await theme.show?.(page, "CALLING");
  const key = page.locator(theme.talk("CALLING"));
  await key.hover();
  await page.mouse.down();
  await inFace(page, theme, "CALLING", "tx");
  await page.mouse.up();
  await inFace(page, theme, "CALLING", "idle");
  await key.focus();
  await page.keyboard.down("Space");
  await inFace(page, theme, "CALLING", "tx");
  await page.keyboard.up("Space");
  await inFace(page, theme, "CALLING", "idle");
  await page.mouse.move(1, 1);
}

/** A channel that nobody here listens to is monitored, and then no longer. */
async function monitor(desk, theme) {
  const { page } = desk;
  await desk.deed({ do: "talk", for: 600 }, id("Ranger 3"));
  if (theme.monitor) {
    await inFace(page, theme, "PARKS", "off");
    await page.locator(theme.monitor("PARKS")).click();
    await inFace(page, theme, "PARKS", "rx");
    if (!theme.bare) await desk.lit("PARKS", frequency("PARKS"));
    await page.locator(theme.monitor("PARKS")).click();
    await inFace(page, theme, "PARKS", "off");
  } else {
    // One channel at a time: what is kept is heard after the next step, too.
    const heard = page.locator(".car-elsewhere[data-heard=true]", { hasText: "PARKS: Ranger 3" });
    await theme.show(page, "PARKS");
    await inFace(page, theme, "PARKS", "rx");
    await page.locator(".car-listen").click();
    await page.locator(".car-listen[aria-pressed=true]").waitFor();
    await page.locator(".car-after").click();
    await heard.waitFor();
    await heard.click();
    await inFace(page, theme, "PARKS", "rx");
    await page.locator(".car-listen").click();
    await page.locator(".car-listen[aria-pressed=false]").waitFor();
    await page.locator(".car-after").click();
    await heard.waitFor({ state: "detached" });
  }
  await desk.deed({ do: "release" }, id("Ranger 3"));
}

/** Somebody raises panic; it is answered as given, and closed with a reason. */
async function emergency(desk, theme, name, channel, answer) {
  const { page } = desk;
  await theme.show?.(page, channel);
  await desk.deed({ do: "panic" }, id(name));
  await desk.emergency(name, "unacknowledged").waitFor();
  await inFace(page, theme, channel, "em");
  await answer();
  await desk.emergency(name, "acknowledged").waitFor();
  await inFace(page, theme, channel, "ack");
  await until("answered on its channel only", async () => (await page.locator("[data-part=ptt-target]").allTextContents()).map((x) => x.includes(channel)).join() === "true");
  await desk.deed({ do: "calm" }, id(name));
  await desk.closeEmergency(name, "Resolved");
  await inFace(page, theme, channel, "idle");
}

/** Without a theme the console is as it was. */
async function leave(desk, theme) {
  const { page } = desk;
  if (theme.bare) {
    await page.locator("[data-part=theme-menu]").click();
    await page.getByRole("menuitem", { name: "Settings", exact: true }).click();
  } else await page.locator("[data-part=status-bar] > button:last-child").click();
  await page.locator("[data-part=theme-choice]").selectOption("");
  await page.keyboard.press("Escape");
  await page.locator("[data-part=theme-container]").waitFor({ state: "detached" });
  assert.deepEqual(await page.evaluate(() => [document.documentElement.className, document.documentElement.hasAttribute("data-bare"), document.querySelectorAll("link[data-theme], script[src*='/_run.js']").length]), ["", false, 0]);
  for (const part of ["status-bar", "tools", "channels", "log"]) await page.locator(`[data-part=${part}]`).waitFor();
  await page.locator("[data-part=channel-card][data-state=idle]").first().waitFor();
}

/** What only one theme promises. */
const checks = {
  /** Capital letters of 16 minutes of arc at 5 m on a screen of 55 inches: see its style sheet. */
  async wall(page) {
    await page.setViewportSize({ width: 1920, height: 1080 });
    const small = await page.evaluate(() => [...document.querySelectorAll(".wall *, [data-part=emergency-slot] *, [data-part=ptt] b")]
      .filter((e) => e.checkVisibility({ opacityProperty: true }) && !e.closest("button:not([data-part=ptt])") && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== ""))
      .map((e) => [e.textContent.trim(), Number.parseFloat(getComputedStyle(e).fontSize)])
      .filter(([, size]) => size < 52.4));
    assert.deepEqual(small, [], "letters that are not read from five metres");
    const tiles = await page.locator(".wall-tile").evaluateAll((all) => all.filter((e) => e.getBoundingClientRect().bottom > document.querySelector(".wall-board").getBoundingClientRect().bottom + 1).length);
    assert.equal(tiles, 0, "tiles that are out of sight");
  },
  async patrol(page) {
    for (const [width, height] of tablets) {
      await page.setViewportSize({ width, height });
      const small = await page.locator(".car button, [data-part=ptt], [data-part=latch], [data-part=emergency-slot] button").evaluateAll((all) => all
        .filter((b) => b.checkVisibility())
        .map((b) => [b.textContent.trim(), b.getBoundingClientRect()])
        .filter(([, r]) => r.width < 99.5 || r.height < 99.5)
        .map(([what, r]) => `${what} ${Math.round(r.width)} × ${Math.round(r.height)}`));
      assert.deepEqual(small, [], `keys under 100 px at ${width} × ${height}`);
    }
  },
};
