// Accessibility in every view, the whole of a shift by keyboard alone, and a
// picture of every look and density.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { Desk, startBrowser } from "./browser.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Pictures are kept where CI or a reader wants them. */
const pictures = process.env.SQUELCH_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

async function picture(page, name) {
  const shot = await page.screenshot(pictures ? { path: join(pictures, `${name}.png`) } : {});
  assert.ok(shot.length > 10_000, `${name} is a picture of nothing`);
}

async function accessible(page, what) {
  await page.evaluate(axe); // through the debugger: the page's own policy would not have it
  const found = await page.evaluate(async () => {
    const r = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return { passes: r.passes.length, bad: r.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")} ${n.failureSummary}`)) };
  });
  assert.ok(found.passes > 15, `${what}: axe looked at ${found.passes} rules only`);
  assert.deepEqual(found.bad, [], what);
}

test("access", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const desk = await Desk.open(browser, service, null);
  const { page } = desk;

  await t.test("the login", async () => {
    await accessible(page, "login");
    await picture(page, "login");
    await desk.login("NORTH");
  });

  const ana = await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  const ben = await Radio.connect(service, 8, "Ben Okoye", { nacId: "LSFD", unitId: "E-3" });
  t.after(() => (ana.close(), ben.close()));
  await ana.join("154.755");
  await ben.join("154.28");

  await t.test("a shift by keyboard alone", async () => {
    const { keyboard } = page;
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
    const tabTo = async (name) => {
      for (let i = 0; i < 80; i++) {
        if (name.test(await focused())) return;
        await keyboard.press("Tab");
      }
      assert.fail(`${name} cannot be reached with Tab`);
    };
    await tabTo(/^Speak on MAIN /);
    await keyboard.press("Enter");
    await page.locator("[data-part=channel-card][data-joined=true]", { hasText: "MAIN" }).waitFor();
    await keyboard.press("ArrowRight");
    assert.equal(await focused(), "Speak on TAC 154.815");
    await keyboard.press("s");
    await page.locator("[data-part=scan][aria-pressed=true]").waitFor();
    await keyboard.press("x");
    await page.locator("[data-part=add][aria-pressed=true]").waitFor();
    await keyboard.press("m");
    await page.locator("[data-part=mute][aria-pressed=true]").waitFor();
    await keyboard.press("m");
    await keyboard.press("x");
    await keyboard.press("s");
    await keyboard.press("s");
    await keyboard.press("s");
    await page.locator("[data-part=scan][aria-pressed=true]").waitFor({ state: "detached" });
    await keyboard.down("t");
    await desk.state("TAC", "tx");
    await keyboard.up("t");
    await desk.state("TAC", "idle");
    await keyboard.down("F2");
    await desk.state("MAIN", "tx");
    await keyboard.up("F2");
    await desk.state("MAIN", "idle");

    await keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "What do you want to do?" }).waitFor();
    await keyboard.type("signal main");
    await keyboard.press("Enter");
    await page.locator("[data-part=alert-banner]", { hasText: "SIGNAL 100" }).waitFor();
    await ana.send("panic", { enabled: true });
    await page.locator("[data-part=panic-banner]").waitFor();
    await accessible(page, "alert and emergency");
    await picture(page, "emergency");
    await keyboard.press("Alt+a");
    await page.locator("[data-part=attention]").waitFor({ state: "detached" });
    await keyboard.press("Alt+2");
    await page.getByRole("tab", { name: "South", selected: true }).waitFor();
    await page.getByRole("tab", { name: "South" }).focus();
    await keyboard.press("ArrowLeft");
    await keyboard.press("ArrowLeft");
    await page.getByRole("tab", { name: "All", selected: true }).waitFor();

    await tabTo(/^TX to Everybody$/);
    await keyboard.down(" ");
    await desk.state("FIRE", "tx");
    await keyboard.up(" ");
    await desk.state("FIRE", "idle");
    await keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  await t.test("a PTT key is bound, and a letter is refused", async () => {
    await desk.button("Settings").click();
    const binding = page.getByRole("button", { name: /^Global PTT: / });
    await binding.click();
    await page.keyboard.press("k");
    await page.getByText("A letter alone would key while you type.").waitFor();
    await page.keyboard.press("F4");
    await page.getByRole("button", { name: "Global PTT: F4" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.down("F4");
    await desk.ptt("TX");
    await page.keyboard.up("F4");
    await desk.ptt("IDLE");
  });

  await t.test("the microphone is tested through the service", async () => {
    await desk.button("Settings").click();
    await desk.button("Test microphone").click();
    await page.locator("[data-part=self-test]", { hasText: /came back, round trip \d+ ms/ }).waitFor({ timeout: 15_000 });
    await desk.button("Close").click();
  });

  await t.test("axe finds nothing in any dialog", async () => {
    await accessible(page, "console");
    const dialogs = {
      settings: () => desk.button("Settings").click(),
      palette: () => desk.button("Commands").click(),
      patch: () => desk.button("New patch").click(),
      broadcast: () => desk.button("Broadcast…").click(),
      channel: () => desk.button("More for MAIN").click(),
      unit: () => desk.card("FIRE").getByRole("button", { name: "Unit Ben Okoye" }).click(),
      keys: () => desk.button("? keys").click(),
    };
    const failed = [];
    for (const [name, open] of Object.entries(dialogs)) {
      await open();
      await page.getByRole("dialog").waitFor();
      await accessible(page, name).catch((e) => failed.push(e)); // the others are looked at all the same
      await picture(page, `dialog-${name}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    assert.deepEqual(failed.map((e) => e.message), []);
  });

  await t.test("every look and density, with traffic, an alert and an emergency", async () => {
    await ben.talk(true);
    await desk.state("FIRE", "rx");
    await desk.button("More for MAIN").click();
    await desk.button("Raise SIGNAL 100").click();
    await ana.send("panic", { enabled: true });
    await desk.state("MAIN", "emergency");
    await page.locator("[data-part=alert-banner]").waitFor();
    for (const look of ["Night", "Day", "High contrast", "Retro LCD"]) {
      for (const density of ["Comfortable", "Compact", "Dense"]) {
        await desk.button("Settings").click();
        await page.getByLabel("Look").selectOption(look);
        await page.getByLabel("Density").selectOption(density);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await picture(page, `${look}-${density}`.toLowerCase().replaceAll(" ", "-"));
        if (density === "Dense") await accessible(page, `${look}, ${density}`);
        const small = await page.evaluate(() =>
          [...document.querySelectorAll("button")]
            .map((b) => ({ name: b.getAttribute("aria-label") ?? b.textContent, box: b.getBoundingClientRect() }))
            .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
            .map(({ name }) => name),
        );
        assert.deepEqual(small, [], `targets under 24 px in ${look}, ${density}`);
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll("[data-part=channel-card]")].flatMap((card) => {
            const edge = card.getBoundingClientRect().right;
            return [...card.querySelectorAll("button, input")].filter((x) => x.getBoundingClientRect().right > edge).map((x) => x.getAttribute("aria-label"));
          }),
        );
        assert.deepEqual(cut, [], `cut off in ${look}, ${density}`);
        const ptt = await desk.button("PTT, push to talk").boundingBox();
        assert.ok(ptt && ptt.width >= 44 && ptt.height >= 44);
      }
    }
    await ana.send("panic", { enabled: false });
    await ben.talk(false);
  });

  await t.test("in another language", async () => {
    await desk.button("Settings").click();
    await page.getByLabel("Language").selectOption("Deutsch");
    await page.getByRole("dialog", { name: "Einstellungen" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "PTT, Sprechtaste" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
    await accessible(page, "German");
    await picture(page, "german");
  });

  await t.test("on a phone one listens and acknowledges", async () => {
    const phone = await Desk.open(browser, service, "POCKET", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await phone.button("Scan MAIN").tap();
    await ana.talk(true);
    await phone.state("MAIN", "rx");
    await ana.talk(false);
    await ana.send("panic", { enabled: true });
    await phone.page.locator("[data-part=panic-banner]").waitFor();
    const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, "the page scrolls sideways");
    await accessible(phone.page, "phone");
    await picture(phone.page, "phone");
    await phone.button("Acknowledge emergency of Ana Ruiz").tap();
    await phone.page.locator("[data-part=panic-banner]").waitFor({ state: "detached" });
    phone.silent();
  });

  await t.test("it can be installed", async () => {
    const manifest = await (await fetch(`${service.url}/manifest.webmanifest`)).json();
    assert.equal(manifest.display, "standalone");
    for (const icon of manifest.icons) {
      const answer = await fetch(new URL(icon.src, service.url));
      assert.equal(answer.headers.get("content-type"), icon.type);
      assert.ok((await answer.arrayBuffer()).byteLength > 300);
    }
    const devtools = await page.context().newCDPSession(page);
    assert.deepEqual((await devtools.send("Page.getInstallabilityErrors")).installabilityErrors.filter((e) => e.errorId !== "in-incognito"), []);
  });

  await t.test("no script of others, nothing complained", async () => {
    const answer = await fetch(service.url);
    assert.match(answer.headers.get("content-security-policy") ?? "", /script-src 'self'/);
    assert.doesNotMatch(answer.headers.get("content-security-policy") ?? "", /script-src[^;]*'unsafe-inline'/);
    desk.silent();
  });
});
