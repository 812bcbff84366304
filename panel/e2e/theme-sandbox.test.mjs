// A theme does the same in the sandbox of "squelch theme test" and in a browser: the
// same script runs it in both, here with the real DOM and the browser's own engine.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";
import { StaticServer } from "./static.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sandbox = join(root, "themes/sandbox/dist/sandbox.js");
const core = join(root, "wasm/core.wasm");
const builtIn = join(root, "themes/builtin");

/** A theme that does everything, also wrongly. */
const everything = `
const box = theme.getContainer();
box.innerHTML = '<h1 class="who"></h1><ul></ul><button class="talk" data-key="1">Talk</button><button class="patch">Patch</button><button class="bad">Bad</button>';
theme.hideDefaultUI();
theme.setVar("--sq-rx", "#145c8e");
theme.setVar("--sq-gap", "4px");
theme.setVar("color", "red");
theme.removeVar("--sq-gap");
theme.addClass("awake");
dispatch.joinChannel("999.999");
const told = [];
for (const name of ["zones", "ptt", "channel", "channel-ptt", "voice-status", "connection", "alerts", "alert-types", "scans", "patches", "transmissions", "callsign", "announcement-group", "settings"])
  dispatch.on("dispatch:" + name, (payload) => { told.push(name); if (name !== "zones") console.log(name, payload); });
dispatch.on("dispatch:zones", ({ zones }) => {
  const talkers = zones.flatMap((z) => z.channels.flatMap((c) => c.users.filter((u) => u.transmitting).map((u) => u.name + " on " + c.name)));
  box.querySelector(".who").textContent = talkers.join(", ");
  box.querySelector("ul").replaceChildren(...talkers.map((t) => Object.assign(document.createElement("li"), { textContent: t, className: "talker" })));
});
dispatch.on("dispatch:connection", ({ health }) => theme[health === "connected" ? "removeClass" : "addClass"]("faded"));
dispatch.on("dispatch:callsign", ({ callsign }) => { if (callsign === "CONTROL") throw new Error("a callsign"); });
const talk = box.querySelector(".talk");
talk.addEventListener("pointerdown", (e) => { talk.setPointerCapture(e.pointerId); dispatch.startPTT(); });
talk.addEventListener("pointerup", () => dispatch.stopPTT());
box.addEventListener("click", (e) => {
  if (e.target.closest(".bad")) throw new RangeError("a click");
  if (e.target.closest(".patch")) dispatch.createPatch(["154.815", 460.25]).then((id) => console.log("patched", typeof id), (x) => console.warn(x));
});
setTimeout(() => { throw new Error("a timer"); }, 700);
setTimeout(() => Promise.reject(new TypeError("a promise")), 800);
let n = 0;
const every = setInterval(() => { theme.setVar("--sq-n", String(++n)); if (n === 3) clearInterval(every); }, 250);
requestAnimationFrame((at) => console.log("frame", at, performance.now(), Date.now(), new Date().toISOString(), Math.random()));
addEventListener("resize", () => {});
document.addEventListener("keydown", () => {});
queueMicrotask(() => console.log("micro", [1, { a: [undefined] }], null, undefined, box));
(async () => { await null; console.log("async"); await new Promise((r) => setTimeout(r, 40)); console.log("later"); })();
onUnmount(() => { console.log("over", told.length, n); throw new Error("a cleanup"); });
`;

const ownTests = `
test("whoever talks is named", async ({ radio, page, check }) => {
  check.equal(page.text(".who"), "", "silence");
  await radio.do({ do: "talk", unit: 12, for: 3 });
  check.equal(page.findAll(".talker").map((e) => e.textContent), ["1-ADAM-12 on LSPD DISP"], "the talker");
  await radio.wait(4);
  check.equal(page.text(".who"), "", "silence again");
});
test("the keys", async ({ radio, page, check }) => {
  page.press(".talk");
  await radio.wait(1);
  check.equal(radio.state().voiceStatus, "TX (Opus)", "on air");
  page.release(".talk");
  await radio.wait(1);
  page.click(".patch");
  await radio.wait(1);
  check.equal(radio.state().patches.length, 1, "a patch");
  page.click(".bad");
  check(false, "this does not hold");
  page.click(".none");
});
`;

