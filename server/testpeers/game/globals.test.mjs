// The scanner of globals: what it finds, and that it misses nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { folder } from "./bios.mjs";
import { Yard } from "./fixture.mjs";
import { globalsOf, strangers } from "./globals.mjs";

test("globals are found in every function, with their lines", async () => {
  const found = await globalsOf(Buffer.from("local a = Alpha\nlocal function f()\n  return function(x) Beta(x.Gamma, a) Delta = x end\nend\n_G.Epsilon = 1\nlocal t = { Zeta }\n"), "x.lua");
  assert.deepEqual(found.map(({ name, line, written }) => `${line} ${name}${written ? " =" : ""}`).sort(), ["1 Alpha", "3 Beta", "3 Delta =", "5 _G", "6 Zeta"]);
});

test("a function with more constants than an instruction can name hides nothing", async () => {
  const many = Array.from({ length: 400 }, (_, i) => `local _ = "constant ${i}"; do local x = Global${i}; Set${i} = x end`).join("\n").replaceAll("local _ =", "x =");
  const found = await globalsOf(Buffer.from(many), "x.lua");
  const names = new Set(found.map(({ name }) => name));
  for (let i = 0; i < 400; i++) assert.ok(names.has(`Global${i}`) && names.has(`Set${i}`), `${i} of 400`);
});

test("it finds what luac lists", async () => {
  for (const file of fs.readdirSync(folder)) {
    const text = fs.readFileSync(path.join(folder, file));
    const listed = execFileSync("luac5.4", ["-l", "-p", path.join(folder, file)], { encoding: "utf8" });
    const theirs = [...listed.matchAll(/_ENV "([^"]+)"/g)].map(([, name]) => name).sort();
    const ours = (await globalsOf(text, file)).map(({ name }) => name).sort();
    assert.deepEqual(ours, theirs, file);
  }
});

test("a name that its side does not have is a stranger", async () => {
  const yard = new Yard();
  await yard.put("a", {
    "shared.lua": "Radio = {}",
    "server.lua": "local ped = PlayerPedId()\nGetPlayerName(1)\nPerformHttpRequest('', print)\nGetPlayerNmae(1)\nLeak = 1",
    "client.lua": "PlayerPedId()\nGetNumPlayerIdentifiers(1)\nrequire('x')",
  });
  const rules = { own: new Set(["Radio"]), allowed: new Set() };
  const manifest = yard.server.manifest("a");
  assert.deepEqual(await strangers(manifest, "server", rules), ["server.lua:1 PlayerPedId", "server.lua:4 GetPlayerNmae", "server.lua:5 Leak (written)"]);
  assert.deepEqual(await strangers(manifest, "client", rules), ["client.lua:2 GetNumPlayerIdentifiers", "client.lua:3 require"]);
  yard.close();
});
