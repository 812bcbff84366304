// A game server with the resource as it is shipped and the handbook's examples beside
// it, and a player whose page is in the game's browser. Nothing stands in for the radio:
// only the game around it is simulated, and the framework of the operator's scripts.
import dns from "node:dns";
import { fileURLToPath } from "node:url";
import { Game } from "../../../server/testpeers/game/game.mjs";
import { until } from "../wait.mjs";
import { open } from "./browser.mjs";

const root = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The name of the machine with the service. */
export const host = "radio.test";

// Names lead here as they do in the browsers.
const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(name === host ? "127.0.0.1" : name, ...rest);

export class Town {
  /** frameworks are stand-ins of the simulator's tests, scripts the handbook's examples. */
  static async open(t, { url, token, frameworks, scripts, cfg }) {
    const town = new Town();
    town.game = new Game({ clock: "machine" });
    town.server = town.game.server;
    t.after(() => town.game.close());
    await town.server.add("radio", root("server/resource/radio"));
    for (const name of frameworks) await town.server.add(name, root(`server/testpeers/game/radio/resources/${name}`));
    for (const name of scripts) await town.server.add(name, root(`handbook/examples/${name}`));
    await town.server.exec(`set radio_token "${token}"\nadd_convar_permission radio read radio_token\nset radio_url "${url}"\n${cfg}`);
    town.game.run();
    for (const name of [...frameworks, "radio", ...scripts]) await town.server.exec(`ensure ${name}`);
    return town;
  }

  /** What an export of another resource answers. */
  call(resource, name, ...args) {
    return this.server.call(resource, name, ...args)[0] ?? null;
  }

  /** printed are the last lines of both consoles, for whoever waits in vain. */
  get printed() {
    return [...this.game.console.lines.slice(-8), ...this.game.clientConsole.lines.slice(-8)].join("\n");
  }
}

/** A player on the server, with the page in a browser. */
export class Player {
  #page; // the simulator's, since the browser's page said that it is ready
  #waiting = []; // messages of Lua
  #opened;
  #delivered = new Promise((opened) => (this.#opened = opened));

  static async join(t, town, { wav, ...more }) {
    const p = new Player();
    Object.assign(p, await town.server.join({ ...more, client: true }));
    p.town = town;
    p.ped = town.server.world.get(p.ped);
    Object.assign(p, await open(t, "103", wav, (name, data) => p.#called(name, data), (file) => p.#file(file)));
    p.#opened();
    await p.#ready();
    return p;
  }

  /** A page listens from ready on; what came before is lost, as in the game. */
  async #called(name, data) {
    const page = this.client.pages.get("radio");
    if (name === "ready") {
      this.#page = page;
      page.listen((message) => this.#deliver(message));
    }
    if (page !== this.#page) return {}; // with its resource the game would have ended this page
    return page.post(name, data).catch(() => undefined); // no such callback
  }

  #file(path) {
    return this.client.pages.get("radio")?.file(path.slice(1)) ?? null;
  }

  #deliver(message) {
    this.#waiting.push(message);
    if (this.#waiting.length > 1) return;
    this.#delivered = this.#delivered.then(() => {
      const all = this.#waiting;
      this.#waiting = [];
      return this.tab.evaluate((messages) => messages.forEach((m) => window.postMessage(m, "*")), all);
    });
  }

  #ready() {
    return until("the page is ready", () => this.#page !== undefined && this.#page === this.client.pages.get("radio"));
  }

  /** again is what the game does after a restart of the resource: a page of its own for it. */
  async again() {
    await this.#delivered;
    await this.tab.goto(this.address);
    await this.#ready();
  }

  /** types is a line in the chat or the F8 console. */
  types(line) {
    this.client.execute(line);
  }

  press(key) {
    this.client.keys.press(key);
  }

  release(key) {
    this.client.keys.release(key);
  }

  /** part is what stands in a part of the page; null: there is no such part. */
  part(name) {
    return this.tab.evaluate((p) => document.querySelector(`[data-part=${p}]`)?.textContent.replace(/\s+/g, " ").trim() ?? null, name);
  }

  /** shows waits until a part of the page says something. */
  async shows(name, words) {
    let is;
    await until(() => `the page's ${name} says ${words}, not ${is}\n${this.town.printed}`, async () => words.test((is = await this.part(name)) ?? ""));
  }

  /** clicks a button by its name, with the mouse. */
  async clicks(label) {
    const { mouse } = this.tab;
    const at = await until(`a button ${label}, drawn and still`, () =>
      this.tab.evaluate((l) => {
        if (document.getAnimations().some((a) => a.playState !== "finished")) return null;
        const r = document.querySelector(`[aria-label^="${l}"]`)?.getBoundingClientRect();
        return r && { x: r.x + r.width / 2, y: r.y + r.height / 2 };
      }, label));
    await mouse.move(at.x, at.y);
    await mouse.down();
    await mouse.up();
  }
}
