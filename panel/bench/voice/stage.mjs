// The service, the browser and the page of the voice bench.
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, login, page, Service } from "../../e2e/voice/service.mjs";
import { speech } from "../../e2e/voice/speech.mjs";
import { until } from "../../e2e/wait.mjs";
import { Network } from "./network.mjs";
import { decode } from "./waveform.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A UDP port that is free now. */
async function freePort() {
  const s = createSocket("udp4");
  await new Promise((done) => s.bind(0, "127.0.0.1", done));
  const { port } = s.address();
  await new Promise((done) => s.close(done));
  return port;
}

/** Stage is one version of the service and the console, and the browser that both are measured in. */
export class Stage {
  #ends = [];

  after(end) {
    this.#ends.unshift(end);
  }

  /** program is the service's, checkout where the console's source is. */
  static async open({ program = process.env.SQUELCH_BIN, checkout = root } = {}) {
    const s = new Stage();
    const dir = mkdtempSync(join(tmpdir(), "squelch-voice-bench-"));
    s.after(() => rmSync(dir, { recursive: true, force: true }));
    s.media = await freePort();
    s.service = new Service(dir, `Config.timeoutTimer = 0\nConfig.webrtc.udpPort = ${s.media}\nConfig.limits = { socketsPerAddress = 200 }\n`);
    if (program) s.service.program = program;
    s.after(() => s.service.stop());
    await s.service.start();
    s.site = await page(s, dir, fileURLToPath(new URL("page/", import.meta.url)), { "#console": join(checkout, "panel/src") });
    // As people talk, and without any pause, for bursts that are shorter than a pause.
    writeFileSync(join(dir, "page", "speech.wav"), speech());
    writeFileSync(join(dir, "page", "dense.wav"), speech(0));
    s.browser = await browser(s, dir);
    return s;
  }

  async close() {
    for (const end of this.#ends) await end();
  }

  /** scene opens a fresh page with two consoles; each has its own network. before: what the networks do from the start. */
  async scene({ material = "speech.wav", releaseDelay = 0, before = () => undefined } = {}) {
    const scene = new Scene();
    scene.talker = await Network.open(this.media);
    scene.listener = await Network.open(this.media);
    before(scene);
    scene.context = await this.browser.newContext();
    const tab = (scene.tab = await scene.context.newPage());
    tab.on("pageerror", (e) => console.error(`page: ${e.stack ?? e}`));
    await tab.goto(this.site);
    await tab.waitForFunction(() => window.open_ !== undefined);
    const seat = async (callsign, id, network) => ({ url: this.service.url, auth: await login(this.service.url, callsign, id), port: network.port, releaseDelay });
    await tab.evaluate(([t, l, m]) => window.open_(t, l, m), [await seat("Talker", -11, scene.talker), await seat("Listener", -12, scene.listener), material]);
    return scene;
  }
}

/** Scene is a talker and a listener, and a network for each. */
export class Scene {
  /** Both are on the air, over WebRTC. */
  async connected() {
    await this.start();
    await until("both have WebRTC", async () => (await this.planes()).every((p) => p === "webrtc"));
  }

  start() {
    return this.tab.evaluate(() => window.bench.start());
  }

  planes() {
    return this.tab.evaluate(() => window.bench.planes);
  }

  /** read lets the reader speak from a place in the material, s. */
  read(from) {
    return this.tab.evaluate((f) => window.bench.read(f), from);
  }

  async record() {
    this.talker.reset();
    this.listener.reset();
    await this.tab.evaluate(() => window.bench.record());
  }

  /** What was recorded: the graph, and the tracks (null: no slot had voice, or more than one; slots says how many). */
  async take() {
    const { graph, track, slots } = await this.tab.evaluate(() => window.bench.take());
    const all = (r) => r && Object.fromEntries(Object.entries(r).map(([name, recorded]) => [name, decode(recorded)]));
    return { graph: all(graph), track: all(track), slots };
  }

  async close() {
    await this.context.close();
    this.talker.close();
    this.listener.close();
  }
}
