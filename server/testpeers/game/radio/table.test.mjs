// The table test of the server exports in the game's Lua: its answers are, byte for byte,
// those of the service's own Lua 5.1, which the Go test that runs this has written down.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rule } from "../fixture.mjs";

const resource = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../resource");
const cases = (name) => fs.readFileSync(path.join(resource, "table/testdata", `${name}.lua`), "utf8");
const chunk = (name, text) => `${name} = function(...)\n${text}\nend\n`;

rule("every server export answers in the game's Lua as in the service's", async (yard) => {
  const files = { "cases.lua": chunk("World", cases("world")) + chunk("Run", cases("run_cases")) + chunk("ServerCases", cases("server_cases")) };
  const scripts = ["shared/table.lua", "shared/common.lua", "server/picture.lua", "server/act.lua", "server/exports.lua"];
  for (const file of scripts) files[file] = fs.readFileSync(path.join(resource, "radio", file), "utf8");
  files["run.lua"] = `
    local laid, acts = {}, {}
    Radio.source = Radio.picture
    Radio.send = function(request, op) acts[#acts + 1] = request laid[#laid + 1] = op or nil end
    Run()(ServerCases(), {
      call = function(export, args) return (Radio.functions.server[export](table.unpack(args, 1, args.n))) end,
      fresh = function()
        for _, op in ipairs(laid) do Radio.picture.lift(op) end
        laid, acts = {}, {}
        Radio.picture.reset(World())
      end,
      acts = function() return acts end,
      print = print,
    })`;
  yard.console.keep = Infinity;
  await yard.started("cases", files, `server_scripts { ${[...scripts, "cases.lua", "run.lua"].map((file) => `'${file}'`).join(", ")} }`);
  assert.deepEqual(yard.errors, []);
  const lines = yard.printed("cases");
  const want = fs.readFileSync(process.env.GAME_TABLE_OUTPUT, "utf8").split("\n");
  assert.ok(lines.length > 1000, `${lines.length} lines`);
  for (const [i, line] of want.entries()) assert.equal(lines[i], line, `line ${i + 1}`);
  assert.equal(lines.length, want.length);
});
