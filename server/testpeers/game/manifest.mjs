// fxmanifest.lua, understood as the game understands it: by running it. Every global that
// it calls becomes metadata; a key with a list loses its trailing s.
import fs from "node:fs";
import path from "node:path";
import { LuaFactory } from "wasmoon";

const runner = `
local found = {}
local function add(key, value, extra) found[#found + 1] = { key, tostring(value), extra } end
local env = setmetatable({}, { __index = function(_, key)
  return function(value)
    if type(value) == 'table' then
      local single = key:gsub('s$', '')
      for _, each in ipairs(value) do add(single, each) end
    else
      add(key, value)
    end
    return function(extra) add(key .. '_extra', '', nil) end
  end
end })
local chunk, why = load(manifest, '@fxmanifest.lua', 't', env)
if not chunk then error(why, 0) end
chunk()
local lines = {}
for _, each in ipairs(found) do lines[#lines + 1] = each[1] .. '\\1' .. each[2] end
return table.concat(lines, '\\2')`;

const factory = new LuaFactory();

export class Manifest {
  constructor(name, folder, entries) {
    Object.assign(this, { name, folder, entries });
  }

  all(key) {
    return this.entries.filter(([k]) => k === key).map(([, value]) => value);
  }

  one(key) {
    return this.all(key)[0];
  }

  /** scripts of a side: the shared ones first, then its own. */
  scripts(side) {
    return this.#files([...this.all("shared_script"), ...this.all(`${side}_script`)]);
  }

  read(file) {
    return fs.readFileSync(path.join(this.folder, file));
  }

  /** exports by the old style: names of globals. */
  exports(side) {
    return this.all(side === "server" ? "server_export" : "export");
  }

  get dependencies() {
    return [...this.all("dependency"), ...this.all("dependencie")]; // `dependencies` without its s
  }

  /** files that a client may read: those listed, its scripts, and never a server's. */
  clientFiles() {
    return new Set(this.#files([...this.all("file"), ...this.all("shared_script"), ...this.all("client_script")]));
  }

  #files(patterns) {
    const list = [];
    for (const pattern of patterns) {
      if (pattern.startsWith("@")) throw new Error(`${this.name}: a script of another resource (${pattern}) is declared, but not simulated`);
      const found = pattern.includes("*") ? this.#glob(pattern) : [pattern];
      for (const file of found) {
        if (!fs.existsSync(path.join(this.folder, file))) throw new Error(`${this.name}: the manifest names ${file}, which does not exist`);
        if (!list.includes(file)) list.push(file);
      }
      if (found.length === 0) throw new Error(`${this.name}: no file matches ${pattern}`);
    }
    return list;
  }

  #glob(pattern) {
    const expression = new RegExp(`^${pattern.split(/(\*\*\/|\*\*|\*)/).map((part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    }).join("")}$`);
    return fs.readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => path.relative(this.folder, path.join(each.parentPath ?? each.path, each.name)).split(path.sep).join("/"))
      .filter((file) => expression.test(file))
      .sort();
  }
}

export async function readManifest(name, folder) {
  const text = fs.readFileSync(path.join(folder, "fxmanifest.lua"), "utf8");
  const engine = await factory.createEngine({ injectObjects: false });
  try {
    engine.global.set("manifest", text);
    const lines = await engine.doString(runner);
    const entries = lines.split("\x02").map((line) => line.split("\x01"));
    const manifest = new Manifest(name, folder, entries);
    if (!manifest.one("fx_version")) throw new Error("fx_version is missing");
    if (!manifest.one("game") && manifest.all("game").length === 0) throw new Error("game is missing");
    return manifest;
  } catch (failure) {
    throw new Error(`${name}/fxmanifest.lua: ${failure.message}`);
  } finally {
    engine.global.close();
  }
}
