// The parts of the game's Lua runtime, in the order in which they are loaded.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "bios");
export const parts = [
  "msgpack", "host", "vectors", "json", "scheduler", "promise", "references", "events", "exports", "natives", "http", "statebags", "nui", "entry",
].map((name) => ({ name, text: fs.readFileSync(path.join(folder, `${name}.lua`), "utf8") }));
