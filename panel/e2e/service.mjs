// The service of the browser tests: the real program, on a free port, in a folder of its own.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

export const masterToken = "master-token-of-the-browser-tests";
export const nacId = "desk-of-the-browser-tests";

const program = process.env.SQUELCH_BIN;
if (!program) throw new Error("SQUELCH_BIN must name the program to test; 'npm run e2e' builds it and sets it");

/** A running service that can be stopped and started again on the same port. */
export class Service {
  data = mkdtempSync(join(tmpdir(), "squelch-panel-"));
  config = join(here, "config.lua");
  /** More arguments for serve. */
  more = [];
  /** The program that is run. */
  program = program;
  url = "";
  #child = null;
  #log = "";
  #cad = null;

  static async start(options = {}) {
    const s = Object.assign(new Service(), options);
    await s.start();
    return s;
  }

  async start() {
    const listen = this.url ? new URL(this.url).host : "127.0.0.1:0";
    const child = spawn(this.program, ["serve", "--config", this.config, "--data", this.data, "--listen", listen, ...this.more]);
    this.#child = child;
    const line = new Promise((give, fail) => {
      const hear = (b) => {
        this.#log += b;
        const at = /on the air at (http:\/\/\S+)/.exec(this.#log.slice(-2000));
        if (at) give(at[1]);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", (b) => (this.#log += b));
      child.on("exit", (code) => fail(new Error(`the service ended with ${code}:\n${this.#log}`)));
    });
    this.#log = "";
    this.url = await line;
  }

  get pid() {
    return this.#child.pid;
  }

  /** stop ends it with a signal; SIGKILL is a crash, without goodbyes. */
  async stop(signal = "SIGTERM") {
    const child = this.#child;
    if (!child) return;
    this.#child = null;
    child.removeAllListeners("exit");
    const ended = new Promise((give) => child.once("exit", give));
    child.kill("SIGCONT"); // it may be frozen
    child.kill(signal);
    await ended;
  }

  /** freeze stops the service, as on a machine without time for it, until it is thawed. */
  freeze() {
    this.#child.kill("SIGSTOP");
  }

  thaw() {
    this.#child.kill("SIGCONT");
  }

  async end() {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** A REST call with the master token, as the game server makes them. */
  async post(path, body) {
    const answer = await fetch(this.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${masterToken}` },
      body: JSON.stringify(body),
    });
    const reply = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${reply.error}`);
    return reply;
  }

  /** The radio as an integration sees it. */
  status() {
    return this.dispatch("/radio/dispatch/status");
  }

  /** A REST call of an integration that is signed in as a dispatcher. */
  async dispatch(path, body) {
    const login = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ nacId, callsign: "CAD" }) };
    this.#cad ??= await (await fetch(`${this.url}/radio/dispatch/auth`, login)).json();
    const headers = { Authorization: `Bearer ${this.#cad.authToken}`, "X-Session-Id": this.#cad.sessionId };
    const more = body && { method: "POST", body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json" } };
    return (await fetch(this.url + path, { headers, ...more })).json();
  }

  /** The newest entries of the audit log, as an administrator reads them. */
  async audit() {
    const login = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ password: "admin-of-the-browser-tests" }) };
    const cookie = (await fetch(`${this.url}/admin/api/login`, login)).headers.get("set-cookie").split(";")[0];
    return (await fetch(`${this.url}/admin/api/audit`, { headers: { Cookie: cookie } })).json();
  }
}
