// The running service, the test page and the browser.
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build } from "vite";
import { speech } from "./speech.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** What dispatchers log in with, and what the game server calls the service with. */
export const nacId = "VOICE-TEST";
const master = "voice-test-master-token";

const config = `Config = {}
Config.authToken = "${master}"
Config.dispatchNacId = "${nacId}"
Config.adminPassword = "voice-test-admin"
Config.webrtc = { udpPort = 0, tcpPort = 0, publicAddress = "" }
Config.signal = { noise = 100, dropouts = 0, sites = { { x = 0, y = 0, range = 1000 } } }
Config.zones = { { name = "Test", Channels = {
  { name = "PATROL", type = "conventional", frequency = "154.755" },
  { name = "FIRE", type = "conventional", frequency = "154.280" },
  { name = "SHERIFF", type = "digital", frequency = "460.250" },
} } }
`;

/** SQUELCH_ENGINE=pion runs the tests on the other engine, "just test-long" does. */
const engine = process.env.SQUELCH_ENGINE ? `\nConfig.webrtc.engine = "${process.env.SQUELCH_ENGINE}"\n` : "";

/** folder is a temporary one that goes away with the test. */
export function folder(t) {
  const dir = mkdtempSync(join(tmpdir(), "squelch-voice-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function built(program) {
  const made = spawnSync("go", ["build", "-o", program, "./server"], { cwd: root, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`go build: ${made.stderr}`);
  return program;
}

/** Service is the real program in a folder of its own; it can be ended and started again on the same port. */
export class Service {
  url = "";
  #child = null;

  /** more: lines for the end of its configuration. */
  constructor(dir, more = "") {
    this.dir = dir;
    this.program = process.env.SQUELCH_BIN ?? built(join(dir, "squelch"));
    writeFileSync(join(dir, "config.lua"), config + more + engine);
  }

  static async start(t, dir, more = "") {
    const s = new Service(dir, more);
    t.after(() => s.stop());
    await s.start();
    return s;
  }

  async start() {
    const listen = this.url === "" ? "127.0.0.1:0" : new URL(this.url).host;
    const child = spawn(this.program, ["serve", "--config", join(this.dir, "config.lua"), "--data", join(this.dir, "data"), "--listen", listen]);
    this.#child = child;
    let said = "";
    this.url = await new Promise((resolve, reject) => {
      const hear = (text) => {
        said += text;
        const at = /on the air at (http:\/\/[^ ]+)/.exec(said);
        if (at) resolve(at[1]);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("exit", (code) => reject(new Error(`the service ended (${code}): ${said}`)));
    });
  }

  /** api asks something as the game server does. */
  async api(path, body) {
    const answer = await fetch(this.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${master}` },
      body: JSON.stringify(body),
    });
    return answer.json();
  }

  /** player is api for what the game server says of players; it must succeed. */
  async player(path, body) {
    const said = await this.api(`/api/player/${path}`, body);
    if (!said.success) throw new Error(`${path}: ${JSON.stringify(said)}`);
    return said;
  }

  /** decodeIMBE gives the loudness of 11-byte frames, RMS per 10 ms, by the program's own decoder. */
  decodeIMBE(frames) {
    const made = spawnSync(this.program, ["imbe", "decode"], { input: frames });
    if (made.status !== 0) throw new Error(`imbe decode: ${made.stderr}`);
    const loudness = [];
    for (let at = 0; at + 160 <= made.stdout.length; at += 160) {
      let sum = 0;
      for (let i = at; i < at + 160; i += 2) sum += (made.stdout.readInt16LE(i) / 32768) ** 2;
      loudness.push(Math.sqrt(sum / 80));
    }
    return loudness;
  }

  /** stop ends it, by default in an orderly way; other signals make it a crash. */
  stop(signal = "SIGTERM") {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    return new Promise((done) => child.once("exit", done).kill(signal));
  }
}

/** login returns what a dispatcher's socket needs. */
export async function login(url, callsign, serverId) {
  const answer = await fetch(`${url}/radio/dispatch/auth`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ nacId, callsign }),
  });
  const body = await answer.json();
  if (!body.success) throw new Error(`login of ${callsign}: ${JSON.stringify(body)}`);
  return { authToken: body.authToken, sessionId: body.sessionId, serverId };
}

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css" };
// The policy under which the service serves its panel; sockets go elsewhere here.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; media-src 'self' blob:; connect-src 'self' ws: wss:";

/** page builds a page, by default that of the tests, and serves it under the panel's content security policy. alias: names of folders in its imports. */
export async function page(t, dir, source = fileURLToPath(new URL(".", import.meta.url)), alias = {}) {
  const out = join(dir, "page");
  await build({
    configFile: false,
    root: source,
    logLevel: "error",
    resolve: { alias },
    build: { outDir: out, target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  });
  const server = createServer((request, response) => {
    const name = request.url === "/" ? "/index.html" : request.url;
    try {
      const body = readFileSync(join(out, name));
      response.writeHead(200, { "content-type": types[extname(name)] ?? "text/plain", "content-security-policy": policy });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

/** browser is Chromium whose microphone hears the speech. */
export async function browser(t, dir, ...flags) {
  const wav = join(dir, "speech.wav");
  writeFileSync(wav, speech());
  const b = await chromium.launch({
    executablePath: browserPath,
    headless: false,
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-fake-ui-for-media-stream",
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-audio-capture=${wav}`,
      "--autoplay-policy=no-user-gesture-required",
      ...flags,
    ],
  });
  t.after(() => b.close());
  return b;
}
