// The game server: resources, players, permissions, convars, the network and HTTP.
import fs from "node:fs";
import path from "node:path";
import { Aces } from "./aces.mjs";
import { GameClient } from "./client.mjs";
import { Convars } from "./convars.mjs";
import { HttpClient } from "./http.mjs";
import { readManifest } from "./manifest.mjs";
import { serverNatives } from "./natives-server.mjs";
import { Bucket, limits, Meter } from "./netlimits.mjs";
import { Side } from "./side.mjs";
import { StateBags } from "./statebags.mjs";
import { pack, Packed, unpack } from "./wire.mjs";
import { World } from "./world.mjs";

/** Player is somebody on the server; with a client, their game runs too. */
export class Player {
  received = []; // {name, args} of net events, when no client takes them
  client = null;
  ping = 40;

  constructor(id, name, identifiers, ped, now) {
    Object.assign(this, { id, name, identifiers, ped, meter: new Meter(now), bagWrites: new Bucket(limits.bagWrites, now) });
  }

  get principals() {
    return [...this.identifiers.map((each) => `identifier.${each}`), `player.${this.id}`];
  }
}

export class GameServer extends Side {
  known = new Map(); // resource -> its manifest
  players = new Map();
  aces = new Aces();
  convars = new Convars();
  commands = new Map();
  bags = new StateBags();
  world = new World();
  http = new HttpClient();
  aceProbes = 0;
  ignored = 0; // net events beyond a limit
  #lastId = 0;
  #lastRequest = 0;
  #arrived = []; // net events that wait for the tick

  constructor({ open, clock, console, clientConsole, truth }) {
    super({ kind: "server", open, clock, console, natives: serverNatives });
    Object.assign(this, { clientConsole, truth });
  }

  // ---- resources

  /** add makes a folder known under its resource's name. */
  async add(name, folder) {
    this.known.set(name, await readManifest(name, folder));
  }

  async start(name) {
    const manifest = this.manifest(name);
    if (!manifest) throw new Error(`Couldn't find resource ${name}.`);
    if (this.runtimes.has(name)) return;
    for (const dependency of manifest.dependencies) {
      if (dependency.startsWith("/")) continue; // a constraint on the server: OneSync is on, its version new
      await this.start(dependency);
    }
    if (!this.emit("onResourceStarting", [name])) return;
    await this.launch(manifest);
    this.emit("onResourceStart", [name]);
    this.later(() => this.emit("onServerResourceStart", [name]));
    for (const { client } of this.players.values()) await client?.start(manifest);
  }

  stop(name) {
    if (!this.runtimes.has(name)) return;
    this.emit("onResourceStop", [name]);
    this.halt(name);
    this.later(() => this.emit("onServerResourceStop", [name]));
    for (const { client } of this.players.values()) client?.stop(name);
  }

  async restart(name) {
    this.stop(name);
    this.tick();
    await this.start(name);
  }

  forget(name) {
    this.bags.forget(name);
    for (const [command, { resource }] of this.commands) if (resource === name) this.commands.delete(command);
  }

  manifest(name) {
    return this.known.get(name);
  }

  resourceState(name) {
    if (this.runtimes.has(name)) return "started";
    return this.known.has(name) ? "stopped" : "missing";
  }

  readResource(name, file) {
    const manifest = this.manifest(name);
    const at = manifest && path.join(manifest.folder, file);
    return at && !file.includes("..") && fs.existsSync(at) ? fs.readFileSync(at) : null;
  }

  // ---- console

