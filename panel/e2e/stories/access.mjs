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
    /** Inside a region of the console the arrows move. */
    const arrowTo = async (name, key) => {
      for (let i = 0; i < 40; i++) {
        if (name.test(await focused())) return;
        await keyboard.press(key);
      }
      assert.fail(`${name} cannot be reached with ${key}`);
    };
    const region = async (part) => {
      for (let i = 0; i < 6; i++) {
        await keyboard.press("F6");
        if (await page.locator(`[data-part=${part}]:focus-within`).count()) return;
      }
      assert.fail(`${part} cannot be reached with F6`);
    };
    await tabTo(/^Talk here: MAIN,/);
    await keyboard.press("Enter");
    await page.locator("[data-part=channel-card][data-target=true]", { hasText: "MAIN" }).waitFor();
    await keyboard.press("ArrowRight");
    assert.equal(await focused(), "Talk here: TAC, 154.815");
    const tac = desk.card("TAC");
    const is = (what) => tac.and(page.locator(what)).waitFor();
    await keyboard.press("m");
    await desk.button("Monitor TAC").and(page.locator("[aria-pressed=true]")).waitFor();
    await keyboard.press("p");
    await desk.button("Monitor TAC, priority 2").waitFor();
    await keyboard.press("x");
    await tac.locator("[data-part=target][aria-pressed=true]").waitFor();
    await keyboard.press("u");
    await is("[data-muted=true]");
    await keyboard.press("u");
    await is("[data-muted=false]");
    await keyboard.press("x");
    await tac.locator("[data-part=target][aria-pressed=false]").waitFor();
    await keyboard.press("m");
    await desk.button("Monitor TAC").and(page.locator("[aria-pressed=false]")).waitFor();
    await keyboard.down("t");
    await desk.state("TAC", "tx");
    await keyboard.up("t");
    await desk.state("TAC", "idle");
    await keyboard.down("F2");
    await desk.state("MAIN", "tx");
    await keyboard.up("F2");
    await desk.state("MAIN", "idle");

    await keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Type a command, channel or unit" }).waitFor();
    await keyboard.type("raise signal 100 on main");
    await keyboard.press("Enter");
    const lane = page.locator("[data-part=emergency-lane]");
    await lane.getByText("1 alert · SIGNAL 100 on MAIN").waitFor();
    await accessible(page, "alert");
    await ana.panic(true);
    await desk.emergency("Ana Ruiz", "unacknowledged").waitFor();
    await accessible(page, "alert and emergency");
    await shot("emergency");
    await keyboard.press("Alt+a"); // alerts only
    await page.locator("[data-part=transmissions] li", { hasText: "SIGNAL 100" }).getByText("Acknowledged by you").waitFor();
    await desk.emergency("Ana Ruiz", "unacknowledged").waitFor();
    await keyboard.press("F8");
    await desk.emergency("Ana Ruiz", "acknowledged").waitFor();
    await accessible(page, "open emergency");
    await region("emergency-lane");
    await keyboard.press("Home");
    await arrowTo(/^Close… emergency from Ana Ruiz$/, "ArrowRight");
    await keyboard.press("Enter");
    await page.locator("[data-part=drawer][data-state=close] [type=radio]").first().waitFor();
    await accessible(page, "closing an emergency");
    await shot("close-emergency");
    await page.locator("[type=radio]:focus").waitFor();
    await keyboard.press(" ");
    await keyboard.press("Enter");
    await desk.emergency("Ana Ruiz").waitFor({ state: "detached" });
    await lane.getByText("1 alert · SIGNAL 100 on MAIN").waitFor(); // it is active until it is cleared
    assert.equal(await page.locator("[data-part=acknowledge-alerts]").count(), 0);
    await keyboard.press("Alt+2");
    await page.getByRole("tab", { name: "South", selected: true }).waitFor();
    await page.getByRole("tab", { name: "South" }).focus();
    await keyboard.press("ArrowLeft");
    await keyboard.press("ArrowLeft");
    await page.getByRole("tab", { name: "All zones", selected: true }).waitFor();

    await region("desk");
    await arrowTo(/^Units/, "ArrowUp");
    await arrowTo(/^Groups/, "ArrowRight");
    await page.locator("#pane-groups [data-part=group]").waitFor();
    await arrowTo(/^Talk to Everybody$/, "ArrowDown");
    await keyboard.down(" ");
    await desk.state("FIRE", "tx");
    await keyboard.up(" ");
    await desk.state("FIRE", "idle");
    await keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  await t.test("a PTT key is bound, and a letter is refused", async () => {
    await desk.button("Settings").click();
    await page.locator("[data-part=microphone-level]").waitFor(); // it appears later, and moves what is below
    await page.getByRole("button", { name: /^PTT key: / }).click();
    await page.getByText("Press a key, mouse button").waitFor();
    await page.keyboard.press("k");
    await page.getByText("A single letter would transmit while you type.").waitFor();
    await page.keyboard.press("F4");
    await page.getByRole("button", { name: "PTT key: F4" }).waitFor();
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
    await page.locator("[data-part=self-test]", { hasText: /Voice path OK: \d+ of \d+ packets, \d+ ms round trip/ }).waitFor();
    await desk.button("Close").click();
  });

  await t.test("axe finds nothing in any view, dialog or menu", async () => {
    const failed = [];
    const look = async (name) => {
      await accessible(page, name).catch((e) => failed.push(e)); // the other views are checked all the same
      await shot(name);
    };
    await look("console");
    for (const tab of ["log", "recall", "patches", "groups", "tones", "units"]) {
      await desk.tab(tab);
      await look(`rail-${tab}`);
    }
    await desk.tab("log");
    await desk.controls("MAIN");
    await look("drawer");
    await page.keyboard.press("Escape");
    await page.locator("[data-part=drawer]").waitFor({ state: "detached" });
    const dialogs = {
      settings: () => desk.button("Settings").click(),
      palette: () => desk.button("Commands").click(),
      patch: async () => {
        await desk.tab("patches");
        await desk.button("New patch…", page.locator("[data-part=rail]")).click();
      },
      broadcast: async () => {
        await desk.tab("groups");
        await desk.button("Broadcast…", page.locator("[data-part=rail]")).click();
      },
      unit: async () => {
        await desk.tab("units");
        await desk.unit("Ben Okoye", "FIRE").click();
      },
      keys: () => desk.account("Keyboard shortcuts"),
    };
    for (const [name, open] of Object.entries(dialogs)) {
      await open();
      await page.getByRole("dialog").waitFor();
      await look(`dialog-${name}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    const menus = {
      account: () => page.getByRole("button", { name: /: account$/ }).click(),
      replay: () => desk.card("MAIN").locator("[data-part=replay]").click({ button: "right" }),
    };
    for (const [name, open] of Object.entries(menus)) {
      await open();
      await page.getByRole("menu").waitFor();
      await look(`menu-${name}`);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
    }
    assert.deepEqual(failed.map((e) => e.message), []);
  });

  await t.test("every look and density, with traffic, an alert and an emergency", async () => {
    await desk.button("Monitor FIRE").click();
    await ben.talk(true);
    await desk.state("FIRE", "rx");
    await desk.button("CLEAR 100: SIGNAL 100 on MAIN").click();
    await desk.card("MAIN").locator("[data-part=alert]").waitFor({ state: "detached" });
    await desk.button("Raise SIGNAL 100", await desk.controls("STATE")).click();
    await desk.card("STATE").locator("[data-part=alert]", { hasText: "SIGNAL 100" }).waitFor();
    await page.keyboard.press("Escape");
    await ana.panic(true);
    await desk.state("MAIN", "em");
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
        const ptt = await desk.page.locator("[data-part=ptt]").boundingBox();
        assert.ok(ptt && ptt.width >= 44 && ptt.height >= 44);
      }
    }
    await ana.panic(false);
    await ben.talk(false);
    await desk.emergency("Ana Ruiz", "ended").waitFor();
    await accessible(page, "ended emergency");
    await desk.button("Acknowledge emergency from Ana Ruiz", desk.emergency("Ana Ruiz")).click();
    await desk.emergency("Ana Ruiz").waitFor({ state: "detached" });
  });

  await t.test("in another language", async () => {
    await desk.button("Settings").click();
    await page.getByLabel("Language").selectOption("Deutsch");
    await page.getByRole("dialog", { name: "Einstellungen" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("html[lang=de]").waitFor();
    await page.locator("[data-part=ptt]", { hasText: "Sprechen" }).waitFor();
    await accessible(page, "German");
    await shot("german");
  });

  await t.test("on a phone a dispatcher listens and acknowledges", async () => {
    const there = await world.elsewhere("POCKET", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const phone = there.desk;
    const unit = await there.radio(7, "Ana Ruiz", "MAIN");
    const { page: small } = phone;
    await phone.card("MAIN").locator("[data-part=name]").tap();
    const sheet = small.locator("[data-part=drawer][data-state=channel]");
    await phone.button("On", sheet).tap();
    await phone.button("On", sheet).and(small.locator("[aria-pressed=true]")).waitFor();
    await accessible(small, "phone, a channel's sheet");
    await phone.button("Close MAIN controls").tap();
    await sheet.waitFor({ state: "detached" });
    await unit.talk(true);
    await phone.state("MAIN", "rx");
    await unit.talk(false);
    await unit.panic(true);
    await phone.emergency("Ana Ruiz", "unacknowledged").waitFor();
    const wide = await small.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, "the page scrolls sideways");
    await accessible(small, "phone");
    await picture(small, `${world.pictures}phone`);
    await phone.button("Acknowledge emergency from Ana Ruiz", phone.emergency("Ana Ruiz")).tap();
    await phone.emergency("Ana Ruiz", "acknowledged").waitFor();
    await phone.state("MAIN", "ack");
    for (const tab of ["Log", "Units", "More"]) {
      await phone.button(tab, small.getByRole("navigation")).tap();
      await accessible(small, `phone, ${tab}`);
    }
    await phone.button("Channels", small.getByRole("navigation")).tap();
    await phone.closeEmergency("Ana Ruiz", "Accidental");
    phone.silent();
    await phone.close();
  });

  return { ana, ben };
}
