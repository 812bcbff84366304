// Net events: what may cross, from whom, how often.
import assert from "node:assert/strict";
import { rule } from "./fixture.mjs";

rule("only a registered name may come from the network", async (yard) => {
  await yard.started("a", { "server.lua": "AddEventHandler('inner', function() print('inner', source) end) RegisterNetEvent('outer', function(x) print('outer', source, x) end)" });
  const player = await yard.server.join();
  yard.server.send(player, "inner", 1);
  yard.server.send(player, "outer", 2);
  yard.advance(20);
  yard.server.emit("inner");
  assert.deepEqual(yard.printed("a"), ["event inner was not safe for net", "outer\t1\t2", "inner\t"]);
});

rule("the source is the sender, whatever it says, and only until the first wait", async (yard) => {
  await yard.started("a", { "server.lua": "RegisterNetEvent('who', function(claimed) local src = source Wait(0) print(src, claimed, source) end)" });
  await yard.server.join();
  const second = await yard.server.join();
  yard.server.send(second, "who", 1);
  yard.advance(60);
  assert.deepEqual(yard.printed("a"), ["2\t1\tnil"]);
});

rule("beyond 50 a second events vanish, beyond 75 the player is dropped", async (yard) => {
  await yard.started("a", { "server.lua": "Seen = {} RegisterNetEvent('e', function() Seen[source] = (Seen[source] or 0) + 1 end) exports('seen', function(id) return Seen[id] or 0 end) AddEventHandler('playerDropped', function(why) print(source, why) end)" });
  const [steady, quick, flood] = [await yard.server.join(), await yard.server.join(), await yard.server.join()];
  for (let tick = 0; tick < 500; tick++) { // ten seconds
    yard.server.send(steady, "e"); // 50 a second
    if (tick % 5 !== 0) yard.server.send(quick, "e"); // 70 a second, with the next
    if (tick % 5 < 3) yard.server.send(quick, "e");
    for (let i = 0; i < 4; i++) yard.server.send(flood, "e"); // 200 a second
    yard.advance(20);
  }
  assert.deepEqual(yard.server.call("a", "seen", steady.id), [500]);
  const [seen] = yard.server.call("a", "seen", quick.id);
  assert.ok(seen >= 690 && seen <= 700, `${seen} of 700 events, of which 500 + 200 may pass`);
  assert.deepEqual(yard.printed("a"), [`${flood.id}\tReliable network event overflow.`]);
  assert.ok(yard.server.ignored > 0);
});

rule("more than 128 KiB a second drops the player", async (yard) => {
  await yard.started("a", { "server.lua": "AddEventHandler('playerDropped', function(why) print(source, why) end)" });
  const [heavy, fine] = [await yard.server.join(), await yard.server.join()];
  yard.server.send(heavy, "e", "x".repeat(1 << 20));
  yard.server.send(fine, "e", "x".repeat(300 << 10));
  yard.advance(20);
  assert.deepEqual(yard.printed("a"), [`${heavy.id}\tReliable server event size overflow.`]);
});

rule("the server speaks to one client or to all, and its name must be registered there too", async (yard) => {
  await yard.put("a", {
    "server.lua": "AddEventHandler('go', function() TriggerClientEvent('to', 2, 'one') TriggerClientEvent('to', -1, 'all') TriggerClientEvent('inner', -1) end)",
    "client.lua": "RegisterNetEvent('to', function(what) TriggerServerEvent('heard', what, source) end) AddEventHandler('inner', function() print('never') end)",
  });
  await yard.started("b", { "server.lua": "RegisterNetEvent('heard', function(what, from) print(source, what, from) end)" });
  await yard.server.start("a");
  for (let i = 0; i < 2; i++) await yard.server.join({ client: true });
  yard.server.emit("go");
  yard.advance(60);
  assert.deepEqual(yard.printed("b").sort(), ["1\tall\t65535", "2\tall\t65535", "2\tone\t65535"]);
  assert.ok(yard.clientConsole.has("event inner was not safe for net"));
  assert.ok(!yard.clientConsole.has("never"));
});

rule("who is there when a resource starts does not join again", async (yard) => {
  await yard.put("a", { "server.lua": "AddEventHandler('playerJoining', function() print('joining', source, GetPlayerName(source)) end) for _, id in ipairs(GetPlayers()) do print(math.type(id) or type(id), id) end" });
  await yard.server.join({ name: "Sam" });
  await yard.server.start("a");
  await yard.server.join({ name: "Alex" });
  assert.deepEqual(yard.printed("a"), ["string\t1", "joining\t2\tAlex"]);
});

rule("a state bag is replicated from the server, and a client writes to its own only", async (yard) => {
  await yard.put("a", {
    "server.lua": "AddEventHandler('go', function() Player(1).state:set('radioTalking', true, true) Player(1).state:set('hidden', 1, false) GlobalState.code = 3 end) AddStateBagChangeHandler('mood', nil, function(bag, key, value) print(bag, key, value) end)",
    "client.lua": "AddEventHandler('look', function() print(LocalPlayer.state.radioTalking, LocalPlayer.state.hidden, GlobalState.code) LocalPlayer.state:set('mood', 'calm', true) print(pcall(function() GlobalState:set('code', 4, true) end)) end)",
  });
  await yard.server.start("a");
  const { client } = await yard.server.join({ client: true });
  yard.server.emit("go");
  yard.advance(20);
  client.emit("look");
  yard.advance(20);
  assert.ok(yard.clientConsole.has("true\tnil\t3"));
  assert.ok(yard.clientConsole.has("a client may not write to global"));
  assert.deepEqual(yard.printed("a"), ["player:1\tmood\tcalm"]);
});
