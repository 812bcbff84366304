// The client: its page, keys, and what it can see.
import assert from "node:assert/strict";
import { rule } from "./fixture.mjs";

const page = "ui_page 'nui/index.html'\nfiles { 'nui/*' }\nnui_callback_strict_mode 'true'";

async function radio(yard, client, files = {}) {
  await yard.put("radio", { "client.lua": client, "nui/index.html": "<!doctype html>", "server.lua": "", ...files }, page);
  await yard.server.start("radio");
  const player = await yard.server.join({ client: true });
  return { player, client: player.client, nui: player.client.pages.get("radio") };
}

rule("what is sent before the page listens is lost", async (yard) => {
  const { client, nui } = await radio(yard, "SendNUIMessage({ n = 1 }) AddEventHandler('go', function() SendNUIMessage({ n = 2, f = 463.0, list = {} }) end)");
  yard.advance(20);
  nui.listen();
  client.emit("go");
  yard.advance(20);
  assert.deepEqual([nui.lost, nui.messages], [1, [{ n: 2, f: 463, list: [] }]]);
});

rule("a callback is answered once, by its own page only", async (yard) => {
  const { nui } = await radio(yard, `RegisterNUICallback('ask', function(data, cb) CreateThread(function() Wait(40) cb({ got = data.n, kind = math.type(data.n), list = data.list }) end) end)
    RegisterNUICallback('twice', function(_, cb) cb(1) cb(2) end) RegisterNUICallback('bad', function() error('broken') end)`);
  const answer = nui.post("ask", { n: 5, list: [] });
  yard.advance(200);
  assert.deepEqual(await answer, { got: 5, kind: "integer", list: [] });
  const first = nui.post("twice");
  nui.post("bad");
  yard.advance(40);
  assert.equal(await first, 1);
  assert.ok(yard.errors.some((error) => /answered twice/.test(error)));
  assert.ok(yard.errors.some((error) => /broken/.test(error)));
  await assert.rejects(nui.post("nothing"), /no NUI callback nothing in radio/);
  await assert.rejects(nui.post("ask", {}, { from: "other" }), /other may not call radio's callbacks/);
});

rule("the page gets listed files only", async (yard) => {
  const { nui } = await radio(yard, "", { "secret.txt": "s", "nui/app.js": "1" });
  assert.equal(nui.file("nui/app.js").type, "text/javascript");
  assert.deepEqual([nui.file("secret.txt"), nui.file("server.lua"), nui.file("nui/../server.lua")], [null, null, null]);
});

rule("keys fire their commands, not while the page has the keyboard", async (yard) => {
  const { client } = await radio(yard, `RegisterCommand('+talk', function() print('down') end, false) RegisterCommand('-talk', function() print('up') end, false)
    RegisterKeyMapping('+talk', 'Talk', 'keyboard', 'LMENU') AddEventHandler('focus', function(f, keep) SetNuiFocus(f, f) SetNuiFocusKeepInput(keep) end)`);
  client.keys.press("lmenu");
  client.emit("focus", [true, false]);
  client.keys.release("lmenu"); // never seen
  client.keys.press("lmenu");
  client.emit("focus", [true, true]);
  client.keys.press("lmenu");
  client.keys.release("lmenu");
  assert.deepEqual(yard.clientConsole.lines, ["[radio] down", "[radio] down", "[radio] up"]);
  assert.deepEqual(client.keys.mappings.map(({ command, key }) => [command, key]), [["+talk", "LMENU"]]);
});

rule("a client sees who is near", async (yard) => {
  const { player, client } = await radio(yard, `AddEventHandler('look', function() print(GetPlayerServerId(PlayerId()), #GetActivePlayers(), GetPlayerFromServerId(2), GetPlayerFromServerId(3))
    print(#(GetEntityCoords(PlayerPedId()) - vector3(0, 0, 30)), IsEntityDead(PlayerPedId()), GetVehiclePedIsIn(PlayerPedId(), false)) end)`);
  await yard.server.join({ position: { x: 100, y: 0, z: 30 } });
  await yard.server.join({ position: { x: 5000, y: 0, z: 30 } });
  yard.server.world.get(player.ped).position.x = 3;
  client.emit("look");
  assert.deepEqual(yard.clientConsole.lines, ["[radio] 1\t2\t2\t-1", "[radio] 3.0\tfalse\t0"]);
});

rule("a resource's client goes with its server, for everybody", async (yard) => {
  const { player, client } = await radio(yard, "AddEventHandler('onResourceStop', function(name) print('stop', name) end) AddEventHandler('onClientResourceStart', function(name) print('start', name) end)");
  yard.server.stop("radio");
  yard.advance(20);
  assert.equal(client.runtimes.size, 0);
  await yard.server.start("radio");
  assert.deepEqual(yard.clientConsole.lines, ["[radio] start\tradio", "[radio] stop\tradio", "[radio] start\tradio"]);
  yard.server.drop(player.id);
  assert.equal(client.runtimes.size, 0);
});
