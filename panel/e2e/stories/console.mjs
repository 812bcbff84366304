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
    await north.card("MAIN").locator("[data-part=talker]", { hasText: "Ana Ruiz" }).waitFor();
    await page.locator("[data-part=ptt-line]", { hasText: "Ana Ruiz" }).waitFor();
    await page.keyboard.up("F2");
    await until("a double tap breaks in", async () => {
      await page.keyboard.up("F2");
      await page.keyboard.down("F2");
      await page.keyboard.up("F2");
      await page.keyboard.down("F2"); // on a busy machine this may come too late for a double tap, which is then tried again
      return page.locator("[data-part=ptt][data-state=TX]").waitFor({ timeout: 2_000 }).then(() => true, () => false);
    });
    await page.locator("[data-part=ptt-line]", { hasText: "Overriding" }).waitFor();
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
    await page.locator("[data-part=ptt-line]", { hasText: "another window took the keyboard" }).waitFor();
    await page.keyboard.up("F2");

    await page.keyboard.down("F2");
    await north.ptt("TX");
    await page.getByLabel("Filter log").focus();
    await north.ptt("IDLE");
    await page.keyboard.up("F2");
    await page.getByLabel("Filter log").blur();

    const button = north.page.locator("[data-part=ptt]");
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
    const button = north.button("Talk on STATE");
    await button.hover();
    await page.mouse.down();
    await north.state("STATE", "tx");
    await page.locator("[data-part=voice-status]", { hasText: "TX (IMBE)" }).waitFor();
    await page.mouse.up();
    await north.state("STATE", "idle");
  });

  await t.test("the PTT keys every selected channel", async () => {
    await north.button("Add FIRE to PTT targets").click();
    await page.keyboard.down("F2");
    await north.state("MAIN", "tx");
    await north.state("FIRE", "tx");
    await page.keyboard.up("F2");
    await north.state("FIRE", "idle");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Type a command, channel or unit" }).fill("clear targets");
    await page.keyboard.press("Enter");
    await page.locator("[data-part=ptt-target]").first().waitFor({ state: "detached" });
    await page.locator("[data-part=ptt-line]", { hasText: "No PTT target" }).waitFor();
    await north.speakOn("MAIN");
  });

  await t.test("an announcement group is armed and keyed", async () => {
    await north.tab("groups");
    await north.button("Use Everybody as PTT target").click();
    await ana.forget();
    await ben.forget();
    await page.keyboard.down("F2");
    await north.state("MAIN", "tx");
    await north.state("FIRE", "tx");
    await Promise.all([ana.hears(0.2), ben.hears(0.2)]);
    await page.keyboard.up("F2");
    await north.state("MAIN", "idle");
    await north.button("Use Everybody as PTT target").click();
  });

  await t.test("a patch joins two channels, and its own key talks on both", async () => {
    await north.tab("patches");
    await north.button("New patch…", page.locator("[data-part=rail]")).click();
    const dialog = page.getByRole("dialog", { name: "New patch" });
    await dialog.getByLabel(/^MAIN/).check();
    await dialog.getByLabel(/^FIRE/).check();
    await dialog.getByLabel("Name (optional)").fill("Fireline");
    await dialog.getByRole("button", { name: "Start patch" }).click();
    await north.card("FIRE").locator("[data-part=patch-tag]", { hasText: "Fireline" }).waitFor();
    await south.seesPatch("FIRE", "Fireline");
    await north.button("Monitor FIRE").click();
    await ben.forget();
    await ana.talk(true);
    await north.state("FIRE", "rx"); // the far side shows the caller
    await north.card("FIRE").locator("[data-part=talker]", { hasText: "Ana Ruiz" }).waitFor();
    await ben.hears(0.08);
    await ana.talk(false);
    await north.state("FIRE", "idle");
    await ana.forget();
    await ben.forget();
    const key = north.button("Talk on patch Fireline");
    await key.hover();
    await page.mouse.down();
    await Promise.all([ana.hears(0.2), ben.hears(0.2)]);
    await page.mouse.up();
    await north.ptt("IDLE");
    await south.unpatch("Fireline");
    await north.card("FIRE").locator("[data-part=patch-tag]").waitFor({ state: "detached" });
  });

  await t.test("an alert is in the lane and on the card at both consoles; each acknowledges for itself; it is cleared", async () => {
    const lane = page.locator("[data-part=emergency-lane]");
    await north.button("Raise SIGNAL 100", await north.controls("MAIN")).click();
    await lane.getByText("1 alert · SIGNAL 100 on MAIN").waitFor();
    await south.seesAlert("SIGNAL 100", "MAIN");
    await north.button("Acknowledge", lane).click();
    await page.locator("[data-part=acknowledge-alerts]").waitFor({ state: "detached" });
    await south.seesAlert("SIGNAL 100", "MAIN");
    await north.card("MAIN").locator("[data-part=alert]", { hasText: "SIGNAL 100" }).waitFor(); // still active
    await south.clear("SIGNAL 100", "MAIN");
    await north.card("MAIN").locator("[data-part=alert]").waitFor({ state: "detached" });
    await lane.getByText("SIGNAL 100").waitFor({ state: "detached" });
  });

  await t.test("a one-shot shows once, a tone-only alert never", async () => {
    await north.button("Raise Ping One time", await north.controls("MAIN")).click();
    await page.locator("[data-part=notice][data-state=oneshot]", { hasText: "Ping" }).waitFor();
    await south.seesOneShot("Ping");
    await ana.forget();
    await north.button("Raise Boop Tone only", await north.controls("MAIN")).click();
    await ana.toldToneOf("Boop", "BEEP");
    const shown = page.locator("[data-part=notices], [data-part=emergency-lane], [data-part=channel-card], [data-part=transmissions]");
    assert.ok((await shown.count()) > 3);
    assert.equal(await shown.getByText("Boop").count(), 0);
  });

  await t.test("an emergency is shown, acknowledged and closed, and everybody sees by whom", async () => {
    await ana.panic(true);
    await north.emergency("Ana Ruiz", "unacknowledged").waitFor();
    await north.state("MAIN", "em");
    await south.seesEmergency("Ana Ruiz", "MAIN");
    await north.button("Acknowledge emergency from Ana Ruiz", north.emergency("Ana Ruiz")).click();
    await north.emergency("Ana Ruiz", "acknowledged").waitFor();
    await north.state("MAIN", "ack");
    await south.seesAcknowledged("NORTH", "Ana Ruiz", "MAIN");
    await north.closeEmergency("Ana Ruiz", "Resolved");
    await north.state("MAIN", "idle");
    await south.seesClosed("NORTH", "Ana Ruiz", "MAIN");
  });

  await t.test("a broadcast with type and tone reaches radios and consoles", async () => {
    await ana.forget();
    await north.tab("groups");
    await north.button("Broadcast…", page.locator("[data-part=rail]")).click();
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
    await north.tab("tones");
    await page.getByLabel("Send tones on").selectOption("FIRE");
    await north.button("Send ALERT_B on FIRE").click();
    await ben.toldTone("ALERT_B");
  });

  await t.test("a unit is moved by keyboard, gets a message and a callsign, is followed and disconnected", async () => {
    const unit = (channel, name) => north.unit(name, channel);
    await north.tab("units");
    await unit("MAIN", "Ana Ruiz").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Unit Ana Ruiz" }).getByText("NAC ID LSPD").waitFor();
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
    await north.button("Change callsign").click();
    await unit("TAC", "2-ADAM-7").waitFor();
    await south.seesUnit("2-ADAM-7", "TAC");

    await unit("TAC", "2-ADAM-7").click();
    await north.button("Follow").click();
    await north.button("Following – stop").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await ana.followedBy(north, "TAC");
    await unit("TAC", "2-ADAM-7").click();
    await north.button("Disconnect").click();
    await north.button("Disconnect 2-ADAM-7 now").click();
    await unit("TAC", "2-ADAM-7").waitFor({ state: "detached" });
    await ana.gone();
  });

  await t.test("a unit is moved by dragging", async () => {
    await north.unit("Ben Okoye", "FIRE").dragTo(north.card("STATE"));
    await north.unit("Ben Okoye", "STATE").waitFor();
    await ben.toldMove("STATE");
  });

  await t.test("the log shows who talked where, and can be filtered", async () => {
    const log = page.locator("[data-part=transmissions]");
    await log.getByText("Ana Ruiz").first().waitFor();
    await page.getByRole("group", { name: "Log entries" }).getByRole("button", { name: "Voice" }).click();
    await page.getByLabel("Filter log").fill("you state");
    await until("only what fits", async () => (await log.getByRole("listitem").count()) === 1);
    assert.match(await log.getByRole("listitem").innerText(), /You\s+STATE/);
    await page.getByLabel("Filter log").fill("");
    await page.getByRole("group", { name: "Log entries" }).getByRole("button", { name: "All" }).click();
  });

  return { north, south, ana, ben };
}
