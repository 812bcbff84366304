// What a console needs until it is open, from what Vite has built.
import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const size = (built, name) => gzipSync(readFileSync(join(built, name)), { level: 9 }).length;

/** Those files, and what they import statically; dynamic imports are fetched later. */
function withImports(built, names) {
  const all = new Set(names);
  for (const name of all) {
    if (extname(name) !== ".js") continue;
    const code = readFileSync(join(built, name), "utf8");
    for (const m of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) all.add(`/assets/${m[1]}`);
  }
  return [...all];
}

/** The files of the first page, of the open console, and of its style sheets, each with its size, gzipped. */
export function needed(built) {
  const page = readFileSync(join(built, "index.html"), "utf8");
  const named = [...page.matchAll(/(?:src|href)="\.?(\/assets\/[^"]+)"/g)].map((m) => m[1]);
  const opened = readdirSync(join(built, "assets")).filter((f) => /^(onair|Console)-[^/]*\.(js|css)$/.test(f)).map((f) => `/assets/${basename(f)}`);
  if (opened.length !== 3) throw new Error(`onair.js, Console.js and Console.css are built into ${opened.join(", ") || "nothing"}: update their names here`);
  const first = withImports(built, ["/index.html", ...named]);
  const console = [...new Set([...first, ...withImports(built, opened)])];
  const sized = (names) => names.map((name) => ({ name, size: size(built, name) }));
  return { first: sized(first), console: sized(console), styles: sized(console.filter((f) => f.endsWith(".css"))) };
}

export const sum = (files) => files.reduce((all, f) => all + f.size, 0);
