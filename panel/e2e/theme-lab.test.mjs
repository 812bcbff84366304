// The lab for authors of themes, from "squelch theme dev" and from a plain web server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { flags, inventory, promised, values } from "./acceptance/promised.mjs";
import { startBrowser } from "./browser.mjs";
import { accessible, largeEnough, picture } from "./eyes.mjs";
import { StaticServer } from "./static.mjs";
import { patience, until } from "./wait.mjs";

const built = fileURLToPath(new URL("../dist", import.meta.url));
const roots = { look: ["night", "day"], density: ["comfortable"], link: ["connected", "stale", "disconnected"], ptt: ["IDLE", "TX", "LATCHED", "NOLINK"], emergency: ["none", "unacknowledged", "open"] };

const manifest = { name: "Dusk", slug: "dusk", version: "1", author: "Ana", description: "Of a browser test.", css: "style.css", js: "theme.js" };
const good = ":root { --sq-rx: #14532d; --sq-on-rx: #ffffff; }\n";
const script = `
  theme.getContainer().textContent = "dusk has started";
  dispatch.on("dispatch:ptt", () => theme.setVar("--dusk-keyed", "1"));
  dispatch.triggerAlert("154.755", "Ping");
`;

/** Does something when the test has ended, the last first: a page closes before the program that it listens to. */
const ends = new WeakMap();
function later(t, f) {
  if (!ends.has(t)) {
    ends.set(t, []);
    t.after(async () => {
      const ended = [];
      for (const end of ends.get(t).reverse()) ended.push(await Promise.allSettled([end()]));
      for (const [{ reason }] of ended) if (reason) throw reason;
    });
  }
  ends.get(t).push(f);
}

/** A theme's folder that "squelch theme dev" watches, until the test ends. */
async function watched(t, files) {
  const folder = mkdtempSync(join(tmpdir(), "squelch-dusk-"));
  const write = (name, text) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries({ "theme.json": JSON.stringify(manifest), "style.css": good, "theme.js": script, ...files })) write(name, text);
  const child = spawn(process.env.SQUELCH_BIN, ["theme", "dev", folder, "--listen", "127.0.0.1:0"]);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (b) => (said += b));
  const ended = new Promise((give) => child.once("exit", give));
  later(t, async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const address = await until(() => `theme dev says ${said}`, () => /is at (http:\S+)/.exec(said)?.[1]);
  return { folder, write, address };
}

/** A page that complains about nothing. */
async function opened(t, browser, address) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const complaints = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
  page.on("pageerror", (e) => complaints.push(e.stack ?? String(e)));
  page.on("response", (r) => r.status() >= 400 && complaints.push(`${r.status()} ${r.url()}`));
  later(t, async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(address);
  return page;
}

const frameOf = (page, scene) => page.frameLocator(`#scene-${scene} iframe`);

