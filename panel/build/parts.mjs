// Vite's plugin that writes down whose work is in the pages: the folders of the npm
// packages from which code was put into this build. Releases carry their licences.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../dist-parts");

/** What bundlers add of their own has no path. */
const added = [[/^\0vite\//, "node_modules/vite"], [/^\0(rolldown\/|@oxc)/, "node_modules/rolldown"]];

/** @param {string} id a module, @returns the folder of its package, or undefined for our own */
export function packageOf(id) {
  for (const [form, own] of added) if (form.test(id)) return own;
  const path = id.replaceAll("\\", "/").replace(/\?.*$/, "");
  const at = path.indexOf("node_modules/");
  if (at < 0) return undefined;
  return /^((?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+)/.exec(path.slice(at))?.[1].replace(/\/$/, "");
}

/** @param {string} build its name */
export function parts(build) {
  const found = new Set();
  return {
    name: "squelch-parts",
    /** @param {unknown} _ @param {Record<string, any>} bundle */
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        for (const [id, module] of Object.entries(chunk.modules ?? {}))
          if (module.renderedLength > 0 && packageOf(id)) found.add(packageOf(id));
    },
    closeBundle() {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${build}.json`), `${JSON.stringify([...found].sort())}\n`);
    },
  };
}
