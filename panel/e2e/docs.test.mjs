// The page that describes the interfaces, at /docs.
import assert from "node:assert/strict";
import test from "node:test";
import { startBrowser } from "./browser.mjs";
import { accessible } from "./eyes.mjs";
import { Service } from "./service.mjs";

test("the interfaces are described at /docs", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  for (const [name, width, height, colorScheme] of [
    ["at a desk by day", 1280, 900, "light"],
    ["on a phone at night", 390, 844, "dark"],
  ]) {
    await t.test(name, async () => {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      const errors = [];
      const foreign = [];
      page.on("pageerror", (e) => errors.push(e.message));
      page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
      page.on("request", (r) => r.url().startsWith(`${service.url}/`) || foreign.push(r.url()));
      await page.goto(`${service.url}/docs#client_setTalking`);
      const event = page.locator("#client_setTalking");
      await event.getByText("An API key needs the scope talk.").waitFor(); // it is open, because the address names it
      assert.match(await event.innerText(), /"frequency": "154\.755"/);
      await page.getByRole("searchbox").fill("talking channel FREQUENCY");
      assert.match(await page.getByRole("status").innerText(), /^\d+ of \d+$/);
      await page.getByRole("searchbox").fill("no such thing anywhere");
      assert.match(await page.getByRole("status").innerText(), /^0 of \d+$/);
      await page.getByRole("searchbox").fill("");
      await page.locator("details").nth(4).evaluate((e) => (e.open = true));
      await accessible(page, `docs ${name}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "the page scrolls sideways");
      assert.deepEqual(errors, []);
      assert.deepEqual(foreign, []);
      await page.close();
    });
  }
  await t.test("the documents name this radio", async () => {
    const document = await (await fetch(`${service.url}/openapi.json`)).json();
    assert.deepEqual(document.servers.map((s) => s.url), [service.url]);
  });
});
