// The simulation from any folder of any web server: every address in it is relative.
import assert from "node:assert/strict";
import test from "node:test";
import { Stage } from "./simulated.mjs";
import { shift } from "./stage.mjs";

const under = "/some/deep/path/";
const scenario = shift({ steps: [{ at: 1, unit: 7, do: "talk", for: 600 }, { at: 1, unit: 8, do: "talk", for: 600 }] });

test("the panel's files are in a folder of a web server", async (t) => {
  const stage = await Stage.build(t, under);

  for (const address of ["/?simulate=scene.json&hold", "/index.html?simulate=scene.json&hold#here"]) {
    await t.test(`${address} is on the air, hears and talks`, async () => {
      const desk = await stage.play(scenario, { address, kept: { settings: { language: "de" } } });
      await desk.to(2);
      await desk.run();
      await desk.lit("FIRE");
      await desk.deed({ do: "release" }, 7);
      await desk.state("MAIN", "idle");
      await desk.page.keyboard.down("F2");
      await desk.ptt("TX");
      await desk.state("MAIN", "tx");
      await desk.page.keyboard.up("F2");
      await desk.ptt("IDLE");
      assert.equal(await desk.page.evaluate(() => document.documentElement.lang), "de");
      await desk.page.keyboard.press("Control+k");
      await desk.page.locator("[data-part=palette]").waitFor();
      await desk.page.keyboard.press("Escape");
      desk.silent();
      await desk.close();
    });
  }

  await t.test("and asks for nothing that is not in the folder", () => {
    stage.alone();
    assert.deepEqual(stage.server.requests.filter((r) => !r.path.startsWith(under)), []);
    const found = (what) => stage.server.requests.some((r) => what.test(r.path));
    for (const what of [/core-.*\.wasm$/, /wasm-worker-.*\.js$/, /worklet-.*\.js$/, /start-.*\.js$/, /manifest|index.*\.css$/]) assert.ok(found(what), `${what} was not asked for`);
  });
});
