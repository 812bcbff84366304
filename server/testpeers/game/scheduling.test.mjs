// Threads, time, promises, and what a script may name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rule, Yard } from "./fixture.mjs";

rule("a thread begins with a tick and goes on with the first that is not too early", async (yard) => {
  await yard.started("a", {
    "server.lua": `local t0 = GetGameTimer()
      CreateThread(function() print('begin', GetGameTimer() - t0) Wait(50) print('50', GetGameTimer() - t0) Wait(0) print('0', GetGameTimer() - t0) end)
      SetTimeout(30, function() print('timeout', GetGameTimer() - t0) end)
      local gone = SetTimeout(10, function() print('cleared') end) ClearTimeout(gone)
      print('loaded')`,
  });
  assert.deepEqual(yard.printed("a"), ["loaded"]);
  yard.advance(200);
  assert.deepEqual(yard.printed("a"), ["loaded", "begin\t20", "timeout\t40", "50\t80", "0\t100"]);
});

rule("the clock stands still while a script runs", async (yard) => {
  await yard.started("a", { "server.lua": "local t = GetGameTimer() local c = os.clock() while os.clock() - c < 0.03 do end print(GetGameTimer() - t)" });
  assert.deepEqual(yard.printed("a"), ["0"]);
});

rule("the body of a script cannot wait", async (yard) => {
  await yard.started("a", { "server.lua": "print('before') Wait(0) print('never')" });
  assert.deepEqual(yard.printed("a").slice(0, 1), ["before"]);
  assert.match(yard.errors[0], /outside a coroutine/);
});

rule("one thread's error ends no other", async (yard) => {
  await yard.started("a", { "server.lua": "CreateThread(function() error('first') end) CreateThread(function() Wait(0) print('second') end)" });
  yard.advance(60);
  assert.ok(yard.printed("a").includes("second"));
  assert.match(yard.errors[0], /server \[a\] SCRIPT ERROR: .*first/);
});

rule("a promise is awaited, chained, rejected", async (yard) => {
  await yard.started("a", {
    "server.lua": `local p, q = promise.new(), promise.new()
      CreateThread(function() print(Citizen.Await(p:next(function(v) return v + 1 end))) print(pcall(Citizen.Await, q)) print(#Citizen.Await(promise.all { p, p })) end)
      SetTimeout(40, function() p:resolve(41) q:reject('no') end)`,
  });
  yard.advance(200);
  assert.equal(yard.printed("a")[0], "42");
  assert.match(yard.printed("a")[1], /^false\t.*no/);
  assert.equal(yard.printed("a")[2], "2");
});

rule("a native that says yes says 1 or true, one that says no false", async (yard) => {
  await yard.server.join();
  await yard.started("a", { "server.lua": "print(DoesPlayerExist(1), DoesPlayerExist(2))" });
  assert.deepEqual(yard.printed("a"), [`${yard.server.truth}\tfalse`]);
});

rule("an unknown name is nil, one of the other side too; one that the simulator lacks is an error", async (yard) => {
  await yard.started("a", {
    "server.lua": `print(type(NoSuchNative), type(PlayerPedId), type(SendNUIMessage), type(GetPlayerName), type(io), type(require), type(os.execute), type(unpack))
      print(pcall(NoSuchNative))
      print(pcall(SetPedConfigFlag, 1, 2, true))`,
  });
  const [types, unknown, lacking] = yard.printed("a");
  assert.equal(types, "nil\tnil\tnil\tfunction\tnil\tnil\tnil\tnil");
  assert.match(unknown, /attempt to call a nil value/);
  assert.match(lacking, /SetPedConfigFlag is declared for the server, but not simulated/);
});

rule("a script that does not compile is an error of the console, and the next one runs", async (yard) => {
  await yard.started("a", { "server1.lua": "local x = = 1", "server2.lua": "print('second')" });
  assert.match(yard.errors[0], /Failed to load script a\/server1\.lua/);
  assert.ok(yard.printed("a").includes("second"));
});

rule("shared scripts come first, then globs in the order of their names", async (yard) => {
  await yard.started("a", { "server/b.lua": "print('b', Shared)", "server/a.lua": "print('a', Shared)", "server/deep/c.lua": "print('c')", "common.lua": "Shared = 1" },
    "server_scripts { 'server/**/*.lua' }\nshared_script 'common.lua'");
  assert.deepEqual(yard.printed("a").slice(0, 2), ["a\t1", "b\t1"]);
});

rule("a dependency starts before", async (yard) => {
  await yard.put("base", { "server.lua": "exports('ready', function() return true end)" });
  await yard.started("a", { "server.lua": "print(exports.base:ready())" }, "dependencies { '/onesync', 'base' }");
  assert.deepEqual(yard.printed("a"), ["true"]);
});

test("a manifest that names a missing file is refused", async () => {
  const yard = new Yard();
  await yard.put("a", {}, "server_script 'gone.lua'");
  await assert.rejects(yard.server.start("a"), /the manifest names gone\.lua, which does not exist/);
  yard.close();
});

test("a script that never returns is killed, and only its VM", async () => {
  const { openPipe } = await import("./vm-pipe.mjs");
  const yard = new Yard({ vm: "lua5.4" });
  const { open } = yard.server;
  yard.server.open = (options) => (options.resource === "endless" ? openPipe({ ...options, patience: 300 }) : open(options));
  await yard.started("fine", { "server.lua": "exports('alive', function() return true end)" });
  await assert.rejects(yard.started("endless", { "server.lua": "while true do end" }), /the VM of endless \(server\) has ended/);
  yard.server.halt("endless");
  assert.deepEqual(yard.server.call("fine", "alive"), [true]);
  yard.close();
});
