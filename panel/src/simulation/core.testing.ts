import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Core as Module } from "../link/wasm";
import type { Core } from "./radio";

const file = fileURLToPath(new URL("../../../wasm/core.wasm", import.meta.url));

/** core.wasm in this process, with the methods of one in a Worker. For tests. */
export async function testCore(): Promise<Core> {
  if (!existsSync(file)) throw new Error(`${file} is missing: run 'just wasm'`);
  const core = await Module.load(readFileSync(file));
  return {
    apply: async (q) => core.apply(q),
    call: async (name, json) => core.call(name, json),
    tick: async (now) => core.tick(now),
    hash: async () => core.hash(),
    view: async (kind, at, user) => core.view(kind, at, user),
    close: () => undefined,
  };
}
