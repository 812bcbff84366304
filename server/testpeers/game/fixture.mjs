// For the simulator's own tests: small resources written on the spot, in both VMs.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Game, vms } from "./game.mjs";

/** Yard is a game whose resources are given as texts. */
export class Yard extends Game {
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), "resources-"));

  /** put writes a resource: files by name, and more lines for its manifest. */
  async put(name, files, manifest = "") {
    const folder = path.join(this.#folder, name);
    const sides = Object.keys(files).map((file) => {
      const side = /^(server|client|shared)[^/]*\.lua$/.exec(file)?.[1];
      return side ? `${side}_script '${file}'\n` : "";
    });
    const all = { "fxmanifest.lua": `fx_version 'cerulean'\ngame 'common'\n${sides.join("")}${manifest}`, ...files };
    for (const [file, text] of Object.entries(all)) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), text);
    }
    await this.server.add(name, folder);
    return this;
  }

  async started(name, files, manifest) {
    await this.put(name, files, manifest);
    await this.server.start(name);
    return this.server.runtimes.get(name);
  }

  /** printed are the lines of the server's console so far, without who printed them. */
  printed(resource) {
    const mark = `[${resource}] `;
    return this.console.lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  }

  close() {
    super.close();
    fs.rmSync(this.#folder, { recursive: true });
  }
}

/** rule is a test of one rule of the game, in every VM. */
export function rule(name, check) {
  for (const vm of Object.keys(vms)) {
    test(`${name} (${vm})`, async () => {
      const yard = new Yard({ vm });
      try {
        await check(yard);
      } finally {
        yard.close();
      }
    });
  }
}