  /** exec runs lines of a server.cfg. */
  async exec(lines) {
    for (const line of lines.split("\n")) {
      const words = [...line.replace(/^\s*#.*/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
      const [command, ...args] = words;
      if (!command) continue;
      const run = {
        ensure: ([name]) => (this.runtimes.has(name) ? this.restart(name) : this.start(name)),
        start: ([name]) => this.start(name),
        stop: ([name]) => this.stop(name),
        restart: ([name]) => this.restart(name),
        set: ([name, value]) => this.convars.set(name, value),
        sets: ([name, value]) => this.convars.set(name, value),
        setr: ([name, value]) => this.convars.set(name, value, true),
        add_ace: (rest) => this.aces.add(...rest),
        remove_ace: ([principal, object]) => this.aces.remove(principal, object),
        add_principal: ([child, parent]) => this.aces.inherit(child, parent),
        remove_principal: ([child, parent]) => this.aces.disinherit(child, parent),
        add_convar_permission: ([resource, verb, name]) => this.convars.permit(resource, verb, name),
      }[command];
      if (run) await run(args);
      else this.execute(line);
    }
  }

  /** execute runs a command that a resource registered; source 0 is the console. */
  execute(line, source = 0) {
    const [name, ...args] = line.trim().split(/\s+/);
    const command = this.commands.get(name.toLowerCase());
    if (!command) return this.console.print("console", `No such command ${name}.`);
    if (source > 0 && command.restricted && !this.aces.anyAllowed(this.players.get(source).principals, `command.${name}`)) {
      return this.console.print("console", `Access denied for command ${name}.`);
    }
    this.invoke(command.handler, [source, args, line]);
  }

  convar(runtime, name) {
    return this.convars.get(runtime.name, name);
  }

  // ---- players

  player(id) {
    return this.players.get(Number(id));
  }

  /** join lets somebody in. With `client: true` their game runs the resources, too. */
  async join({ name = "Player", id = this.#lastId + 1, identifiers = [`license:${id.toString(16).padStart(40, "0")}`], position, client = false, spawned = true } = {}) {
    this.#lastId = Math.max(this.#lastId, id);
    const ped = spawned ? this.world.add({ kind: "ped", ...(position && { position }) }) : 0;
    const player = new Player(id, name, identifiers, ped, this.clock.now());
    this.players.set(id, player);
    this.emit("playerJoining", [`${65536 + id}`], `internal-net:${id}`);
    if (client) {
      player.client = new GameClient(this, player);
      for (const name of this.runtimes.keys()) await player.client.start(this.manifest(name));
    }
    return player;
  }

  drop(id, reason = "Exiting") {
    const player = this.players.get(id);
    if (!player) return;
    this.emit("playerDropped", [reason, "", 1], `internal-net:${id}`);
    this.players.delete(id);
    this.world.remove(player.ped);
    this.bags.drop(`player:${id}`);
    player.dropped = reason;
    player.client?.close();
  }

  // ---- network

  /** receive takes a net event from a player's client, whoever wrote that client. */
  receive(player, name, payload) {
    if (!this.players.has(player.id)) return;
    const verdict = player.meter.judge(payload.length + name.length, this.clock.now());
    if (verdict === "pass") this.#arrived.push([player, name, payload]);
    else if (verdict === "ignore") this.ignored++;
    else this.drop(player.id, verdict);
  }

  /** send is receive with plain values, for tests that speak as a client. */
  send(player, name, ...args) {
    this.receive(player, name, pack(args));
  }

  #deliver(name, payload, target) {
    for (const player of target === -1 ? this.players.values() : [this.player(target)]) {
      if (player?.client) player.client.receive(name, payload);
      else player?.received.push({ name, args: unpack(payload) });
    }
  }

  tick() {
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const [player, name, payload] of arrived) {
      if (this.players.has(player.id)) this.emit(name, payload, `net:${player.id}`);
    }
    super.tick();
  }

  carry(_, op, payload, args) {
    switch (op) {
      case "clientevent":
        this.#deliver(args[0], payload, Number(args[1]));
        return pack(null);
      case "bagset":
        this.setBag(args[0], args[1], payload, args[2]);
        return pack(null);
      case "bagget":
        return this.bags.get(args[0], args[1]);
    }
    throw new Error(`the server has no operation ${op}`);
  }

  setBag(bag, key, packed, replicated) {
    this.bags.set(bag, key, packed, replicated);
    if (replicated) for (const { client } of this.players.values()) client?.replicate(bag, key, packed);
  }

  tellBagChange(handler, bag, key, packed, replicated) {
    this.invoke(handler, [bag, key, new Packed(packed), 0, replicated]);
  }

  // ---- HTTP

  request(runtime, request) {
    const token = ++this.#lastRequest;
    this.http.request(request).then(({ status, body, headers, failure }) => {
      this.later(() => {
        if (this.runtimes.get(runtime.name) === runtime) runtime.enter("event", pack([token, status, body, headers, failure]), "__cfx_internal:httpResponse", "");
      });
    });
    return token;
  }

  close() {
    for (const id of [...this.players.keys()]) this.players.get(id).client?.close();
    super.close();
    this.http.close();
  }
}
