// A busy county on one panel: 160 channels, 24 talkers. Prints how long frames take
// and how much audio had to be concealed: SQUELCH_BIN=… npm run bench
// With --minutes N it goes on that long, says whether memory is flat, and exits with
// 1 if it is not (just soak).
// With --first PROGRAM, built from a checkout with the first console, it measures that
// console too, alternately, and prints how this one compares.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Desk, startBrowser } from "../e2e/browser.mjs";
import { Radio } from "../e2e/radio.mjs";
import { masterToken, nacId, Service } from "../e2e/service.mjs";
import { Memory } from "./memory.mjs";

const channels = 160;
const talkers = 24;
const at = process.argv.indexOf("--minutes");
const minutes = at > 0 ? Number(process.argv[at + 1]) : 0;
if (!(minutes >= 0)) throw new Error(`--minutes: "${process.argv[at + 1]}" is no number of minutes`);

const former = process.argv.indexOf("--first") > 0 ? process.argv[process.argv.indexOf("--first") + 1] : null;
/** What the two consoles call what is pressed here. */
const words = {
  first: { code: "NAC id", monitor: "Scan" },
  second: { code: "Access code (NAC ID)", monitor: "Monitor" },
};

const frequency = (i) => (150 + i * 0.0125).toFixed(4);
const config = join(mkdtempSync(join(tmpdir(), "squelch-county-")), "config.lua");
const rows = Array.from({ length: channels }, (_, i) => `{ name = "CH ${i}", type = "conventional", frequency = "${frequency(i)}" }`);
writeFileSync(
  config,
  `Config = {}
Config.authToken = "${masterToken}"
Config.dispatchNacId = "${nacId}"
Config.adminPassword = "admin-of-the-browser-tests"
Config.webrtc = { udpPort = 0 }
Config.limits = { socketsPerAddress = 200 }
Config.timeoutTimer = 0
Config.zones = { { name = "County", Channels = { ${rows.join(",\n")} } } }
`,
);

// Each talks for two seconds and pauses for one, not all at once. They send Opus
// frames of 20 ms in which any bits mean some noise: the service, the browser and the
// recall's tape work as they do for speech.
const packets = Array.from({ length: 16 }, (_, n) => {
  const bits = Array.from({ length: 60 }, (_, i) => (n * 151 + i * i * 37 + i * 11) & 0xff);
  return Buffer.from([0xf8, ...bits]).toString("base64");
});

/** A county with its service, its talkers, and a console that listens to eight of them. */
class County {
  static async open(kind, program) {
    const c = new County();
    const { code, monitor } = words[kind];
    c.service = new Service();
    c.service.config = config;
    if (program) c.service.program = program;
    await c.service.start();
    c.browser = await startBrowser();
    c.desk = await Desk.open(c.browser, c.service, null, {}, (page) =>
      page.addInitScript(() => {
        window.peers = [];
        const Real = window.RTCPeerConnection;
        window.RTCPeerConnection = class extends Real {
          constructor(...given) {
            super(...given);
            window.peers.push(this);
          }
        };
      }),
    );
    c.page = c.desk.page;
    await c.page.getByLabel(code).fill(nacId);
    await c.page.getByLabel("Callsign").fill("COUNTY");
    await c.page.getByRole("button", { name: /^(Sign|Log) in$/ }).click();
    await c.page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor({ state: "attached" });
    for (let i = 0; i < 8; i++) await c.page.getByRole("button", { name: `${monitor} CH ${i}`, exact: true }).click();
    c.radios = [];
    for (let i = 0; i < talkers; i++) {
      const r = await Radio.connect(c.service, i + 1, `Unit ${i}`);
      await r.send("setSpeakerChannel", frequency(i));
      c.radios.push(r);
    }
    let tick = 0;
    c.talking = setInterval(() => {
      tick++;
      c.radios.forEach((r, i) => {
        const phase = (tick + i * 6) % 150;
        if (phase === 0) r.socket.emit("setTalking", true);
        if (phase < 100) r.socket.emit("voice", { data: packets[(tick + i) % packets.length] });
        if (phase === 100) r.socket.emit("setTalking", false);
      });
    }, 20);
    c.devtools = await c.page.context().newCDPSession(c.page);
    await c.devtools.send("Performance.enable");
    return c;
  }

