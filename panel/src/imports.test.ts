// What imports what in the panel: type imports and imports at run time count.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const src = dirname(fileURLToPath(import.meta.url));

type Graph = Map<string, Set<string>>;

/** The file that an import names; null: it is not one of the panel's modules. */
function resolve(from: string, named: string): string | null {
  const path = join(dirname(from), named.replace(/\?.*$/, ""));
  const found = ["", ".ts", ".svelte.ts", "/index.ts"].map((end) => path + end).find((p) => existsSync(p) && statSync(p).isFile());
  if (!found) throw new Error(`${relative(src, from)} imports ${named}, which is not there`);
  return /\.(ts|svelte)$/.test(found) ? relative(src, found) : null;
}

function importsOf(code: string): string[] {
  const bare = code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const forms = [/\bfrom\s*"(\.[^"]+)"/g, /\bimport\s*"(\.[^"]+)"/g, /\bimport\(\s*"(\.[^"]+)"\s*\)/g];
  return forms.flatMap((form) => [...bare.matchAll(form)].map((m) => m[1]!));
}

function graph(): Graph {
  const all: Graph = new Map();
  for (const f of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!/\.(ts|svelte)$/.test(f) || /\.(test|testing)\.ts$/.test(f)) continue;
    const file = join(src, f);
    const to = importsOf(readFileSync(file, "utf8")).map((named) => resolve(file, named));
    all.set(f, new Set(to.filter((x) => x !== null)));
  }
  return all;
}

/** The circles: one way around each, by depth-first search. */
function circles(all: Graph): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): void => {
    const at = way.indexOf(file);
    if (at >= 0) return void found.push([...way.slice(at), file]);
    if (done.has(file)) return;
    way.push(file);
    for (const to of all.get(file) ?? []) visit(to);
    way.pop();
    done.add(file);
  };
  for (const file of all.keys()) visit(file);
  return found;
}

it("finds a circle", () => {
  const all: Graph = new Map([["a", new Set(["b"])], ["b", new Set(["c"])], ["c", new Set(["b", "d"])], ["d", new Set<string>()]]);
  expect(circles(all)).toEqual([["b", "c", "b"]]);
});

it("no module of the panel imports itself in a circle", () => {
  const all = graph();
  expect(all.get("main.ts")).toContain("panel.ts");
  expect(circles(all)).toEqual([]);
});

it("the state knows nothing of what makes it, acts on it or shows it", () => {
  const own = /^(state\/|wire\.gen\.ts$)/;
  const others = [...graph()].flatMap(([file, to]) => (file.startsWith("state/") ? [...to].filter((t) => !own.test(t)).map((t) => `${file} → ${t}`) : []));
  expect(others).toEqual([]);
});

it("actions work on ports, not on what implements them", () => {
  const wrong = /^(panel|sound|soundboard|bindings|main|audio\/|view\/|simulation\/|ptt\/)/;
  const found = [...graph()].flatMap(([file, to]) => (file.startsWith("action/") ? [...to].filter((t) => wrong.test(t)).map((t) => `${file} → ${t}`) : []));
  expect(found).toEqual([]);
});
