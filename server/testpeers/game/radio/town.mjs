// A game server with the resource as it is shipped, the operator's own resources beside
// it, players, a service, and dispatchers: all that the tests of this folder need.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Radio } from "../../e2e-radio.mjs";
import { Game } from "../game.mjs";
import { differences } from "./mirror.mjs";
import { Service } from "./service.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const shipped = process.env.GAME_RESOURCE ?? path.join(here, "../../../resource/radio");

// No test measures time with it: it ends a wait that would otherwise last for ever.
const patience = Number(process.env.PATIENCE ?? 60_000); // ms

/** Everything that the mirror must do after a break, it does within this many ms; polled up to ten times as long. */
export const within = 2000;

export class Town {
  static async open({ config = "", cfg = "", resources = [], radio = true, vm, service } = {}) {
    const town = new Town();
    town.service = service ?? (await Service.start(config));
    town.game = new Game({ clock: "machine", ...(vm && { vm }) });
    town.server = town.game.server;
    town.radio = new Radio(town.service.url, "websocket");
    await town.server.add("radio", shipped);
    for (const name of resources) await town.server.add(name, path.join(here, "resources", name));
    await town.server.exec(`set radio_token "${town.service.token}"\nadd_convar_permission radio read radio_token\nset radio_url "${town.service.url}"\n${cfg}`);
    town.game.run();
    if (radio) await town.server.exec("ensure radio");
    for (const name of resources) await town.server.exec(`ensure ${name}`);
    return town;
  }

  /** until polls, and says what it waited for in vain. It returns how long it took, in ms. */
  async until(what, check, ms = patience) {
    const begun = performance.now();
    for (;;) {
      const result = await Promise.resolve().then(check).catch((failure) => {
        if (failure.message !== "fetch failed") throw failure;
        return "the service does not answer";
      });
      if (result === true) return performance.now() - begun;
      if (performance.now() - begun > ms) throw new Error(`waited in vain for ${what}: ${typeof result === "object" ? JSON.stringify(result) : result}\n${this.game.console.lines.slice(-12).join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** equal waits until the mirror equals the service's state; it returns the ms. */
  equal(what = "the mirror equals the state") {
    return this.until(what, async () => {
      const state = await this.service.state();
      const found = differences(this.server, state);
      return found.length === 0 ? true : found.slice(0, 5);
    }, within * 10);
  }

  call(name, ...args) {
    return this.server.call("radio", name, ...args)[0] ?? null;
  }

  /** registered waits until the service knows a player. */
  registered(...players) {
    return this.until(`the players ${players.map(({ id }) => id)}`, () => players.every(({ id }) => this.call("hasRadioAccess", id) !== null && this.call("getPlayerName", id) !== null));
  }

  /** handheld is a player's radio: a Socket.IO client with the token that the game server gave to that player. */
  async handheld(player, { frequency, reconnection = false } = {}) {
    const token = await this.token(player);
    const client = await this.radio.dial({ authToken: token, serverId: player.id }, { reconnection, reconnectionDelay: 100, reconnectionDelayMax: 200 }).ready();
    if (frequency) {
      await this.radio.tuned(client, frequency);
      client.socket.on("connect", () => client.emit("setSpeakerChannel", frequency)); // a handheld goes back to its channel
    }
    return client;
  }

  /** token is what a player's page gets for the second path, once it asks for it. */
  async token(player) {
    const again = 2100; // ms: sooner a hello is not heard
    let link, said = -Infinity;
    await this.until(`the link of player ${player.id}`, () => {
      if (performance.now() - said > again) {
        this.server.send(player, "radio:hello", { version: "test", nui: { path: "socket" } });
        said = performance.now();
      }
      link = player.received.findLast(({ name, args: [each] }) => name === "radio:link" && each.token);
      return link !== undefined;
    });
    return link.args[0].token;
  }

  dispatcher(id = -1, callsign = "DISP") {
    return this.radio.dispatcher(id, callsign);
  }

  async close() {
    this.game.close();
    for (const client of this.radio.clients) client.socket.disconnect();
  }
}
