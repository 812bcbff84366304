// What a dispatcher does in a shift, with another dispatcher and players' radios. The
// same story runs in every world: see live.mjs and simulated.mjs.
import assert from "node:assert/strict";
import { until } from "../wait.mjs";

/** north is the desk where everything happens; south, ana and ben are others on the air. */
export async function consoleStory(t, world) {
  const north = await world.desk("NORTH");
  const { page } = north;
  const south = await world.colleague("SOUTH");
  const ana = await world.radio(7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  const ben = await world.radio(8, "Ben Okoye", { nacId: "LSFD" });
  await ana.join("MAIN");
  await ben.join("FIRE");
  await north.speakOn("MAIN");

  await t.test("a dispatcher presses the PTT key; a radio and another console hear it", async () => {
    await south.scan("MAIN");
    await ana.forget();
    await page.keyboard.down("F2");
    await north.ptt("TX");
    await north.state("MAIN", "tx");
    await page.locator("[data-part=voice-status]", { hasText: "TX (Opus)" }).waitFor();
    await south.hears("NORTH", "MAIN");
    await ana.hears(0.4);
    await page.keyboard.up("F2");
    await north.ptt("IDLE");
    await south.hearsNobody("MAIN");
  });

  await t.test("a busy channel denies and shows who holds it; a double press overrides", async () => {
    await ana.talk(true);
    await north.state("MAIN", "rx");
    await page.keyboard.down("F2");
    await north.ptt("DENIED");
    await north.state("MAIN", "busy");
    await north.card("MAIN").getByText("in use by Ana Ruiz").waitFor();
    await page.locator("[data-part=ptt-denied]", { hasText: "Ana Ruiz" }).waitFor();
    await page.keyboard.up("F2");
    await until("a double tap breaks in", async () => {
      await page.keyboard.up("F2");
      await page.keyboard.down("F2");
      await page.keyboard.up("F2");
      await page.keyboard.down("F2"); // on a busy machine this may come too late for a double tap, which is then tried again
      return page.locator("[data-part=ptt][data-state=TX]").waitFor({ timeout: 2_000 }).then(() => true, () => false);
    });
    await page.locator("[data-part=ptt-line]", { hasText: "override" }).waitFor();
    await page.keyboard.up("F2");
    await north.ptt("IDLE");
    await ana.talk(false);
    await north.state("MAIN", "idle");
  });

  await t.test("PTT never sticks: window blur, a text field, a lost pointer", async () => {
    await page.keyboard.down("F2");
    await north.ptt("TX");
    await page.evaluate(() => window.dispatchEvent(new Event("blur")));
    await north.ptt("IDLE");
    await page.locator("[data-part=ptt-denied]", { hasText: "the window lost focus" }).waitFor();
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
    await world.free("MAIN");
    await north.state("MAIN", "idle");
  });

  await t.test("instant transmit talks on a channel that is not selected", async () => {
    const button = north.button("TX on STATE");
    await button.hover();
    await page.mouse.down();
    await north.state("STATE", "tx");
    await page.locator("[data-part=voice-status]", { hasText: "TX (IMBE)" }).waitFor();
    await page.mouse.up();
    await north.state("STATE", "idle");
  });

  await t.test("the PTT keys every selected channel", async () => {
    await north.button("Add FIRE to the global PTT").click();
    await page.keyboard.down("F2");
    await north.state("MAIN", "tx");
    await north.state("FIRE", "tx");
    await page.keyboard.up("F2");
    await north.state("FIRE", "idle");
    await north.button("Unselect all").click();
  });

  await t.test("an announcement group is armed and keyed", async () => {
    await north.button("Arm Everybody").click();
    await ana.forget();
    await ben.forget();
    await page.keyboard.down("F2");
    await north.state("MAIN", "tx");
    await north.state("FIRE", "tx");
    await Promise.all([ana.hears(0.2), ben.hears(0.2)]);
    await page.keyboard.up("F2");
    await north.state("MAIN", "idle");
    await north.button("Arm Everybody").click();
  });

  await t.test("a patch joins two channels, and its own key talks on both", async () => {
    await north.button("New patch").click();
    const dialog = page.getByRole("dialog", { name: "New patch" });
    await dialog.getByLabel(/^MAIN/).check();
    await dialog.getByLabel(/^FIRE/).check();
    await dialog.getByLabel("Label (optional)").fill("Fireline");
    await dialog.getByRole("button", { name: "Patch", exact: true }).click();
    await north.card("FIRE").locator("[data-part=patch-tag]", { hasText: "P-1" }).waitFor();
    await south.seesPatch("FIRE", "Fireline");
    await ben.forget();
    await ana.talk(true);
    await north.state("FIRE", "rx"); // the far side shows the caller
    await north.card("FIRE").locator("[data-part=talker]", { hasText: "Ana Ruiz" }).waitFor();
    await ben.hears(0.08);
    await ana.talk(false);
    await north.state("FIRE", "idle");
    await ana.forget();
    await ben.forget();
    const key = north.button("TX on patch Fireline");
    await key.hover();
    await page.mouse.down();
    await Promise.all([ana.hears(0.2), ben.hears(0.2)]);
    await page.mouse.up();
    await north.ptt("IDLE");
    await south.unpatch("Fireline");
    await north.card("FIRE").locator("[data-part=patch-tag]").waitFor({ state: "detached" });
  });

  await t.test("an alert raises a banner at both consoles; each acknowledges for itself; it is cleared", async () => {
    await north.button("More for MAIN").click();
    await north.button("Raise SIGNAL 100").click();
    await page.locator("[data-part=alert-banner]", { hasText: "SIGNAL 100" }).waitFor();
    await south.seesAlert("SIGNAL 100");
    await north.button("Acknowledge SIGNAL 100 on MAIN").click();
    await page.locator("[data-part=alert-banner]").waitFor({ state: "detached" });
    await south.seesAlert("SIGNAL 100");
    await north.card("MAIN").locator("[data-part=alert]", { hasText: "SIGNAL 100" }).waitFor(); // still active
    await south.clear("SIGNAL 100", "MAIN");
    await north.card("MAIN").locator("[data-part=alert]").waitFor({ state: "detached" });
  });

  await t.test("a one-shot shows once, a tone-only alert never", async () => {
    await north.button("More for MAIN").click();
    await north.button("Raise Ping once").click();
    await page.locator("[data-part=notice][data-state=oneshot]", { hasText: "Ping" }).waitFor();
    await south.seesOneShot("Ping");
    await ana.forget();
    await north.button("More for MAIN").click();
    await north.button("Raise Boop tone only").click();
    await ana.toldToneOf("Boop", "BEEP");
    assert.equal(await page.locator("[data-part=notices], [data-part=attention]").getByText("Boop").count(), 0);
  });

  await t.test("an emergency is shown and acknowledged, and everybody sees by whom", async () => {
    await ana.panic(true);
    await page.locator("[data-part=panic-banner]", { hasText: "Ana Ruiz" }).waitFor();
    await north.state("MAIN", "emergency");
    await south.seesEmergency("Ana Ruiz", "MAIN");
    await north.button("Acknowledge emergency from Ana Ruiz").click();
    await page.locator("[data-part=panic-banner]").waitFor({ state: "detached" });
    await south.seesAcknowledged("NORTH");
  });

  await t.test("a broadcast with type and tone reaches radios and consoles", async () => {
    await ana.forget();
    await north.button("Broadcast…").click();
    const dialog = page.getByRole("dialog", { name: "Broadcast" });
    await dialog.getByLabel("Message").fill("Shift change at six");
    await dialog.getByLabel("Type").selectOption("Priority Alert");
    await dialog.getByLabel("Tone").selectOption("CHIRP");
    await dialog.getByRole("button", { name: "Send" }).click();
    await page.locator("[data-part=notice]", { hasText: "Shift change at six" }).waitFor();
    await south.seesBroadcast("Shift change at six", "Priority Alert");
    await ana.toldBroadcast("Shift change at six", "Priority Alert", "CHIRP");
    await north.button("Dismiss Priority Alert").click();
  });

  await t.test("a tone is played on the chosen channel", async () => {
    await ben.forget();
    await page.getByLabel("Channel for tones").selectOption("FIRE");
    await north.button("Play ALERT_B on FIRE").click();
    await ben.toldTone("ALERT_B");
  });

  await t.test("a unit is moved by keyboard, gets a message and a callsign, is followed and disconnected", async () => {
    const unit = (channel, name) => north.card(channel).getByRole("button", { name: `Unit ${name}` });
    await unit("MAIN", "Ana Ruiz").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Unit Ana Ruiz" }).getByText("NAC LSPD").waitFor();
    await page.keyboard.type("TAC"); // the list of channels has the focus
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await unit("TAC", "Ana Ruiz").waitFor();
    await ana.toldMove("TAC");

    await unit("TAC", "Ana Ruiz").click();
    await page.getByLabel("Message").fill("Call dispatch");
    await north.button("Send message").click();
    await ana.toldMessage("Call dispatch");

    await unit("TAC", "Ana Ruiz").click();
    await page.getByRole("dialog").getByLabel("Callsign").fill("2-ADAM-7");
    await north.button("Set callsign").click();
    await unit("TAC", "2-ADAM-7").waitFor();
    await south.seesUnit("2-ADAM-7", "TAC");

    await unit("TAC", "2-ADAM-7").click();
    await north.button("Follow").click();
    await north.button("Following").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await ana.followedBy(north, "TAC");
    await unit("TAC", "2-ADAM-7").click();
    await north.button("Disconnect").click();
    await north.button("Confirm disconnect").click();
    await unit("TAC", "2-ADAM-7").waitFor({ state: "detached" });
    await ana.gone();
  });

  await t.test("a unit is moved by dragging", async () => {
    await north.card("FIRE").getByRole("button", { name: "Unit Ben Okoye" }).dragTo(north.card("STATE"));
    await north.card("STATE").getByRole("button", { name: "Unit Ben Okoye" }).waitFor();
    await ben.toldMove("STATE");
  });

  await t.test("the log shows who talked where, and can be filtered", async () => {
    const log = page.locator("[data-part=transmissions]");
    await log.getByText("Ana Ruiz").first().waitFor();
    await page.getByLabel("Filter log").fill("north state");
    await until("only what fits", async () => (await log.getByRole("listitem").count()) === 1);
    assert.match(await log.getByRole("listitem").innerText(), /NORTH\s+STATE/);
    await page.getByLabel("Filter log").fill("");
  });

  return { north, south, ana, ben };
}
