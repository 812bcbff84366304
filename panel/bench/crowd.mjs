// A busy county on one panel: 160 channels, 24 talkers. Prints how long frames take
// and how much audio had to be concealed: SQUELCH_BIN=… npm run bench
// With --minutes N it goes on that long, says whether memory is flat, and exits with
// 1 if it is not (just soak).
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

const frequency = (i) => (150 + i * 0.0125).toFixed(4);
const service = new Service();
service.config = join(mkdtempSync(join(tmpdir(), "squelch-county-")), "config.lua");
const rows = Array.from({ length: channels }, (_, i) => `{ name = "CH ${i}", type = "conventional", frequency = "${frequency(i)}" }`);
writeFileSync(
  service.config,
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
await service.start();
const browser = await startBrowser();
const desk = await Desk.open(browser, service, null, {}, (page) =>
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
const { page } = desk;
await page.getByLabel("NAC id").fill(nacId);
await page.getByLabel("Callsign").fill("COUNTY");
await page.getByRole("button", { name: "Log in" }).click();
await page.locator("[data-part=voice]", { hasText: "WebRTC" }).waitFor();
for (let i = 0; i < 8; i++) await page.getByRole("button", { name: `Scan CH ${i}`, exact: true }).click();

const radios = [];
for (let i = 0; i < talkers; i++) {
  const r = await Radio.connect(service, i + 1, `Unit ${i}`);
  await r.send("setSpeakerChannel", frequency(i));
  radios.push(r);
}
// Each talks for two seconds and pauses for one, not all at once. They send Opus
// frames of 20 ms in which any bits mean some noise: the service, the browser and the
// recall's tape work as they do for speech.
const packets = Array.from({ length: 16 }, (_, n) => {
  const bits = Array.from({ length: 60 }, (_, i) => (n * 151 + i * i * 37 + i * 11) & 0xff);
  return Buffer.from([0xf8, ...bits]).toString("base64");
});
let tick = 0;
const talking = setInterval(() => {
  tick++;
  radios.forEach((r, i) => {
    const phase = (tick + i * 6) % 150;
    if (phase === 0) r.socket.emit("setTalking", true);
    if (phase < 100) r.socket.emit("voice", { data: packets[(tick + i) % packets.length] });
    if (phase === 100) r.socket.emit("setTalking", false);
  });
}, 20);

const devtools = await page.context().newCDPSession(page);
await devtools.send("Performance.enable");

/** The page's own work in ms so far: unlike frames it does not depend on what else the machine does. */
async function work() {
  const { metrics } = await devtools.send("Performance.getMetrics");
  const ms = (name) => 1000 * (metrics.find((m) => m.name === name)?.value ?? 0);
  return { script: ms("ScriptDuration"), layout: ms("LayoutDuration") + ms("RecalcStyleDuration"), task: ms("TaskDuration") };
}

/** Measures frame times over some seconds, and what the browser concealed meanwhile. */
async function measure(seconds) {
  const before = await work();
  const m = await watch(seconds);
  const after = await work();
  const per = (key) => ((after[key] - before[key]) / m.frames).toFixed(2);
  return { ...m, script: per("script"), layout: per("layout"), task: per("task") };
}

async function watch(seconds) {
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
    const part = (p) => frames[Math.min(frames.length - 1, Math.floor(frames.length * p))].toFixed(1);
    return {
      frames: frames.length, p50: part(0.5), p95: part(0.95), p99: part(0.99), longest: part(1),
      concealed: (100 * (after.concealed - before.concealed)) / Math.max(1, after.received - before.received),
    };
  }, seconds * 1000);
}

const print = (m) =>
  console.log(
    `${channels} channels, ${talkers} talkers: ${m.frames} frames, p50 ${m.p50} ms, p95 ${m.p95}, p99 ${m.p99}, longest ${m.longest}; ` +
      `per frame: script ${m.script} ms, style and layout ${m.layout}, all tasks ${m.task}; ` +
      `concealed ${m.concealed.toFixed(2)} % of samples`,
  );

await measure(3); // the first seconds go into compiling
print(await measure(15));
let flat = true;
if (minutes > 0) {
  const memory = new Memory(devtools, service.pid, radios);
  await memory.settle();
  await memory.watch(minutes * 60);
  print(await measure(15));
  flat = memory.verdict();
}

clearInterval(talking);
for (const r of radios) r.close();
await browser.close();
await service.end();
rmSync(dirname(service.config), { recursive: true });
if (desk.complaints.length > 0) console.log(desk.complaints.slice(0, 5).join("\n"));
process.exit(flat ? 0 : 1);
