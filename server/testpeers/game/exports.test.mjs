// How resources call each other.
import assert from "node:assert/strict";
import { rule } from "./fixture.mjs";

const asking = (body) => ({ "server.lua": `local function try(f, ...) local r = table.pack(pcall(f, ...)) print(r[1], (tostring(r[2]):gsub('%s+', ' '))) end\n${body}` });

rule("an export that is missing, or whose resource is, is an error that names it", async (yard) => {
  await yard.started("radio", { "server.lua": "exports('here', function() end)" });
  await yard.started("asker", asking("try(function() return exports.radio:gone() end) try(function() return exports['nobody']:here() end)"));
  const [first, second] = yard.printed("asker");
  assert.match(first, /^false\t.*No such export gone in resource radio/);
  assert.match(second, /^false\t.*No such export here in resource nobody/);
});

rule("an export that throws prints there and is an error here", async (yard) => {
  await yard.started("radio", { "server.lua": "exports('bad', function() error('no battery') end)" });
  await yard.started("asker", asking("try(function() return exports.radio:bad() end)"));
  assert.match(yard.printed("asker")[0], /^false\t.*An error occurred while calling export `bad` in resource `radio`/);
  assert.equal(yard.errors.length, 1);
  assert.match(yard.errors[0], /server \[radio\] SCRIPT ERROR: .*no battery/);
});

rule("an export that waits is awaited by a thread", async (yard) => {
  await yard.started("radio", { "server.lua": "exports('slow', function(a) Wait(100) return a, 'late' end)\nexports('fails', function() Wait(0) error('late failure') end)" });
  await yard.started("asker", asking(`CreateThread(function()
    local at = GetGameTimer() local a, b = exports.radio:slow(7) print(a, b, GetGameTimer() - at >= 100)
    try(function() return exports.radio:fails() end) end)`));
  assert.deepEqual(yard.printed("asker"), []);
  yard.advance(60);
  assert.deepEqual(yard.printed("asker"), []);
  yard.advance(300);
  assert.equal(yard.printed("asker")[0], "7\tlate\ttrue");
  assert.match(yard.printed("asker")[1], /^false\t.*late failure/);
});

rule("a dot instead of a colon loses the first argument", async (yard) => {
  await yard.started("radio", { "server.lua": "exports('first', function(a) return tostring(a) end)" });
  await yard.started("asker", asking("print(exports.radio.first('x', 'y'), exports.radio:first('x', 'y'))"));
  assert.deepEqual(yard.printed("asker"), ["y\tx"]);
});

rule("what was looked up is forgotten when its resource stops", async (yard) => {
  await yard.put("radio", { "server.lua": "local n = GetConvarInt('generation', 0) exports('generation', function() return n end)" });
  await yard.server.exec("set generation 1\nensure radio");
  await yard.started("asker", asking("function Ask() try(function() return exports.radio:generation() end) end AddEventHandler('ask', function() Ask() end) Ask()"));
  yard.server.stop("radio");
  yard.server.emit("ask"); // still looked up: the call itself fails
  yard.tick();
  yard.server.emit("ask"); // told by now: the export is missing
  await yard.server.exec("set generation 2\nensure radio");
  yard.server.emit("ask");
  const lines = yard.printed("asker");
  assert.equal(lines[0], "true\t1");
  assert.match(lines[1], /^false\t.*An error occurred while calling export/);
  assert.match(lines[2], /^false\t.*No such export generation in resource radio/);
  assert.equal(lines[3], "true\t2");
});

rule("an old name answers through the event that looks exports up", async (yard) => {
  await yard.started("radio", { "server.lua": "AddEventHandler('__cfx_export_tRadio_getName', function(answer) answer(function() return 'radio' end) end)" });
  await yard.started("asker", asking("print(exports.tRadio:getName())"));
  assert.deepEqual(yard.printed("asker"), ["radio"]);
});

rule("a manifest's list exports globals", async (yard) => {
  await yard.started("shop", { "server.lua": "function Price(n) return n * 2 end" }, "server_exports { 'Price', 'Missing' }");
  await yard.started("asker", asking("print(exports.shop:Price(21)) try(function() return exports.shop:Missing() end)"));
  assert.equal(yard.printed("asker")[0], "42");
  assert.match(yard.printed("asker")[1], /No such export Missing/);
});

rule("a function is called back across the border, and let go when collected", async (yard) => {
  const radio = await yard.started("radio", { "server.lua": "exports('each', function(f) for i = 1, 3 do f(i) end end)" });
  const asker = await yard.started("asker", asking("AddEventHandler('go', function() local sum = 0 exports.radio:each(function(i) sum = sum + i end) print(sum) end)"));
  for (let i = 0; i < 50; i++) yard.server.emit("go");
  assert.deepEqual([...new Set(yard.printed("asker"))], ["6"]);
  assert.ok(asker.memory().references >= 50, "nobody has let go yet");
  radio.memory(); // collects, in the resource that holds them
  yard.advance(40);
  assert.ok(asker.memory().references < 5, `${asker.memory().references} functions are still held`);
});

rule("the caller is known by name, and nobody when the engine calls", async (yard) => {
  await yard.started("radio", { "server.lua": "exports('who', function() return GetInvokingResource() end) print(GetInvokingResource())" });
  await yard.started("asker", asking("print(exports.radio:who())"));
  assert.deepEqual([yard.printed("radio"), yard.printed("asker")], [["nil"], ["asker"]]);
});