function folder(files) {
  const dir = mkdtempSync(join(tmpdir(), "squelch-theme-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

const theme = (files = {}) =>
  folder({
    "theme.json": JSON.stringify({ name: "Everything", slug: "everything", version: "1", author: "Tests", description: "", css: "style.css", js: "theme.js" }),
    "style.css": "",
    "theme.js": everything,
    ...files,
  });

/** What "squelch theme test" says. Its exit code is 1 for a theme with mistakes. */
function inSandbox(dir) {
  return new Promise((give, fail) => {
    execFile(process.env.SQUELCH_BIN, ["theme", "test", dir, "--json", "--time", "2m"], { encoding: "utf8", maxBuffer: 1 << 26 }, (error, out, errs) => {
      if (out === "") fail(error ?? new Error(errs));
      else give(out);
    });
  });
}

/** The transcript as text: from the line that the program has printed, so that nothing is written anew. */
const transcriptOf = (printed) => /"transcript":\[(.*)\],"took":/s.exec(printed)[1];

test("a theme does the same in the sandbox and in a browser", async (t) => {
  assert.ok(existsSync(sandbox), "the sandbox is not built: run 'just panel'");
  const files = folder({ "index.html": "<!doctype html><html lang=\"en\"><head></head><body></body></html>" });
  cpSync(sandbox, join(files, "sandbox.js"));
  cpSync(core, join(files, "core.wasm"));
  const server = await StaticServer.start(files);
  t.after(() => server.close());
  const browser = await startBrowser();
  t.after(() => browser.close());

  /** Runs it in a page of its own. */
  async function inBrowser(dir) {
    const read = (name) => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), "utf8") : "");
    const { slug, js } = JSON.parse(read("theme.json"));
    const context = await browser.newContext({ timezoneId: "UTC" });
    const page = await context.newPage();
    try {
      await page.goto(server.url);
      await page.addScriptTag({ url: "sandbox.js" });
      return await page.evaluate(async (job) => {
        const wasm = await (await fetch("core.wasm")).arrayBuffer();
        const { host, entries } = await globalThis.squelchHost(wasm);
        const outcome = await globalThis.squelchSandbox(host, job);
        return { outcome, transcript: entries.join(",") };
      }, { slug, build: "0", script: js ? read(js) : "", test: read("theme.test.js") });
    } finally {
      await context.close();
    }
  }

  async function same(dir) {
    const [printed, { outcome, transcript }] = await Promise.all([inSandbox(dir), inBrowser(dir)]);
    const report = JSON.parse(printed);
    const lines = (text) => JSON.parse(`[${text}]`).map((e) => JSON.stringify(e));
    assert.deepEqual(lines(transcriptOf(printed)), lines(transcript)); // this one shows where
    assert.ok(transcriptOf(printed) === transcript, "the transcripts differ in their bytes");
    assert.deepEqual({ ok: report.verdict === "ok", why: report.why, tests: report.tests }, outcome);
    return report;
  }

  await t.test("the standard scenario", async () => {
    const report = await same(theme());
    assert.equal(report.verdict, "failed");
    const errors = report.transcript.filter((e) => e.kind === "error");
    assert.deepEqual(errors.map((e) => `${e.text} ${e.line}`), [
      "a timer or promise: Error: a timer 28",
      "a timer or promise: TypeError: a promise 29",
      "the callback of dispatch:callsign: Error: a callsign 20",
      "a cleanup of onUnmount: Error: a cleanup 37",
    ]);
  });

  await t.test("its own tests", async () => {
    const report = await same(theme({ "theme.test.js": ownTests }));
    assert.deepEqual(report.tests, [{ name: "whoever talks is named", ok: true }, { name: "the keys", ok: false }]);
  });

  await t.test("a theme that is thrown out at its start", async () => {
    await same(theme({ "theme.js": "theme.addClass('a');\n\nthrow new Error('early');" }));
  });

  for (const slug of readdirSync(builtIn, { withFileTypes: true }).filter((d) => d.isDirectory()).map((d) => d.name)) {
    await t.test(`the built-in theme ${slug}`, async () => {
      const report = await same(join(builtIn, slug));
      assert.equal(report.verdict, "ok", report.why);
    });
  }
});
