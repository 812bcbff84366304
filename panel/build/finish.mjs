// After Vite: checks the budget of the first load, compresses, and puts the panel
// where the program embeds it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Bytes of the first load, gzipped: what index.html names, and what that imports at once. */
const budget = 60_000;

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "../dist");
const embedded = join(here, "../../server/panel/dist");

const files = readdirSync(built, { recursive: true, withFileTypes: true })
  .filter((f) => f.isFile())
  .map((f) => join(f.parentPath, f.name));
const gzip = (b) => gzipSync(b, { level: 9 });

const page = readFileSync(join(built, "index.html"), "utf8");
const first = ["/index.html", ...[...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((m) => m[1])];
for (let i = 0; i < first.length; i++) {
  if (extname(first[i]) !== ".js") continue;
  const code = readFileSync(join(built, first[i]), "utf8");
  // Static imports of chunks; dynamic ones are not part of the first load.
  for (const m of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
    if (!first.includes(`/assets/${m[1]}`)) first.push(`/assets/${m[1]}`);
  }
}
let sum = 0;
for (const name of first) {
  const size = gzip(readFileSync(join(built, name))).length;
  sum += size;
  console.log(`  ${name} ${size} bytes gzipped`);
}
console.log(`first load: ${sum} of ${budget} bytes gzipped`);
if (sum > budget) {
  console.error("the first load is over its budget");
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
  // At 11, core.wasm would take twice as long for 3 % less.
  const quality = extname(f) === ".wasm" ? 10 : 11;
  writeFileSync(`${f}.br`, brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }));
}
for (const f of readdirSync(embedded)) if (f !== ".gitignore") rmSync(join(embedded, f), { recursive: true });
mkdirSync(embedded, { recursive: true });
cpSync(built, embedded, { recursive: true });
