// Calls core.wasm in Chromium: node chromium.mjs core.wasm job.json. A job is
// { stretch, runs: [{ name, calls: [{ function, in }] }] }; the result, as JSON on
// stdout, is described in browser.go. The loader and the Worker are the panel's own
// sources, with their types stripped.

import { existsSync, readFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const panel = fileURLToPath(new URL("../../panel/", import.meta.url));
const require = createRequire(join(panel, "package.json"));

function need(name) {
  try {
    return require(name);
  } catch {
    console.error(`${name} is missing in panel/node_modules; run "just deps"`);
    process.exit(1);
  }
}

const ts = need("typescript");
const { chromium } = need("playwright-core");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(browserPath)) {
  console.error(`Chromium is missing at ${browserPath}: apt-get install chromium, or name it in CHROMIUM`);
  process.exit(1);
}

const [wasm, job] = process.argv.slice(2);

function script(name) {
  const source = readFileSync(join(panel, "src/link", name.replace(/\.js$/, ".ts")), "utf8");
  const plain = ts.transpileModule(source, { compilerOptions: { target: "ES2022", module: "ESNext", verbatimModuleSyntax: true } }).outputText;
  return plain.replaceAll(/(from "\.\/[\w-]+)"/g, '$1.js"'); // browsers need the full file name
}

const server = createServer((request, response) => {
  const send = (type, body) => response.writeHead(200, { "content-type": type }).end(body);
  if (request.url === "/") send("text/html", "<!doctype html><title>parity</title>");
  else if (request.url === "/core.wasm") send("application/wasm", readFileSync(wasm));
  else if (request.url === "/job.json") send("application/json", readFileSync(job));
  else if (/^\/wasm[\w-]*\.js$/.test(request.url)) send("text/javascript", script(request.url.slice(1)));
  else response.writeHead(404).end();
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

const profile = mkdtempSync(join(tmpdir(), "squelch-parity-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: browserPath,
  headless: false, // --headless=new is the real browser without a window
  args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  const page = await context.newPage();
  page.on("console", (m) => console.error(m.text()));
  page.on("pageerror", (e) => console.error(String(e)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const results = await page.evaluate(inPage);
  process.stdout.write(JSON.stringify(results) + "\n");
} finally {
  await context.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}

// inPage runs in the browser.
async function inPage() {
  const { RemoteCore } = await import("/wasm-remote.js");
  const { runs, stretch } = await (await fetch("/job.json")).json();
  const hex = (b) => Array.from(new Uint8Array(b), (x) => x.toString(16).padStart(2, "0")).join("");
  const digestOf = async (lines) => hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join(""))));
  const median = (l) => l.sort((a, b) => a - b)[Math.floor(l.length / 2)] ?? 0;
  const results = [];
  const began = performance.now();
  const core = await RemoteCore.open(new Worker("/wasm-worker.js", { type: "module" }), "/core.wasm");
  const start = performance.now() - began;
  for (const run of runs) {
    const digest = [];
    let last = "";
    const spent = []; // ms for each command, in stretches that make no radio
    for (let i = 0; i < run.calls.length; i += stretch) {
      const calls = run.calls.slice(i, i + stretch);
      const inputs = calls.map((c) => (c.in === undefined ? "" : JSON.stringify(c.in)));
      const before = performance.now();
      const answers = await Promise.all(calls.map((c, n) => core.call(c.function, inputs[n])));
      if (calls.every((c) => c.function !== "new")) spent.push((performance.now() - before) / calls.length);
      digest.push(await digestOf(answers.map((a) => a + "\n")));
      last = answers.at(-1);
    }
    results.push({ name: run.name, digest, last, start, command: 1000 * median(spent) });
  }
  core.close();
  return results;
}