  /** The page's own work in ms so far: unlike frames it does not depend on what else the machine does. */
  async work() {
    const { metrics } = await this.devtools.send("Performance.getMetrics");
    const ms = (name) => 1000 * (metrics.find((m) => m.name === name)?.value ?? 0);
    return { script: ms("ScriptDuration"), layout: ms("LayoutDuration") + ms("RecalcStyleDuration"), task: ms("TaskDuration") };
  }

  /** Measures frame times over some seconds, and what the browser concealed meanwhile. */
  async measure(seconds) {
    const before = await this.work();
    const m = await watch(this.page, seconds);
    const after = await this.work();
    const per = (key) => (after[key] - before[key]) / m.frames;
    return { ...m, script: per("script"), layout: per("layout"), task: per("task") };
  }

  async close() {
    clearInterval(this.talking);
    for (const r of this.radios) r.close();
    await this.browser.close();
    await this.service.end();
    if (this.desk.complaints.length > 0) console.log(this.desk.complaints.slice(0, 5).join("\n"));
  }
}

function watch(page, seconds) {
  return page.evaluate(async (ms) => {
    const stats = async () => {
      let concealed = 0;
      let received = 0;
      for (const peer of window.peers) {
        for (const s of (await peer.getStats()).values()) {
          if (s.type !== "inbound-rtp") continue;
          concealed += (s.concealedSamples ?? 0) - (s.silentConcealedSamples ?? 0);
          received += s.totalSamplesReceived ?? 0;
        }
      }
      return { concealed, received };
    };
    const before = await stats();
    const frames = [];
    await new Promise((done) => {
      const start = performance.now();
      let last = start;
      const frame = (now) => {
        frames.push(now - last);
        last = now;
        if (now - start < ms) requestAnimationFrame(frame);
        else done();
      };
      requestAnimationFrame(frame);
    });
    const after = await stats();
    frames.sort((a, b) => a - b);
    const part = (p) => frames[Math.min(frames.length - 1, Math.floor(frames.length * p))];
    return {
      frames: frames.length, p50: part(0.5), p95: part(0.95), p99: part(0.99), longest: part(1),
      concealed: (100 * (after.concealed - before.concealed)) / Math.max(1, after.received - before.received),
    };
  }, seconds * 1000);
}

const print = (m, name = "") =>
  console.log(
    `${name}${channels} channels, ${talkers} talkers: ${m.frames} frames, p50 ${m.p50.toFixed(1)} ms, p95 ${m.p95.toFixed(1)}, p99 ${m.p99.toFixed(1)}, longest ${m.longest.toFixed(1)}; ` +
      `per frame: script ${m.script.toFixed(2)} ms, style and layout ${m.layout.toFixed(2)}, all tasks ${m.task.toFixed(2)}; ` +
      `concealed ${m.concealed.toFixed(2)} % of samples`,
  );

/** One county, measured: the first seconds go into compiling. */
async function once(kind, program) {
  const county = await County.open(kind, program);
  await county.measure(3);
  const m = await county.measure(15);
  await county.close();
  return m;
}

let flat = true;
if (former) {
  const got = { first: [], second: [] };
  for (let turn = 0; turn < 3; turn++) {
    for (const [kind, program] of [["first", former], ["second", undefined]]) {
      const m = await once(kind, program);
      got[kind].push(m);
      print(m, `${kind}: `);
    }
  }
  const middle = (kind, key) => got[kind].map((m) => m[key]).sort((a, b) => a - b)[1];
  for (const key of ["script", "layout", "task", "p99"])
    console.log(`${key}: ${middle("second", key).toFixed(2)} ms to ${middle("first", key).toFixed(2)} before, ratio ${(middle("second", key) / middle("first", key)).toFixed(2)} (median of 3)`);
} else {
  const county = await County.open("second");
  await county.measure(3);
  print(await county.measure(15));
  if (minutes > 0) {
    const memory = new Memory(county.devtools, county.service.pid, county.radios);
    await memory.settle();
    await memory.watch(minutes * 60);
    print(await county.measure(15));
    flat = memory.verdict();
  }
  await county.close();
}
rmSync(dirname(config), { recursive: true });
process.exit(flat ? 0 : 1);
