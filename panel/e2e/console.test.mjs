// Two dispatchers and players' radios, on the real service, in a real browser.
import assert from "node:assert/strict";
import test from "node:test";
import { Desk, startBrowser, until } from "./browser.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";

test("the console", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const north = await Desk.open(browser, service, "NORTH");
  const south = await Desk.open(browser, service, "SOUTH");
  const ana = await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  const ben = await Radio.connect(service, 8, "Ben Okoye", { nacId: "LSFD" });
  t.after(() => (ana.close(), ben.close()));
  await ana.join("154.755");
  await ben.join("154.28");
  await north.speakOn("MAIN");

  await t.test("a wrong NAC id is refused in words", async () => {
    const stranger = await Desk.open(browser, service, null);
    await stranger.page.getByLabel("NAC id").fill("guess");
    await stranger.page.getByLabel("Callsign").fill("X");
    await stranger.button("Log in").click();
    await stranger.page.getByRole("alert").filter({ hasText: "Invalid NAC ID" }).waitFor();
    stranger.silent(/401/);
    await stranger.close();
  });

  await t.test("a dispatcher presses the PTT key, and radio and other desk hear", async () => {
    await south.button("Scan MAIN").click();
    await north.page.keyboard.down("F2");
    await north.ptt("TX");
    await north.state("MAIN", "tx");
    await north.page.locator("[data-part=voice-status]", { hasText: "TX (Opus)" }).waitFor();
    await south.state("MAIN", "rx");
    await south.card("MAIN").locator("[data-part=talker]", { hasText: "NORTH" }).waitFor();
    await until("voice at the radio", () => ana.voices > 20);
    // The other desk's meter is lit by decoded samples.
    await south.page.waitForFunction(() => {
      const bar = document.querySelector("[data-frequency='154.755'] .bar");
      return bar instanceof HTMLElement && Number.parseFloat(bar.style.transform.slice(7)) > 0.02;
    });
    await north.page.keyboard.up("F2");
    await north.ptt("IDLE");
    await south.state("MAIN", "idle");
  });

  await t.test("a busy channel denies and shows who holds it; a double tap breaks in", async () => {
    await ana.talk(true);
    await north.state("MAIN", "rx");
    await north.page.keyboard.down("F2");
    await north.ptt("DENIED");
    await north.state("MAIN", "busy");
    await north.card("MAIN").getByText("held by Ana Ruiz").waitFor();
    await north.page.locator("[data-part=ptt-denied]", { hasText: "Ana Ruiz" }).waitFor();
    await north.page.keyboard.up("F2");
    await north.page.keyboard.down("F2");
    await north.page.keyboard.up("F2");
    await north.page.keyboard.down("F2");
    await north.ptt("TX");
    await north.page.locator("[data-part=ptt-line]", { hasText: "override" }).waitFor();
    await north.page.keyboard.up("F2");
    await north.ptt("IDLE");
    await ana.talk(false);
    await north.state("MAIN", "idle");
  });

  await t.test("no PTT sticks: blur, a text field, a lost pointer", async () => {
    const { page } = north;
    await page.keyboard.down("F2");
    await north.ptt("TX");
    await page.evaluate(() => window.dispatchEvent(new Event("blur")));
    await north.ptt("IDLE");
    await page.locator("[data-part=ptt-denied]", { hasText: "the window lost the keyboard" }).waitFor();
    await page.keyboard.up("F2");

    await page.keyboard.down("F2");
    await north.ptt("TX");
    await page.getByLabel("Filter log").focus();
    await north.ptt("IDLE");
    await page.keyboard.up("F2");
    await page.getByLabel("Filter log").blur();

    const button = north.button("PTT, push to talk");
    await button.hover();
    await page.mouse.down();
    await north.ptt("TX");
    await button.dispatchEvent("pointercancel");
    await north.ptt("IDLE");
    await page.mouse.up();
    const talking = async () => (await service.status()).channels["154.755"].activeTalkers;
    await until("the service has the channel free", async () => (await talking()).length === 0);
    await north.state("MAIN", "idle");
  });

  await t.test("instant transmit talks on a channel that is not selected", async () => {
    const button = north.button("TX on STATE");
    await button.hover();
    await north.page.mouse.down();
    await north.state("STATE", "tx");
    await north.page.locator("[data-part=voice-status]", { hasText: "TX (IMBE)" }).waitFor();
    await north.page.mouse.up();
    await north.state("STATE", "idle");
  });

  await t.test("the PTT keys every selected channel", async () => {
    await north.button("Add FIRE to the global PTT").click();
    await north.page.keyboard.down("F2");
    await north.state("MAIN", "tx");
    await north.state("FIRE", "tx");
    await north.page.keyboard.up("F2");
    await north.state("FIRE", "idle");
    await north.button("Unselect all").click();
  });

  await t.test("an announcement group is armed and keyed", async () => {
    await north.button("Arm Everybody").click();
    ana.forget();
    ben.forget();
    await north.page.keyboard.down("F2");
    await north.state("MAIN", "tx");
    await north.state("FIRE", "tx");
    await until("both channels hear the announcement", () => ana.voices > 10 && ben.voices > 10);
    await north.page.keyboard.up("F2");
    await north.state("MAIN", "idle");
    await north.button("Arm Everybody").click();
  });

  await t.test("a patch joins two channels, and its own key talks on both", async () => {
    await north.button("New patch").click();
    const dialog = north.page.getByRole("dialog", { name: "New patch" });
    await dialog.getByLabel(/^MAIN/).check();
    await dialog.getByLabel(/^FIRE/).check();
    await dialog.getByLabel("Label (may stay empty)").fill("Fireline");
    await dialog.getByRole("button", { name: "Patch", exact: true }).click();
    await south.card("FIRE").locator("[data-part=patch-tag]", { hasText: "P-1" }).waitFor();
    ben.forget();
    await ana.talk(true);
    await ana.send("voice", { data: "+P/+" }).catch(() => undefined);
    await south.state("FIRE", "rx"); // the far side shows the caller
    await south.card("FIRE").locator("[data-part=talker]", { hasText: "Ana Ruiz" }).waitFor();
    await until("the far side hears the caller", () => (ana.socket.emit("voice", { data: "+P/+" }), ben.voices > 3));
    await ana.talk(false);
    await south.state("FIRE", "idle");
    ben.forget();
    const key = south.button("TX on patch Fireline");
    await key.hover();
    await south.page.mouse.down();
    await until("the patch's own key is heard on both sides", () => ben.voices > 10);
    await south.page.mouse.up();
    await south.ptt("IDLE");
    await south.button("Remove patch Fireline").click();
    await north.card("FIRE").locator("[data-part=patch-tag]").waitFor({ state: "detached" });
  });

  await t.test("an alert raises a banner at both desks; each acknowledges for itself; it is cleared", async () => {
    await north.button("More for MAIN").click();
    await north.button("Raise SIGNAL 100").click();
    for (const d of [north, south]) await d.page.locator("[data-part=alert-banner]", { hasText: "SIGNAL 100" }).waitFor();
    await north.button("Acknowledge SIGNAL 100 on MAIN").click();
    await north.page.locator("[data-part=alert-banner]").waitFor({ state: "detached" });
    await south.page.locator("[data-part=alert-banner]").waitFor();
    await north.card("MAIN").locator("[data-part=alert]", { hasText: "SIGNAL 100" }).waitFor(); // still active
    await south.button("CLEAR 100: SIGNAL 100 on MAIN").click();
    await north.card("MAIN").locator("[data-part=alert]").waitFor({ state: "detached" });
    await south.page.locator("[data-part=alert-banner]").waitFor({ state: "detached" });
  });

  await t.test("a one-shot shows once, a tone-only alert never", async () => {
    await north.button("More for MAIN").click();
    await north.button("Raise Ping once").click();
    await south.page.locator("[data-part=notice][data-state=oneshot]", { hasText: "Ping" }).waitFor();
    ana.forget();
    await north.button("More for MAIN").click();
    await north.button("Raise Boop tone only").click();
    await ana.wait("the tone of Boop", (e, p) => e === "serverTone" && p.tone === "BEEP");
    assert.equal(await south.page.getByText("Boop").count(), 0);
  });

  await t.test("an emergency is shown, acknowledged, and everybody sees by whom", async () => {
    await ana.send("panic", { enabled: true });
    for (const d of [north, south]) await d.page.locator("[data-part=panic-banner]", { hasText: "Ana Ruiz" }).waitFor();
    await south.state("MAIN", "emergency");
    await south.button("Acknowledge emergency of Ana Ruiz").click();
    await north.page.locator("[data-part=panic-banner]").waitFor({ state: "detached" });
    await north.page.locator("[data-part=notice]", { hasText: "by SOUTH" }).waitFor();
  });

  await t.test("a broadcast with type and tone reaches radios and desks", async () => {
    await north.button("Broadcast…").click();
    const dialog = north.page.getByRole("dialog", { name: "Broadcast" });
    await dialog.getByLabel("Message").fill("Shift change at six");
    await dialog.getByLabel("Type").selectOption("Priority Alert");
    await dialog.getByLabel("Tone").selectOption("CHIRP");
    await dialog.getByRole("button", { name: "Send" }).click();
    await south.page.locator("[data-part=notice]", { hasText: "Shift change at six" }).waitFor();
    const told = await ana.wait("the broadcast", (e, p) => e === "dispatchNotification" && p.type === "broadcast");
    assert.equal(told.payload.broadcastType, "Priority Alert");
    await ana.wait("its tone", (e, p) => e === "serverTone" && p.tone === "CHIRP");
    await south.button("Dismiss Priority Alert").click();
    await north.button("Dismiss Priority Alert").click();
  });

  await t.test("a tone is played on the chosen channel", async () => {
    ben.forget();
    await north.page.getByLabel("Channel for tones").selectOption("FIRE");
    await north.button("Play ALERT_B on FIRE").click();
    await ben.wait("the tone", (e, p) => e === "serverTone" && p.tone === "ALERT_B");
  });

  await t.test("a unit is moved by keyboard, gets a message and a callsign, is followed and disconnected", async () => {
    const { page } = north;
    await north.card("MAIN").getByRole("button", { name: "Unit Ana Ruiz" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Unit Ana Ruiz" }).getByText("NAC LSPD").waitFor();
    await page.keyboard.type("TAC"); // the list of channels has the focus
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await north.card("TAC").getByRole("button", { name: "Unit Ana Ruiz" }).waitFor();
    await ana.wait("the move", (e, p) => e === "dispatchNotification" && p.type === "userSwitched" && p.frequency === "154.815");

    await north.card("TAC").getByRole("button", { name: "Unit Ana Ruiz" }).click();
    await page.getByLabel("Message").fill("Call dispatch");
    await north.button("Send message").click();
    await ana.wait("the message", (e, p) => e === "dispatchNotification" && p.type === "userAlert" && p.message === "Call dispatch");

    await north.card("TAC").getByRole("button", { name: "Unit Ana Ruiz" }).click();
    await page.getByRole("dialog").getByLabel("Callsign").fill("2-ADAM-7");
    await north.button("Set callsign").click();
    await south.card("TAC").getByRole("button", { name: "Unit 2-ADAM-7" }).waitFor();

    await north.card("TAC").getByRole("button", { name: "Unit 2-ADAM-7" }).click();
    await north.button("Follow").click();
    await ana.wait("that it is followed", (e) => e === "userStartedListening");
    await north.button("Disconnect").click();
    await north.button("Really disconnect").click();
    await north.card("TAC").getByRole("button", { name: "Unit 2-ADAM-7" }).waitFor({ state: "detached" });
  });

  await t.test("a unit is moved by dragging", async () => {
    await north.card("FIRE").getByRole("button", { name: "Unit Ben Okoye" }).dragTo(north.card("STATE"));
    await north.card("STATE").getByRole("button", { name: "Unit Ben Okoye" }).waitFor();
  });

  await t.test("the log has who talked where, and is filtered", async () => {
    const log = north.page.locator("[data-part=transmissions]");
    await log.getByText("Ana Ruiz").first().waitFor();
    await north.page.getByLabel("Filter log").fill("north state");
    await until("only what fits", async () => (await log.getByRole("listitem").count()) === 1);
    assert.match(await log.getByRole("listitem").innerText(), /NORTH\s+STATE/);
    await north.page.getByLabel("Filter log").fill("");
  });

  await t.test("nothing complained", () => {
    north.silent();
    south.silent();
  });
});
