// Runs the browser tests on a program that is built once: npm run e2e, or
// npm run e2e -- console resume for some of them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** No test file takes this long, ms, even on the slowest machine, in all sizes and looks or in the usual ones: one that does hangs, and would hang the run. */
const longest = process.env.SQUELCH_ALL_LOOKS === "1" ? 1_200_000 : 900_000;

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
const firefox = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

if (!existsSync(chromium)) fail(`there is no Chromium at ${chromium}: run 'just browsers', or set CHROMIUM`);
if (!existsSync(join(root, "server/resource/radio/nui/index.html"))) fail("the page of the game is not built: run 'just panel'");
if (!existsSync(join(root, "server/panel/dist/index.html"))) fail("the panel is not built: run 'just panel'");

const wanted = process.argv.slice(2);
const files = [...readdirSync(here), ...readdirSync(join(here, "acceptance")).map((f) => `acceptance/${f}`)]
  .filter((f) => f.endsWith(".test.mjs") && (wanted.length === 0 || wanted.includes(f.slice(0, -".test.mjs".length))))
  .map((f) => join(here, f));
if (files.length === 0) fail(`no browser test is called ${wanted.join(", ")}`);
if (files.some((f) => f.endsWith("/firefox.test.mjs"))) {
  if (!existsSync(firefox)) fail(`there is no Firefox at ${firefox}: run 'just browsers', or set FIREFOX`);
  if (spawnSync("pulseaudio", ["--version"]).error) fail("there is no PulseAudio, without which Firefox plays nothing: run 'just browsers'");
}

const folder = mkdtempSync(join(tmpdir(), "squelch-e2e-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let program = process.env.SQUELCH_BIN;
if (!program) {
  program = join(folder, "squelch");
  const built = spawnSync("go", ["build", "-trimpath", "-o", program, "./server"], { cwd: root, stdio: "inherit", env: { ...process.env, CGO_ENABLED: "0" } });
  if (built.status !== 0) fail("the service cannot be built");
}
/** Runs test files, some at a time. True if all passed. */
function run(files, atOnce) {
  if (files.length === 0) return true;
  const { status } = spawnSync(process.execPath, ["--test", `--test-concurrency=${atOnce}`, `--test-timeout=${longest}`, "--test-reporter=spec", ...files], {
    stdio: "inherit",
    env: { ...process.env, SQUELCH_BIN: program, CHROMIUM: chromium, FIREFOX: firefox },
  });
  return status === 0;
}
const [alone, together] = [files.filter(listens), files.filter((f) => !listens(f))];
const passed = [run(together, 2), run(alone, 1)];
process.exit(passed.every(Boolean) ? 0 : 1);

/** A test that compares sound by the clock needs the machine for itself; the others mostly wait. */
function listens(file) {
  return /(voice|keyup|ice-tcp|failover|recall|controls|firefox|nui|game)\.test\.mjs$/.test(file);
}

function fail(why) {
  console.error(why);
  process.exit(1);
}
