// Two dispatchers and players' radios, on the real service, in a real browser.
import test from "node:test";
import { LiveWorld } from "./live.mjs";
import { consoleStory } from "./stories/console.mjs";

test("the console", async (t) => {
  const world = await LiveWorld.start(t);

  await t.test("a wrong NAC id is refused with a reason", async () => {
    const stranger = await world.desk(null);
    await stranger.page.getByLabel("Access code (NAC ID)").fill("guess");
    await stranger.page.getByLabel("Callsign").fill("X");
    await stranger.button("Sign in").click();
    await stranger.page.getByRole("alert").filter({ hasText: "Invalid access code" }).waitFor();
    stranger.silent(/401/);
    await stranger.close();
  });

  const { north, south, ben } = await consoleStory(t, world);

  await t.test("an emergency acknowledged and closed at another console is so here too", async () => {
    await ben.panic(true);
    await north.emergency("Ben Okoye", "unacknowledged").waitFor();
    await south.desk.button("Acknowledge emergency from Ben Okoye", south.desk.emergency("Ben Okoye")).click();
    await north.emergency("Ben Okoye", "acknowledged").getByText("ack SOUTH ").waitFor();
    await south.desk.closeEmergency("Ben Okoye", "Test");
    await north.emergency("Ben Okoye").waitFor({ state: "detached" });
    await north.page.locator("[data-part=transmissions] li", { hasText: "Ben Okoye" }).getByText("Closed by SOUTH · test").waitFor();
  });

  await t.test("the login page leads to the simulation, under the service's content security policy", async () => {
    const visitor = await world.desk(null);
    const sockets = [];
    visitor.page.on("websocket", (s) => sockets.push(s.url()));
    await visitor.page.getByRole("link", { name: "Practice with simulated radio traffic" }).click();
    await visitor.page.locator("[data-part=simulation-badge]", { hasText: "SIMULATION" }).waitFor();
    await visitor.page.locator("[data-part=health][data-state=connected]").waitFor();
    await visitor.page.locator("[data-part=voice]", { hasText: "simulated" }).waitFor();
    await visitor.page.locator("[data-part=simulation-bar]").getByRole("button", { name: "More", exact: true }).click();
    await visitor.page.getByRole("link", { name: "Leave simulation" }).click();
    await visitor.page.getByLabel("Access code (NAC ID)").waitFor();
    if (sockets.length > 0) throw new Error(`the simulation opened ${sockets}`);
    visitor.silent();
    await visitor.close();
  });

  await t.test("no errors in the browser", () => {
    north.silent();
    south.desk.silent();
  });
});
