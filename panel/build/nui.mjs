// After Vite: checks the page of the game, and puts it into the resource that the
// program embeds.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Bytes of the whole page, gzipped: every player downloads it with the resource. */
const budget = 250_000;
/** The only files: the resource's manifest lists the folder, not folders in it. */
const wanted = ["app.js", "gate.js", "index.html", "nui.css", "worklet.js"];
/** What the game's Chromium 103 does not know, and no build step replaces. */
const tooNew = {
  css: /:has\(|@container|oklch\(|oklab\(|color-mix\(|\d[ds]v[hw]\b|@layer|@scope|text-wrap:\s*balance|@starting-style/,
  js: /\.to(?:Sorted|Reversed|Spliced)\(|Object\.groupBy|Map\.groupBy|Promise\.withResolvers|Array\.fromAsync|AbortSignal\.any|Set\.prototype\.union/,
};

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "../dist-nui");
const embedded = join(here, "../../server/resource/radio/nui");

renameSync(join(built, "nui.html"), join(built, "index.html"));
const files = readdirSync(built).sort();
if (files.join() !== wanted.join()) fail(`built ${files.join(", ")}, want ${wanted.join(", ")}`);
for (const name of files) {
  const text = readFileSync(join(built, name), "utf8");
  const found = tooNew[name.split(".").pop()]?.exec(text);
  if (found) fail(`${name} uses ${found[0]}, which Chromium 103 does not have: …${text.slice(found.index - 40, found.index + 60)}…`);
}
const size = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(built, name)), { level: 9 }).length, 0);
console.log(`page of the game: ${size} of ${budget} bytes gzipped`);
if (size > budget) fail(`${size - budget} bytes over the budget`);

mkdirSync(embedded, { recursive: true });
for (const f of readdirSync(embedded)) if (f !== ".gitignore") rmSync(join(embedded, f), { recursive: true });
cpSync(built, embedded, { recursive: true });

function fail(why) {
  console.error(why);
  process.exit(1);
}
