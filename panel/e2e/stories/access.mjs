// A whole shift by keyboard alone, what axe-core sees in every view, and a picture of
// every look and density. The same story runs in every world.
import assert from "node:assert/strict";
import { accessible, densities, dress, largeEnough, looks, picture } from "../eyes.mjs";

/** desk is on the air with nothing done at it yet; pictures are named after the world. */
export async function accessStory(t, world, desk) {
  const { page } = desk;
  const shot = (name) => picture(page, `${world.pictures}${name}`);
  const ana = await world.radio(7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  const ben = await world.radio(8, "Ben Okoye", { nacId: "LSFD", unitId: "E-3" });
  await ana.join("MAIN");
  await ben.join("FIRE");

  await t.test("a shift by keyboard alone", async () => {
    const { keyboard } = page;
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
    const tabTo = async (name) => {
      for (let i = 0; i < 120; i++) {
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
    await ana.panic(true);
    await page.locator("[data-part=panic-banner]").waitFor();
    await accessible(page, "alert and emergency");
    await shot("emergency");
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
    await page.locator("[data-part=microphone-level]").waitFor(); // it appears later, and moves what is below
    await page.getByRole("button", { name: /^Global PTT: / }).click();
    await page.getByText("Press a key, a mouse button").waitFor();
    await page.keyboard.press("k");
    await page.getByText("A letter alone would transmit while you type.").waitFor();
    await page.keyboard.press("F4");
    await page.getByRole("button", { name: "Global PTT: F4" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.down("F4");
    await desk.ptt("TX");
    await page.keyboard.up("F4");
    await desk.ptt("IDLE");
  });

  await t.test("the microphone test hears itself", async () => {
    await desk.button("Settings").click();
    await desk.button("Test microphone").click();
    await page.locator("[data-part=self-test]", { hasText: /came back, round trip \d+ ms/ }).waitFor();
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
      await accessible(page, name).catch((e) => failed.push(e)); // the other views are checked all the same
      await shot(`dialog-${name}`);
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
    await ana.panic(true);
    await desk.state("MAIN", "emergency");
    await page.locator("[data-part=alert-banner]").waitFor();
    for (const look of looks) {
      for (const density of densities) {
        const what = `${look}, ${density}`;
        await dress(desk, look, density);
        await shot(`${look}-${density}`.toLowerCase().replaceAll(" ", "-"));
        if (density === "Dense") await accessible(page, what);
        await largeEnough(page, what);
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll("[data-part=channel-card]")].flatMap((card) => {
            const edge = card.getBoundingClientRect().right;
            return [...card.querySelectorAll("button, input")].filter((x) => x.getBoundingClientRect().right > edge).map((x) => x.getAttribute("aria-label"));
          }),
        );
        assert.deepEqual(cut, [], `cut off in ${what}`);
        const ptt = await desk.button("PTT, push to talk").boundingBox();
        assert.ok(ptt && ptt.width >= 44 && ptt.height >= 44);
      }
    }
    await ana.panic(false);
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
    await shot("german");
  });

  await t.test("on a phone a dispatcher listens and acknowledges", async () => {
    const there = await world.elsewhere("POCKET", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const phone = there.desk;
    const unit = await there.radio(7, "Ana Ruiz", "MAIN");
    await phone.button("Scan MAIN").tap();
    await unit.talk(true);
    await phone.state("MAIN", "rx");
    await unit.talk(false);
    await unit.panic(true);
    await phone.page.locator("[data-part=panic-banner]").waitFor();
    const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, "the page scrolls sideways");
    await accessible(phone.page, "phone");
    await picture(phone.page, `${world.pictures}phone`);
    await phone.button("Acknowledge emergency from Ana Ruiz").tap();
    await phone.page.locator("[data-part=panic-banner]").waitFor({ state: "detached" });
    phone.silent();
    await phone.close();
  });

  return { ana, ben };
}
