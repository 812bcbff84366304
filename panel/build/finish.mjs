// After Vite: checks the budget of the first load, compresses, and puts the panel
// where the program embeds it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { needed, sum } from "./budget.mjs";

/** Bytes of the first load, gzipped: what index.html names, and what that imports statically. */
const firstBudget = 60_000;
/** Bytes until the console is open, including the first load: 0.4 s at the 1.6 Mbit/s of a slow mobile link. */
const consoleBudget = 75_000;
/** Of these, style sheets. */
const styleBudget = 8_000;

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "../dist");
const embedded = join(here, "../../server/panel/dist");

const files = readdirSync(built, { recursive: true, withFileTypes: true })
  .filter((f) => f.isFile())
  .map((f) => join(f.parentPath, f.name));
const gzip = (b) => gzipSync(b, { level: 9 });

const page = readFileSync(join(built, "index.html"), "utf8");
const { first, console: opened, styles } = needed(built);
budget("first load", first, firstBudget);
budget("until the console is open", opened, consoleBudget);
budget("of these, style sheets", styles, styleBudget);

function budget(what, parts, most) {
  const all = sum(parts);
  console.log(`${what}: ${all} of ${most} bytes gzipped`);
  if (all <= most) return;
  for (const { name, size } of parts) console.error(`  ${name} ${size}`);
  console.error(`${what}: ${all - most} bytes over the budget`);
  process.exit(1);
}
if (/<script(?![^>]*\bsrc=)|<style|\son\w+=/.test(page)) {
  console.error("index.html has inline code, which the content security policy forbids");
  process.exit(1);
}

for (const f of files) {
  if (![".html", ".js", ".css", ".svg", ".webmanifest", ".wasm"].includes(extname(f))) continue;
  const plain = readFileSync(f);
  writeFileSync(`${f}.gz`, gzip(plain));
  // At 11, core.wasm would take twice as long to compress for 3 % less.
  const quality = extname(f) === ".wasm" ? 10 : 11;
  writeFileSync(`${f}.br`, brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }));
}
for (const f of readdirSync(embedded)) if (f !== ".gitignore") rmSync(join(embedded, f), { recursive: true });
mkdirSync(embedded, { recursive: true });
cpSync(built, embedded, { recursive: true });
