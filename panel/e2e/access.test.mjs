// Accessibility in every view, on the real service.
import assert from "node:assert/strict";
import test from "node:test";
import { accessible, picture } from "./eyes.mjs";
import { LiveWorld } from "./live.mjs";
import { accessStory } from "./stories/access.mjs";

test("access", async (t) => {
  const world = await LiveWorld.start(t);
  const { service } = world;
  const desk = await world.desk(null);
  const { page } = desk;

  await t.test("the login", async () => {
    await accessible(page, "login");
    await picture(page, "login");
    await desk.login("NORTH");
  });

  await accessStory(t, world, desk);

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

  await t.test("no third-party scripts, no errors in the browser", async () => {
    const answer = await fetch(service.url);
    assert.match(answer.headers.get("content-security-policy") ?? "", /script-src 'self'/);
    assert.doesNotMatch(answer.headers.get("content-security-policy") ?? "", /script-src[^;]*'unsafe-inline'/);
    desk.silent();
  });
});
