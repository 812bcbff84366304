import { expect, test } from "vitest";
import type { RadioEvent } from "../state/event";
import { testCore } from "../simulation/core.testing";
import { Simulator } from "../simulation/control";
import type { Scenario } from "../simulation/api";
import type { ConfigBody, DispatchStatus } from "../wire.gen";
import { type LinkEvents, Refusal } from "./link";
import { Simulation } from "./simulation";

const quiet: Scenario = {
  name: "Quiet", about: "One unit.", units: [{ id: 7, name: "Ana", nacId: "LSPD", on: "LSPD DISP" }], steps: [],
};

class Console {
  heard: RadioEvent[] = [];
  links: string[] = [];
  readonly link = new Simulation(() => this.links.push("left"));
  readonly on: LinkEvents = {
    connected: (me) => this.links.push(`connected as ${me}`),
    disconnected: () => this.links.push("disconnected"),
    event: (e) => this.heard.push(e),
    heartbeat: () => undefined,
    renewed: () => undefined,
    loggedOut: () => undefined,
    barred: () => undefined,
    degraded: () => undefined,
  };
  control!: Simulator;

  static async at(scenario: Scenario): Promise<Console> {
    const c = new Console();
    c.control = new Simulator(await testCore(), c.link, () => undefined);
    c.link.start({ sessionId: "simulation", authToken: "", callsign: "NORTH", since: 0 }, c.on);
    await c.control.choose(scenario);
    return c;
  }

  /** Waits until it was told. */
  async told(what: string, test: (e: RadioEvent) => boolean): Promise<RadioEvent> {
    for (let i = 0; i < 400; i++) {
      const found = this.heard.find(test);
      if (found) return found;
      await new Promise((give) => setTimeout(give, 10));
    }
    throw new Error(`${what}: not told; ${JSON.stringify(this.heard)}`);
  }

  status(): Promise<DispatchStatus> {
    return this.link.request("GET /radio/dispatch/status", undefined);
  }
}

test("a console comes on the air and is told what a service would tell it", async () => {
  const c = await Console.at(quiet);
  expect(c.links).toEqual(["connected as -1"]);
  const config: ConfigBody = await c.link.request("GET /radio/dispatch/config", undefined);
  expect(config.zones.flatMap((z) => z.channels).map((x) => x.name)).toContain("LSPD DISP");
  expect(await c.link.send("setSpeakerChannel", "154.755")).toMatchObject({ success: true });
  c.link.socket.emit("setTalking", { state: true, frequency: "154.755" });
  const talking = await c.told("that it talks", (e) => e.name === "talkingState" && e.payload.serverId === -1);
  expect(talking.payload).toEqual({ serverId: -1, frequency: "154.755", state: true });
  await expect(c.control.deed({ do: "talk", for: 5 }, 7)).rejects.toThrow("The channel is busy");
  expect((await c.status()).channels["154.755"]!.activeTalkers).toEqual([-1]);
  await expect.poll(() => c.control.view.units.map((u) => [u.id, u.channel])).toEqual([[7, "154.755"]]);
});

test("a refusal has the radio's words", async () => {
  const c = await Console.at(quiet);
  const failed = await c.link.send("setSpeakerChannel", "1.5").catch((e: unknown) => e);
  expect(failed).toBeInstanceOf(Refusal);
  expect((failed as Refusal).message).toBe("Channel not found");
  await expect(c.link.request("POST /api/patch/create", { frequencies: ["154.755"] })).rejects.toThrow(Refusal);
});

test("a link that is cut comes back by itself with the id that it had", async () => {
  const c = await Console.at({ ...quiet, steps: [{ at: 1, do: "link", down: 3 }] });
  c.control.setRate(10);
  while (c.links.length < 3) await new Promise((give) => setTimeout(give, 10));
  expect(c.links).toEqual(["connected as -1", "disconnected", "connected as -1"]);
  expect((await c.status()).dispatchers.map((d) => d.serverId)).toEqual([-1]);
});

test("an invalid file is refused, and the running scenario goes on", async () => {
  const c = await Console.at(quiet);
  await expect(c.control.open('{"name":"x"}', "x.json")).rejects.toThrow("about");
  const lost = { ...quiet, units: [{ id: 7, name: "Ana", on: "NOWHERE" }] };
  await expect(c.control.open(JSON.stringify(lost), "lost.json")).rejects.toThrow("units[0].on");
  expect(c.links).toEqual(["connected as -1"]);
  // What only the core can tell comes after the running scenario has ended: it starts over.
  await expect(c.control.open(JSON.stringify({ ...quiet, radio: { zones: 5 } }), "radio.json")).rejects.toThrow(/^radio: /);
  expect((await c.status()).channels["154.755"]!.speakers).toEqual([7]);
  expect(c.links).toEqual(["connected as -1", "disconnected", "connected as -1"]);
});
