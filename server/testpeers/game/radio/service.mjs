// The running program, started and killed by the Go test that runs these tests.
import fs from "node:fs";
import { MASTER } from "../../e2e-radio.mjs";

async function order(what, body) {
  const reply = await fetch(`${process.env.GAME_CONTROL}/${what}`, { method: "POST", body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`the service does not ${what}: ${await reply.text()}`);
  return reply.json();
}

export class Service {
  token = MASTER;

  static async start(config = "") {
    return Object.assign(new Service(), await order("start", { Config: config }));
  }

  /** of starts it with an operator's file as it is: only address and data folder are the test's. */
  static async of(file) {
    const [, token] = /authToken = ["'](.+?)["']/.exec(fs.readFileSync(file, "utf8"));
    return Object.assign(new Service(), await order("start", { File: file }), { token });
  }

  /** kill ends it without a word, as a crash does. */
  kill() {
    return order("kill", { Name: this.name });
  }

  /** again starts it on the same data and address. */
  again() {
    return order("again", { Name: this.name });
  }

  freeze() {
    return order("freeze", { Name: this.name });
  }

  thaw() {
    return order("thaw", { Name: this.name });
  }

  async log() {
    return (await order("log", { Name: this.name })).stderr;
  }

  /** ask makes a request as the game server does. */
  async ask(method, path, body) {
    const reply = await fetch(this.url + path, { method, headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" }, body: body && JSON.stringify(body) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  }

  /** state is the service's own view of its radio: what every mirror must equal. */
  async state() {
    const { state, next, epoch } = await this.ask("GET", "/api/game/changes");
    return { ...state, next, epoch };
  }

  async does(request) {
    const { results } = await this.ask("POST", "/api/game/do", { requests: [{ id: `test-${++Service.#last}`, ...request }] });
    return results[0];
  }
  static #last = 0;
}
