// After Vite: checks the budget of the first load, compresses, and puts the panel
// where the program embeds it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Bytes of the first load, gzipped: what index.html names, and what that imports statically. */
const firstBudget = 60_000;
/** Bytes until the console is open, including the first load: 0.4 s at the 1.6 Mbit/s of a slow mobile link. */
const consoleBudget = 80_000;

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "../dist");
const embedded = join(here, "../../server/panel/dist");

const files = readdirSync(built, { recursive: true, withFileTypes: true })
  .filter((f) => f.isFile())
  .map((f) => join(f.parentPath, f.name));
const gzip = (b) => gzipSync(b, { level: 9 });

const page = readFileSync(join(built, "index.html"), "utf8");
const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((m) => m[1]);
const first = withImports(["/index.html", ...named]);
const opened = files.map((f) => `/assets/${basename(f)}`).filter((f) => /\/(onair|Console)-[^/]*\.(js|css)$/.test(f));
if (opened.length !== 3) throw new Error(`onair.js, Console.js and Console.css are built into ${opened.join(", ") || "nothing"}: update their names here`);
budget("first load", first, firstBudget);
budget("until the console is open", new Set([...first, ...withImports(opened)]), consoleBudget);

/** Those files, and what they import statically; dynamic imports are fetched later. */
function withImports(names) {
  const all = new Set(names);
  for (const name of all) {
    if (extname(name) !== ".js") continue;
    const code = readFileSync(join(built, name), "utf8");
    for (const m of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) all.add(`/assets/${m[1]}`);
  }
  return all;
}

function budget(what, names, most) {
  const sizes = [...names].map((name) => [name, gzip(readFileSync(join(built, name))).length]);
  const sum = sizes.reduce((all, [, size]) => all + size, 0);
  console.log(`${what}: ${sum} of ${most} bytes gzipped`);
  if (sum <= most) return;
  for (const [name, size] of sizes) console.error(`  ${name} ${size}`);
  console.error(`${what}: ${sum - most} bytes over the budget`);
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
