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
    await desk.button("Scan STATE").click();
    await desk.button("Scan STATE").click(); // priority 2
    await desk.button("Add FIRE to the global PTT").click();
    await desk.button("Arm Everybody").click();
  };
  await setUp();
  await desk.button("Mute TAC").click();
  await page.getByLabel("Volume of MAIN").fill("60");
  await desk.button("New patch").click();
  const dialog = page.getByRole("dialog", { name: "New patch" });
  await dialog.getByLabel(/^TAC/).check();
  await dialog.getByLabel(/^STATE/).check();
  await dialog.getByRole("button", { name: "Patch", exact: true }).click();
  await page.locator("[data-part=patch]").waitFor();

  const asBefore = async () => {
    await page.locator("[data-part=channel-card][data-joined=true]", { hasText: "MAIN" }).waitFor();
    await page.locator("[aria-pressed=true][data-part=add]").waitFor();
    assert.equal(await desk.button("Scan P2 STATE").getAttribute("aria-pressed"), "true");
    assert.equal(await desk.button("Mute TAC").getAttribute("aria-pressed"), "true");
    assert.equal(await desk.button("Arm Everybody").getAttribute("aria-pressed"), "true");
    assert.equal(await page.getByLabel("Volume of MAIN").inputValue(), "60");
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
    await desk.ptt("IDLE"); // a lost link releases the key
    await page.locator("[data-part=health][data-state=disconnected]").waitFor();
    await page.locator("[data-part=link-strip]", { hasText: "Reconnecting" }).waitFor();
    await world.restore();
    await page.locator("[data-part=health][data-state=connected]").waitFor();
    await page.keyboard.up("F2");
    await asBefore();
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
