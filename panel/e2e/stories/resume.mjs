// The link is lost and comes back, the page is loaded again: the panel returns by
// itself with everything it had. The same story runs in every world.
import assert from "node:assert/strict";
import { until } from "../wait.mjs";

export async function resumeStory(t, world) {
  const desk = await world.desk("NORTH");
  const { page } = desk;

  /** What the desk listens to and talks to. */
  const setUp = async () => {
    await desk.speakOn("MAIN");
    await desk.button("Priority 2", await desk.controls("STATE")).click();
    await desk.button("Add FIRE to PTT targets").click();
    await desk.tab("groups");
    await desk.button("Use Everybody as PTT target").click();
  };
  await setUp();
  await desk.button("Mute channel", await desk.controls("TAC")).click();
  await (await desk.controls("MAIN")).locator("[data-part=volume]").fill("60");
  await desk.tab("patches");
  await desk.button("New patch…", page.locator("[data-part=rail]")).click();
  const dialog = page.getByRole("dialog", { name: "New patch" });
  for (const target of [/^MAIN/, /^FIRE/]) await dialog.getByLabel(target).uncheck(); // it begins with the PTT targets
  await dialog.getByLabel(/^TAC/).check();
  await dialog.getByLabel(/^STATE/).check();
  await dialog.getByRole("button", { name: "Start patch" }).click();
  await page.locator("[data-part=patch]").waitFor();

  const pressed = async (button) => assert.equal(await button.getAttribute("aria-pressed"), "true");
  const asBefore = async () => {
    await desk.card("MAIN").and(page.locator("[data-target=true]")).waitFor();
    await desk.card("FIRE").locator("[data-part=target][aria-pressed=true]").waitFor();
    await pressed(desk.button("Monitor STATE, priority 2"));
    await pressed(desk.button("Mute channel", await desk.controls("TAC")));
    assert.equal(await desk.card("TAC").getAttribute("data-muted"), "true");
    assert.equal(await (await desk.controls("MAIN")).locator("[data-part=volume]").inputValue(), "60");
    await desk.tab("groups");
    await pressed(desk.button("Use Everybody as PTT target"));
    await world.hasDesk(desk, { speaks: "MAIN", listens: ["STATE", "FIRE"] });
  };

  /** A radio hears the desk, after several tries if need be: voice may still be coming back. */
  const talks = async (name) => {
    const radio = await world.radio(9, "Cy");
    await radio.join("MAIN");
    await radio.forget();
    await until(
      `the desk is heard ${name}`,
      async () => {
        await page.keyboard.down("F2");
        await desk.state("MAIN", "tx");
        const heard = await radio.hears(0.1, 2_000).catch(() => false);
        await page.keyboard.up("F2");
        await desk.ptt("IDLE");
        return heard;
      },
      60_000,
    );
    await radio.leave();
  };

  await asBefore();

  await t.test("the link is lost in the middle of a transmission", async () => {
    await page.keyboard.down("F2");
    await desk.state("MAIN", "tx");
    await world.lose();
    await desk.ptt("NOLINK"); // a lost link releases the key
    await page.locator("[data-part=channel-card][data-state=tx]").waitFor({ state: "detached" });
    await page.locator("[data-part=health][data-state=disconnected]").waitFor();
    await page.locator("[data-part=link-strip]", { hasText: "Reconnecting" }).waitFor();
    await world.restore();
    await page.locator("[data-part=health][data-state=connected]").waitFor();
    await page.keyboard.up("F2");
    await desk.ptt("IDLE");
    await asBefore();
    await desk.tab("patches");
    await page.locator("[data-part=patch]").waitFor();
    await page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
    await world.free("MAIN");
    await talks("after the link came back");
  });

  await t.test("a reload of the page", async () => {
    await world.reload(desk, { setUp });
    await asBefore();
    await talks("after the reload");
  });

  return { desk, asBefore };
}