test("the theme lab", async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());

  await t.test("every state that themes may rely on is in a scene, without a service", async (t) => {
    const server = await StaticServer.start(built);
    later(t, () => server.close());
    const page = await opened(t, browser, `${server.url}/?theme-lab`);
    await page.locator("#scene-rest").waitFor();
    const scenes = await page.locator("[data-scene]").evaluateAll((all) => all.map((f) => f.dataset.scene));
    assert.ok(scenes.length > 50, `${scenes.length} scenes`);
    assert.deepEqual(await page.locator(".jump a").allTextContents(), scenes, "the list of scenes leads to each");

    const found = new Set();
    const alone = await opened(t, browser, `${server.url}/?theme-lab&scene=rest`);
    await alone.waitForFunction(() => globalThis.scene);
    for (const look of roots.look)
      for (const scene of look === "night" ? scenes.filter((s) => !s.startsWith("first-") && !s.startsWith("login")) : ["rest"]) {
        await alone.evaluate(([scene, look]) => globalThis.scene.show(scene, look), [scene, look]);
        for (const x of await alone.evaluate(inventory, [values, flags, Object.keys(roots)])) found.add(x);
      }
    await alone.goto(`${server.url}/?theme-lab&scene=first-microphone`);
    await alone.locator("[data-part=onboarding]").waitFor();
    for (const x of await alone.evaluate(inventory, [values, flags, Object.keys(roots)])) found.add(x);
    assert.deepEqual(promised(roots).filter((p) => !found.has(p)), []);
    assert.deepEqual(server.requests.filter((r) => r.method !== "GET"), [], "nothing is sent");
  });

  await t.test("160 channels are drawn, and none, and one", async (t) => {
    const server = await StaticServer.start(built);
    later(t, () => server.close());
    const page = await opened(t, browser, `${server.url}/?theme-lab#scene-many-channels`);
    await page.locator("#scene-many-channels").scrollIntoViewIfNeeded();
    const many = frameOf(page, "many-channels");
    await many.locator("[data-part=channel-card]").first().waitFor();
    await many.locator("[data-part=filter]", { hasText: "160" }).first().waitFor({ state: "attached" });
    const cards = await many.locator("[data-part=channel-card]").count();
    assert.ok(cards >= 12 && cards < 160, `${cards} cards are drawn at once`);
    await page.locator("#scene-one-channel").scrollIntoViewIfNeeded();
    await frameOf(page, "one-channel").locator("[data-part=channel-card]").first().waitFor();
    assert.equal(await frameOf(page, "one-channel").locator("[data-part=channel-card]").count(), 1);
    await page.locator("#scene-no-channels").scrollIntoViewIfNeeded();
    await frameOf(page, "no-channels").locator(".empty").waitFor();
    await picture(page, "theme-lab-amount");
  });

  await t.test("a folder is watched: its style is exchanged, its script starts again, its mistakes are told", async (t) => {
    const { write, address } = await watched(t);
    const page = await opened(t, browser, address);
    await page.locator("[data-part=lab-folder][data-state=there]").waitFor();
    const traffic = frameOf(page, "traffic");
    await traffic.locator("[data-part=theme-container]", { hasText: "dusk has started" }).waitFor();
    const colour = () => traffic.locator(":root").evaluate((root) => getComputedStyle(root).getPropertyValue("--sq-rx").trim());
    await until("the style sheet", async () => (await colour()) === "#14532d");
    await picture(page, "theme-lab");

    // What the theme has asked for is told, and goes nowhere.
    await page.locator("#scene-traffic .asked summary").click();
    await page.locator("#scene-traffic .asked li", { hasText: "Ping" }).waitFor();

    // The page of the scene stays while its style sheet changes.
    await traffic.locator(":root").evaluate(() => (globalThis.stayed = true));
    write("style.css", ":root { --sq-rx: #1e3a8a; --sq-on-rx: #ffffff; }\n");
    await until("the new style sheet", async () => (await colour()) === "#1e3a8a", 3 * patience);
    assert.equal(await traffic.locator(":root").evaluate(() => globalThis.stayed), true);

    write("theme.js", `theme.getContainer().textContent = "dusk has started again";\n`);
    await traffic.locator("[data-part=theme-container]", { hasText: "dusk has started again" }).waitFor({ timeout: 3 * patience });
    assert.equal(await traffic.locator(":root").evaluate(() => globalThis.stayed), undefined);

    write("style.css", `${good}.card { background: url(https://elsewhere.example/a.png) }\n`);
    await page.locator("[data-part=lab-removed] li", { hasText: "elsewhere.example" }).waitFor({ timeout: 3 * patience });
    write("style.css", ":root { --sq-rxx: #14532d }\n");
    await page.locator("[data-part=lab-folder-hints] li", { hasText: "--sq-rx" }).waitFor({ timeout: 3 * patience });
    write("theme.json", JSON.stringify({ ...manifest, slug: "Dusk & Dawn" }));
    await page.locator("[data-part=lab-folder][data-state=wrong] pre", { hasText: "slug" }).waitFor({ timeout: 3 * patience });
    await traffic.locator("[data-part=theme-container]", { hasText: "dusk has started again" }).waitFor();
    write("theme.json", JSON.stringify(manifest));
    await page.locator("[data-part=lab-folder][data-state=there]").waitFor({ timeout: 3 * patience });
  });

  await t.test("a theme that fails says so below each scene, and is not switched off", async (t) => {
    const { write, address } = await watched(t, { "theme.js": `throw new Error("no dusk today");\n` });
    const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
    later(t, () => context.close());
    const page = await context.newPage(); // it complains: that is what is looked at
    page.setDefaultTimeout(patience);
    await page.goto(address);
    for (const scene of ["rest", "cards", "traffic"]) await page.locator(`#scene-${scene} .wrong`, { hasText: "no dusk today" }).waitFor();
    write("theme.js", script);
    for (const scene of ["rest", "cards", "traffic"]) await frameOf(page, scene).locator("[data-part=theme-container]", { hasText: "dusk has started" }).waitFor({ timeout: 3 * patience });
    assert.equal(await page.locator("#scene-rest .wrong").count(), 0);

    // What is no JavaScript is told once, with its line.
    write("theme.js", "const dusk = 1;\nconst dusk = 2;\n");
    const said = page.locator("#scene-rest .wrong");
    await said.waitFor({ timeout: 3 * patience });
    assert.match(await said.innerText(), /^The theme did not start\. Its script is not valid JavaScript: [^.:]*'dusk'[^.:]* \(line 2\)\.$/);
    write("theme.js", "\n\nnoSuchThing();\n");
    await page.locator("#scene-rest .wrong", { hasText: "noSuchThing" }).waitFor({ timeout: 3 * patience });
    assert.match(await said.innerText(), /^The theme did not start\. Its script ended with an error: noSuchThing is not defined \(line 3\)\.$/);

    // A theme that goes on is not said to have failed.
    write("theme.js", `dispatch.on("dispatch:zones", () => { throw new Error("too late"); });\n`);
    await page.locator("#scene-rest .wrong", { hasText: "too late" }).waitFor({ timeout: 3 * patience });
    assert.match(await said.innerText(), /^Error in theme Dusk: too late\./);
  });

  await t.test("text that is hard to read is listed with part, state, colours, ratio and look, and marked", async (t) => {
    const { write, address } = await watched(t, {
      "theme.js": "",
      "style.css": `:root { --sq-on-rx: #1a814a; }\n[data-part="zone-tab"] { color: #333; }\n[data-part="tools"] { background: #ff0000; transition: background-color 0.3s; }\n`,
    });
    const page = await opened(t, browser, address);
    const row = page.locator("[data-part=lab-finding]", { hasText: "talker" }).filter({ hasText: "rx" }).first();
    await row.waitFor();
    assert.match(await row.innerText(), /Night\s+talker\s+rx\s+.*#1a814a on #1a814a\s+1\.00, least \d/s);
    await page.locator("#scene-traffic [data-part=scene-bad]").waitFor();
    const marked = frameOf(page, "traffic").locator("[data-part=channel-card][data-state=rx] [data-lab-contrast]").first();
    await marked.waitFor();
    assert.equal(await marked.evaluate((e) => getComputedStyle(e).outlineStyle), "dashed");
    await page.locator("[data-part=lab-hints] li", { hasText: "#ff0000" }).filter({ hasText: "emergency" }).first().waitFor();
    // A red of the console's own is no matter of the theme.
    const red = await frameOf(page, "traffic").locator(":root").evaluate(() => {
      document.head.append(Object.assign(document.createElement("style"), { textContent: "[data-part=status-bar] { background: #ff0000 }" }));
      const { hints } = globalThis.scene.measure(true);
      return hints.filter((h) => h.kind === "red").map((h) => h.part);
    });
    assert.deepEqual([...new Set(red)], ["tools"]);
    assert.equal(await frameOf(page, "traffic").locator("[data-part=tools]").evaluate((e) => getComputedStyle(e).backgroundColor), "rgb(255, 0, 0)", "measuring leaves the theme as it was");
    await page.getByLabel("Mark what is hard to read").uncheck();
    await marked.waitFor({ state: "detached" });

    // In another look it is another colour; what was found in the first is of the first.
    await page.getByLabel("Look").selectOption("day");
    await page.locator("[data-part=lab-finding]", { hasText: "Day" }).first().waitFor();

    // Put right, it is not listed any more.
    write("style.css", good);
    await until("nothing is hard to read", async () => (await page.locator("[data-part=lab-finding]").count()) === 0 && (await page.locator("#scene-rest iframe").count()) === 1, 3 * patience);
  });

  await t.test("keyboard and axe", async (t) => {
    const { address } = await watched(t, { "theme.js": "", "style.css": ":root { --sq-on-rx: #1a814a; }\n" });
    const page = await opened(t, browser, address);
    await page.locator("[data-part=lab-finding]").first().waitFor();
    await accessible(page, "the lab");
    await largeEnough(page, "the lab");

    // Tab comes through choices and scenes, never into a console, unless it is tried.
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "scenes");
    const stops = [];
    for (let i = 0; i < 60 && !stops.includes("Try: traffic; its keys and buttons work then"); i++) {
      await page.keyboard.press("Tab");
      stops.push(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName));
    }
    assert.ok(stops.includes("Try: traffic; its keys and buttons work then"), stops.join("; "));
    assert.ok(!stops.includes("IFRAME"), stops.join("; "));

    await page.keyboard.press("Space");
    assert.equal(await page.locator("#scene-traffic iframe").evaluate((f) => f.inert), false);
    await frameOf(page, "traffic").locator("[data-part=channel-card] [data-part=monitor]").first().click();
    await page.locator("#scene-traffic .asked").waitFor();

    await page.getByLabel("Language").selectOption("de");
    await page.locator("h1", { hasText: "Theme-Labor" }).waitFor();
    await page.evaluate(() => scrollTo(0, 0)); // or the head, which stays, covers something
    await accessible(page, "the lab in German");
  });
});
