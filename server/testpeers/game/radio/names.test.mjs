// Every global that the resource uses exists on its side of the game.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { globalsOf, strangers } from "../globals.mjs";
import { readManifest } from "../manifest.mjs";

const folder = process.env.GAME_RESOURCE ?? path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../resource/radio");
const rules = {
  own: new Set(["Radio", "RadioConfig"]),
  allowed: new Set([
    "unpack", // Lua 5.1's, where table.unpack is missing: shared files also run in the service
  ]),
};

for (const side of ["server", "client"]) {
  test(`every name of the ${side}'s scripts is one of its side`, async () => {
    const manifest = await readManifest("radio", folder);
    assert.ok(manifest.scripts(side).length > 10);
    assert.deepEqual(await strangers(manifest, side, rules), []);
  });
}

test("a wrong name that is planted in the resource is found", async () => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), "planted-"));
  try {
    fs.cpSync(folder, copy, { recursive: true });
    for (const [side, line] of [["server", "if IsEntityDead(1) then print(GetPlayerPedd(1)) end"], ["client", "TriggerClientEvent('x') mirrored = true"]]) {
      const file = `${side}/main.lua`;
      const text = fs.readFileSync(path.join(folder, file), "utf8");
      fs.writeFileSync(path.join(copy, file), `${line}\n${text}`);
    }
    const manifest = await readManifest("radio", copy);
    assert.deepEqual(await strangers(manifest, "server", rules), ["server/main.lua:1 IsEntityDead", "server/main.lua:1 GetPlayerPedd"]);
    assert.deepEqual(await strangers(manifest, "client", rules), ["client/main.lua:1 TriggerClientEvent", "client/main.lua:1 mirrored (written)"]);
  } finally {
    fs.rmSync(copy, { recursive: true });
  }
});

test("the files that the service runs too keep to one global", async () => {
  for (const file of ["shared/common.lua", "shared/table.lua", "server/exports.lua", "client/radio.lua", "client/exports.lua"]) {
    const written = (await globalsOf(fs.readFileSync(path.join(folder, file)), file)).filter((use) => use.written).map(({ name }) => name);
    assert.deepEqual([...new Set(written)].filter((name) => name !== "Radio"), [], file);
  }
});
