// The panel without a service: its files from a web server that knows nothing of
// radios, the radio in a Worker. It runs the same stories as the real service.
//
// What cannot be tested here, because it is about the service: a wrong NAC id at the
// login, a session that is renewed, a crash (console, resume); the administration
// (admin); the media plane, how it gets round a blocked network, and what two
// consoles hear of each other (voice).
import test from "node:test";
import { SimulatedWorld, Stage } from "./simulated.mjs";
import { accessStory } from "./stories/access.mjs";
import { consoleStory } from "./stories/console.mjs";
import { resumeStory } from "./stories/resume.mjs";

// Each story has a page and a radio of its own, so they run in parallel.
test("the simulation", { concurrency: true }, async (t) => {
  const stage = await Stage.build(t);

  await Promise.all([
    t.test("the console", async (t) => {
      const { north } = await consoleStory(t, new SimulatedWorld(stage));
      north.silent();
    }),
    t.test("access", async (t) => {
      const world = new SimulatedWorld(stage);
      const desk = await world.desk("NORTH");
      await accessStory(t, world, desk);
      desk.silent();
    }),
    t.test("reconnecting", async (t) => {
      const { desk } = await resumeStory(t, new SimulatedWorld(stage));
      desk.silent();
    }),
  ]);

  await t.test("no requests except to the web server", () => stage.alone());
});
