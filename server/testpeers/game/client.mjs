// One player's game: the client side of every resource, its pages, keys and map.
import { Keys } from "./keys.mjs";
import { Blips, clientNatives } from "./natives-client.mjs";
import { Page } from "./nui.mjs";
import { Side } from "./side.mjs";
import { StateBags } from "./statebags.mjs";
import { pack, Packed } from "./wire.mjs";
import { scope } from "./world.mjs";

const SERVER = 65535; // the source of what comes from the server

export class GameClient extends Side {
  commands = new Map();
  keys = new Keys(this);
  pages = new Map();
  bags = new StateBags();
  blips = new Blips();
  feed = []; // notifications above the map
  controls = new Set(); // that are held
  models = new Set(); // that are loaded
  animations = { requested: new Set(), playing: new Map() };
  hour = 12;
  paused = false;
  #arrived = [];

  constructor(server, player) {
    super({ kind: "client", open: server.open, clock: server.clock, console: server.clientConsole, natives: clientNatives });
    Object.assign(this, { server, player, world: server.world, truth: server.truth });
    for (const [bag, key, packed] of server.bags.all()) this.bags.set(bag, key, packed, true);
  }

  async start(manifest) {
    if (manifest.one("server_only") === "yes") return;
    if (manifest.one("ui_page")) this.pages.set(manifest.name, new Page(this, manifest));
    await this.launch(manifest);
    this.emit("onClientResourceStart", [manifest.name]);
    this.emit("onResourceStart", [manifest.name]);
  }

  stop(name) {
    if (!this.runtimes.has(name)) return;
    this.emit("onResourceStop", [name]);
    this.halt(name);
    this.later(() => this.emit("onClientResourceStop", [name]));
  }

  forget(name) {
    this.bags.forget(name);
    this.pages.delete(name);
    for (const [command, { resource }] of this.commands) if (resource === name) this.commands.delete(command);
  }

  page(name) {
    const page = this.pages.get(name);
    if (!page) throw new Error(`${name} has no ui_page`);
    return page;
  }

  keyboardTaken() {
    return [...this.pages.values()].some(({ focus }) => focus.keyboard && !focus.keepInput);
  }

  /** execute is a command typed by the player, with or without its slash. */
  execute(line) {
    const words = line.replace(/^\//, "").trim().split(/\s+/);
    const command = this.commands.get(words[0].toLowerCase());
    if (command) this.invoke(command.handler, [0, words.slice(1), line]);
    else this.server.execute(words.join(" "), this.player.id);
  }

  /** near is a player whom this client knows of. */
  near(id) {
    const other = this.server.players.get(id);
    if (!other || (other !== this.player && this.world.distance(this.player.ped, other.ped) > scope)) return undefined;
    return other;
  }

  manifest(name) {
    return this.server.manifest(name);
  }

  resourceState(name) {
    return this.runtimes.has(name) ? "started" : "missing";
  }

  convar(_, name) {
    return this.server.convars.replicated(name);
  }

  receive(name, payload) {
    this.#arrived.push([name, payload]);
  }

  replicate(bag, key, packed) {
    this.later(() => this.bags.set(bag, key, packed, true));
  }

  tellBagChange(handler, bag, key, packed, replicated) {
    this.invoke(handler, [bag, key, new Packed(packed), 0, replicated]);
  }

  tick() {
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const [name, payload] of arrived) this.emit(name, payload, `net:${SERVER}`);
    super.tick();
  }

  carry(_, op, payload, args) {
    switch (op) {
      case "serverevent":
        this.server.receive(this.player, args[0], payload);
        return pack(null);
      case "bagget":
        return this.bags.get(args[0], args[1]);
      case "bagset": {
        const [bag, key, replicated] = args;
        if (replicated && bag !== `player:${this.player.id}`) throw new Error(`a client may not write to ${bag}`);
        this.bags.set(bag, key, payload, replicated);
        if (replicated && this.player.bagWrites.take(1, this.clock.now())) this.server.setBag(bag, key, payload, true);
        return pack(null);
      }
    }
    throw new Error(`a client has no operation ${op}`);
  }
}
