// The server side of the resource radio, unchanged, against a service that misbehaves on
// demand. How it gets on with the real one is tested elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { FakeService } from "./fakeservice.mjs";
import { Yard } from "../fixture.mjs";

const folder = fileURLToPath(new URL("../../../resource/radio", import.meta.url));

/** until polls; the limit is far beyond what anything here takes. */
async function until(what, check, limit = 20_000) {
  for (const end = Date.now() + limit; Date.now() < end; ) {
    if (check()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never happened: ${what}`);
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** scene runs check with a game and a service; no error of a script is expected. */
function scene(name, check, { before, as = "radio" } = {}) {
  test(name, { timeout: 120_000 }, async () => {
    const service = await new FakeService().open();
    const yard = new Yard({ clock: "machine" });
    yard.radio = (name, ...args) => yard.server.call("radio", name, ...args)[0];
    try {
      await yard.server.add(as, folder);
      await yard.server.exec(service.serverCfg);
      await before?.(yard, service);
      yard.run();
      await check(yard, service);
      assert.deepEqual(yard.errors, []);
    } finally {
      yard.close();
      service.close();
    }
  });
}

const up = (service, ids) => until("the players are registered", () => ids.every((id) => service.registered.has(id)));

scene("without settings it says what to write, and its exports give their failure values", async (yard) => {
  await yard.server.exec("set radio_token \"\"\nset radio_url 127.0.0.1:7777\nset radio_public_url http://radio.example.org");
  await yard.server.start("radio");
  assert.ok(yard.console.has(/radio_token is not set: put {2}set radio_token .* If it is there: add_convar_permission must name radio\.$/));
  assert.ok(yard.console.has(/radio_url must begin with http:\/\/ or https:\/\/ and name a host, not "127.0.0.1:7777"/));
  assert.ok(yard.console.has(/radio_public_url must be https/));
  assert.equal(yard.radio("getPlayerName", 1), undefined);
  assert.equal(yard.radio("setUserChannel", 1, "154.755"), false);
});

for (const how of ["the service names it", "radio_url has it"]) {
  scene(`another node is asked when this one is gone: ${how}`, async (yard, service) => {
    const other = await new FakeService().open();
    other.name = "other ";
    try {
      if (how === "radio_url has it") await yard.server.exec(`set radio_url "${service.url}/ ${other.url}"`);
      else service.nodes = `http://127.0.0.1:1 ${other.url}/`;
      const player = await yard.server.join({ name: "Ana" });
      await yard.server.start("radio");
      await up(service, [player.id]);
      await until("the picture has it", () => yard.radio("getPlayerName", player.id) !== undefined);
      const gone = Date.now();
      service.down = true;
      service.close();
      assert.equal(yard.radio("setUserChannel", player.id, "154.755"), true);
      await up(other, [player.id]);
      await until("the change is there", () => other.carriedOut.some((each) => each.do === "setUserChannel"));
      console.log(`the other node has the players after ${Date.now() - gone} ms`);
      await until("the pages are told", () => player.received.filter(({ name }) => name === "radio:moved").length === 1);
    } finally {
      other.close();
    }
  });
}

scene("every start registers all players, and the picture is the service's", async (yard, service) => {
  await yard.server.exec(`
    add_ace identifier.license:a radio.connect.154.755 allow
    add_ace identifier.license:a radio.zone.2 allow
    add_ace identifier.license:a radio.nac.BCSO allow
    add_ace identifier.license:a radio.scan.460.250 allow
    add_ace group.chief radio allow
    add_principal identifier.license:chief group.chief`);
  service.user(99, { name: "Ghost" }); // from before; nobody is there now
  service.user(-3, { name: "Dispatch", channel: "154.755" });
  await yard.server.join({ name: "^1Ann^7 Lee", identifiers: ["license:a", "ip:203.0.113.7"] });
  await yard.server.join({ name: "Chief", identifiers: ["license:chief"] });
  await yard.server.start("radio");
  await up(service, [1, 2]);
  assert.deepEqual(service.registered.get(1), {
    serverId: 1, name: "Ann Lee", identifiers: ["license:a"],
    aces: { connect: ["154.755"], scan: ["460.25"], gps: false, zones: [2], dispatch: false, nac: "BCSO" },
  });
  // Who may everything has no identity from that.
  assert.deepEqual(service.registered.get(2).aces, { connect: true, scan: true, gps: true, zones: true, dispatch: true });
  assert.equal(service.sent("/api/game/players")[0].replace, true);
  await until("the picture has them", () => yard.radio("getPlayerName", 2) === "Chief");
  assert.equal(yard.radio("getPlayerName", 99), undefined);
  assert.deepEqual(yard.radio("getSpeakersInChannel", 154.755), [-3]);
  service.user(1, { channel: "460.25", talking: ["460.25"] });
  await until("talking", () => yard.radio("isUserTalking", 1, "460.250") === true);
  assert.deepEqual(yard.radio("getActiveChannels"), ["154.755", "460.25"]);
  assert.equal(yard.server.bags.get("player:1", "radioTalking")?.length > 0, true);
  await yard.server.join({ name: "Late" });
  await up(service, [3]);
  yard.server.drop(2);
  await until("the dropped player is gone", () => !service.registered.has(2) && yard.radio("getPlayerName", 2) === undefined);
  // Permissions that change are seen by the next look.
  await yard.server.exec("add_ace identifier.license:a radio.dispatch allow");
  assert.equal(yard.radio("refreshNacId", 1), true);
  await until("asked after the player was sent anew", () => service.carriedOut.some((each) => each.do === "refreshNacId"));
  assert.equal(service.registered.get(1).aces.dispatch, true);
});

scene("a setter answers at once; a refusal is taken back and printed", async (yard, service) => {
  await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1]);
  await until("the picture has it", () => yard.radio("getPlayerName", 1) !== undefined);
  service.acted = (request) => {
    if (request.do === "setUserChannel") service.user(request.serverId, { channel: request.frequency });
    return service.seq;
  };
  assert.equal(yard.radio("setUserChannel", 1, "460.250"), true);
  assert.deepEqual(yard.radio("getSpeakersInChannel", 460.25), [1], "before the service has heard of it");
  await until("carried out", () => service.carriedOut.length === 1);
  assert.deepEqual(service.carriedOut, [{ do: "setUserChannel", serverId: 1, frequency: "460.25" }]);
  service.refuse.setUserNacId = "because";
  assert.equal(yard.radio("setUserNacId", 1, "LSPD"), true);
  assert.equal(yard.radio("getPlayerNacId", 1), "LSPD");
  await until("taken back", () => yard.radio("getPlayerNacId", 1) === undefined);
  assert.ok(yard.console.has("setUserNacId for 1 was refused by the service: because"));
  // Many in one tick are few requests, in order.
  service.carriedOut.length = 0;
  const before = service.sent("/api/game/do").length;
  for (let i = 0; i < 250; i++) yard.radio("setCallsign", 1, `C-${i}`);
  assert.equal(yard.radio("getCallsign", 1), "C-249");
  await until("all carried out", () => service.carriedOut.length === 250);
  assert.deepEqual(service.carriedOut.map(({ callsign }) => callsign), Array.from({ length: 250 }, (_, i) => `C-${i}`));
  assert.equal(service.sent("/api/game/do").length - before, 3);
});

scene("what was done stays visible until the picture has it by itself", async (yard, service) => {
  await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1]);
  await until("the picture has it", () => yard.radio("getPlayerName", 1) !== undefined);
  let due;
  service.acted = () => due = service.seq + 1; // visible with the next change
  assert.equal(yard.radio("setAlertOnChannel", "154.755", true), true);
  await until("carried out", () => due > 0);
  await pause(200);
  assert.equal(yard.radio("getChannelAlert", 154.755).name, "SIGNAL 100");
  service.change({ type: "alert", frequency: "154.755", alert: { name: "Other", isPersistent: true } });
  await until("the service's own word counts", () => yard.radio("getChannelAlert", "154.755").name === "Other");
});

scene("a request whose answer is lost is sent again and carried out once", async (yard, service) => {
  await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1]);
  await until("the picture has it", () => yard.radio("getPlayerName", 1) !== undefined);
  service.cut = 2;
  yard.radio("playToneOnSource", 1, "BEEP");
  await until("three attempts", () => service.sent("/api/game/do").length === 3);
  await pause(100);
  assert.equal(service.carriedOut.length, 1);
  assert.equal(new Set(service.sent("/api/game/do").map(({ requests }) => requests[0].id)).size, 1);
});

scene("a service that starts anew learns who is here, and tokens are kept", async (yard, service) => {
  await yard.server.join();
  await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1, 2]);
  await until("the picture has them", () => yard.radio("getPlayerName", 2) !== undefined);
  const tokens = [...service.tokens.values()];
  service.down = true;
  service.restart();
  service.users.clear();
  await until("the operator is told", () => yard.console.has("no connection to the radio service"));
  assert.equal(yard.radio("getPlayerName", 1), "Player", "exports go on with what was known");
  assert.equal(yard.radio("setCallsign", 1, "X"), true, "it waits");
  await pause(1500);
  service.down = false;
  await up(service, [1, 2]);
  await until("sent when it was back", () => service.carriedOut.some((each) => each.callsign === "X"));
  assert.deepEqual([...service.tokens.values()], tokens);
  assert.equal(service.sent("/api/game/players").filter(({ replace }) => replace).length, 2);
  // The ring is overrun: the picture comes anew, nobody is registered again.
  service.user(1, { callsign: "Z" });
  service.overrun();
  service.user(2, { callsign: "Y" });
  service.overrun();
  service.change({ type: "patches", patches: [] });
  await until("the picture is whole", () => yard.radio("getCallsign", 1) === "Z" && yard.radio("getCallsign", 2) === "Y");
  assert.equal(service.sent("/api/game/players").filter(({ replace }) => replace).length, 2);
});

scene("a resource that starts again replaces everybody and asks for new tokens", async (yard, service) => {
  await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1]);
  const token = service.tokens.get(1);
  yard.server.stop("radio");
  await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1, 2]);
  assert.notEqual(service.tokens.get(1), token);
});

scene("a wrong token is told in words, and found again when it is put right", async (yard, service) => {
  service.status = 401;
  await yard.server.start("radio");
  await until("said", () => yard.console.has("no connection to the radio service: it does not accept radio_token"));
  service.status = 0;
  await until("connected", () => yard.console.has("connected to the radio service at"));
});

scene("the operator's callbacks are answered here, with their limits", async (yard, service) => {
  await yard.put("qb-core", { "server.lua": `
    exports('GetPlayer', function(src)
      if src == 3 then Wait(50) end -- one that takes its time
      return { job = src == 1 and 'LSPD' or nil, name = 'Sgt. ' .. src }
    end)` });
  await yard.server.start("qb-core");
  service.config.callbacks = ["radioAccessCheck", "getUserNacId", "getPlayerName"];
  service.callbacks = { file: "config.lua", names: service.config.callbacks, source: `
    Config = {}
    Config.authToken = ""
    function Config.radioAccessCheck(id)
      if id == 4 then Wait(600000) end
      return id ~= 2
    end
    function Config.getUserNacId(id) return exports['qb-core']:GetPlayer(id).job end
    function Config.getPlayerName(id)
      if id == 2 then error('no such character') end
      return exports['qb-core']:GetPlayer(id).name
    end` };
  for (let i = 0; i < 4; i++) await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1, 2, 3, 4]);
  await until("answered", () => [1, 2, 3].every((id) => service.registered.get(id).access !== undefined));
  const answers = (id) => {
    const { access, callbackNac, callbackName } = service.registered.get(id);
    return { access, callbackNac, callbackName };
  };
  assert.deepEqual(answers(1), { access: true, callbackNac: "LSPD", callbackName: "Sgt. 1" });
  assert.deepEqual(answers(2), { access: false, callbackNac: "", callbackName: undefined });
  assert.deepEqual(answers(3), { access: true, callbackNac: "", callbackName: "Sgt. 3" });
  assert.ok(yard.console.has(/Config.getPlayerName failed: .*no such character/));
  // One that never answers shuts nobody out, and holds up nobody else.
  await until("the slow one is given up", () => yard.console.has(/Config.radioAccessCheck, getUserNacId, getPlayerName: longer than 2000 ms for player 4/));
  assert.deepEqual(answers(4), { access: undefined, callbackNac: undefined, callbackName: undefined });
});

scene("a refresh asks about every player, however slow the callbacks are", async (yard, service) => {
  await yard.put("jobs", { "server.lua": `
    local job = 'LSPD'
    exports('Change', function(new) job = new end)
    exports('Of', function()
      Wait(1300) -- two rounds of ten take longer than the resource waits
      return job
    end)` });
  await yard.server.start("jobs");
  service.config.callbacks = ["getUserNacId"];
  service.callbacks = { file: "config.lua", names: service.config.callbacks, source: "Config = {} function Config.getUserNacId(id) return exports.jobs:Of() end" };
  const ids = Array.from({ length: 22 }, (_, i) => i + 1);
  for (const _ of ids) await yard.server.join();
  await yard.server.start("radio");
  await up(service, ids);
  const all = (nac) => ids.every((id) => service.registered.get(id).callbackNac === nac);
  await until("all have their first answers", () => all("LSPD"));
  yard.server.call("jobs", "Change", "EMS");
  assert.equal(yard.radio("refreshPlayerInfo"), ids.length);
  await until("all have their second answers", () => all("EMS"));
});

scene("a framework that starts after the radio, or again, is asked", async (yard, service) => {
  const framework = (job) => ({ "server.lua": `
    local core = { jobOf = function() return '${job}' end }
    exports('GetCoreObject', function() return core end)` });
  await yard.put("other", { "server.lua": "" });
  await yard.put("qb-core", framework("LSPD"));
  service.config.callbacks = ["getUserNacId"];
  service.callbacks = { file: "config.lua", names: service.config.callbacks, source: `
    Config = {}
    local QBCore = exports['qb-core']:GetCoreObject()
    function Config.getUserNacId(id) return QBCore.jobOf(id) end` };
  await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1]);
  await until("said", () => yard.console.has("config.lua of the service does not run here: config.lua:3: No such export GetCoreObject in resource qb-core. Unanswered: getUserNacId."));
  const fetched = () => service.requests.filter(({ path }) => path === "/api/game/callbacks").length;
  const before = fetched();
  await yard.server.start("other"); // is nothing to it
  await yard.server.start("qb-core");
  await until("answered", () => service.registered.get(1).callbackNac === "LSPD");
  await yard.put("qb-core", framework("EMS"));
  await yard.server.restart("qb-core");
  await until("answered anew", () => service.registered.get(1).callbackNac === "EMS");
  assert.equal(fetched() - before, 2);
});

scene("a client gets nothing by spoofing, flooding or nonsense", async (yard, service) => {
  const [honest, hostile] = [await yard.server.join(), await yard.server.join()];
  await yard.server.start("radio");
  await up(service, [1, 2]);
  await until("the picture has them", () => yard.radio("getPlayerName", 2) !== undefined);
  const send = (name, ...args) => yard.server.send(hostile, name, ...args);
  send("radio:hello", { serverId: 1, nui: { serverId: 1, path: "socket" } });
  await until("its own link", () => hostile.received.some(({ name }) => name === "radio:link"));
  const link = hostile.received.find(({ name }) => name === "radio:link").args[0];
  assert.deepEqual(Object.keys(link).sort(), ["path", "serverId", "version"], "no token on this path");
  assert.equal(link.serverId, 2);
  // Whatever the arguments say, it acts as itself.
  send("radio:relay", { id: "a", name: "panic", payload: { frequency: "154.755", enabled: true, serverId: 1 }, serverId: 1 });
  await until("relayed", () => hostile.received.some(({ name }) => name === "radio:relayed"));
  assert.deepEqual(service.carriedOut.filter((each) => each.do === "event").map(({ serverId, name }) => [serverId, name]), [[2, "panic"]]);
  service.carriedOut.length = 0;
  for (const name of ["setTalking", "voice", "updateUserInfo", "acknowledgePanic", "", "panic\0", {}, 7, null]) send("radio:relay", { id: "b", name, payload: {} });
  const deep = {};
  for (let i = 0, at = deep; i < 50; i++) at = at.x = {};
  for (const payload of ["x".repeat(5000), deep, Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1]))]) {
    send("radio:relay", { id: "c", name: "panic", payload });
  }
  for (const args of [[], [null], ["\xff".repeat(200)], [7], [{}], [{ id: {}, sdp: 5 }], [{ id: "o", sdp: "v=0" + "x".repeat(20_000) }], [{ id: "o", sdp: "not an offer" }]]) {
    for (const name of ["radio:hello", "radio:offer", "radio:relay", "radio:refresh", "radio:sendCallsign"]) send(name, ...args);
    await pause(60);
  }
  await pause(300);
  assert.deepEqual(service.carriedOut.filter((each) => each.do === "event"), []);
  assert.deepEqual(service.sent("/api/game/webrtc"), []);
  // 200 events a second: the game lets some through, the resource few of those.
  for (let i = 0; i < 200; i++) send("radio:relay", { id: i, name: "radioState", payload: { power: true } });
  await pause(1000);
  const through = service.carriedOut.filter((each) => each.do === "event").length;
  assert.ok(through > 0 && through <= 62, `${through} events reached the service`);
  // The other one notices nothing.
  yard.server.send(honest, "radio:hello", { version: "1", nui: "1" });
  yard.server.send(honest, "radio:sendCallsign", "1A-12");
  await until("its callsign", () => service.carriedOut.some((each) => each.name === "setCallsign" && each.serverId === 1 && each.payload.callsign === "1A-12"));
  yard.server.send(honest, "radio:offer", { id: "mine", sdp: "v=0 offer" });
  await until("an answer", () => honest.received.some(({ name }) => name === "radio:answer"));
  assert.deepEqual(honest.received.find(({ name }) => name === "radio:answer").args, [{ id: "mine", sdp: "v=0 answer for 1" }]);
  const everything = JSON.stringify([...honest.received, ...hostile.received, ...yard.console.lines]);
  assert.ok(![...service.tokens.values(), "master-token"].some((token) => everything.includes(token)), "a token was sent or printed");
  await yard.server.exec("radio_status");
  assert.ok(yard.console.has(/events dropped, by player: 2: \d+/));
});

scene("a client whose event does not reach the service is not told its address", async (yard, service) => {
  const player = await yard.server.join();
  await yard.server.start("radio");
  await up(service, [1]);
  await until("the picture has it", () => yard.radio("getPlayerName", 1) !== undefined);
  service.cut = Infinity;
  yard.server.send(player, "radio:relay", { id: 7, name: "panic", payload: { enabled: true } });
  await until("the first attempt", () => service.carriedOut.length === 1);
  const { now } = yard.clock;
  yard.clock.now = () => now() + 16_000; // longer than a change may be on its way
  const relayed = () => player.received.filter(({ name }) => name === "radio:relayed").map(({ args }) => args[0]);
  await until("given up", () => relayed().length === 1);
  assert.deepEqual(relayed(), [{ id: 7, ok: false, error: "The radio service does not answer" }]);
});

scene("the second path needs https, and gives the token to its own player", async (yard, service) => {
  await yard.server.exec("setr radio_public_url https://radio.example.org/");
  const [one, two] = [await yard.server.join(), await yard.server.join()];
  await yard.server.start("radio");
  yard.server.send(one, "radio:hello", { version: "1", nui: { version: "1", path: "webrtc" } }); // before it is registered
  const links = () => one.received.filter(({ name }) => name === "radio:link").map(({ args }) => args[0]);
  await until("its link", () => links().length === 1);
  assert.deepEqual([links()[0].path, links()[0].token], ["webrtc", undefined]);
  await pause(2100);
  yard.server.send(one, "radio:hello", { version: "1", nui: { version: "1", path: "socket" } });
  await until("the other path", () => links().length === 2);
  const { path, url, token } = links()[1];
  assert.deepEqual({ path, url, token }, { path: "socket", url: "https://radio.example.org", token: service.tokens.get(1) });
  assert.ok(!JSON.stringify(two.received).includes("token"));
});

scene("a client that does not get through by WebRTC is given the second path, and after it the first again", async (yard, service) => {
  await yard.server.exec("setr radio_public_url https://radio.example.org/");
  await yard.server.start("radio");
  const player = await yard.server.join({ client: true });
  const page = player.client.page("radio");
  page.listen();
  await page.post("ready", { version: "1", browser: "none", settings: {} });
  const paths = () => page.messages.filter(({ type }) => type === "link").map(({ path, url, token }) => [path, url, token]);
  const { now } = yard.clock;
  for (const n of [1, 2, 3]) {
    await until(`link ${n}`, () => paths().length >= n);
    yard.clock.now = () => now() + n * 16_000; // longer than a client waits for a connection
  }
  const first = ["webrtc", undefined, undefined];
  assert.deepEqual(paths().slice(0, 3), [first, ["socket", "https://radio.example.org", service.tokens.get(player.id)], first]);
});

scene("positions go in one message; a voice is placed at the radio that plays it", async (yard, service) => {
  await yard.server.join({ position: { x: 0, y: 0, z: 30 } }); // talks, far away
  const carrier = await yard.server.join({ position: { x: 1000, y: 0, z: 30 } }); // has the radio
  const passer = await yard.server.join({ position: { x: 1010.123456, y: 0, z: 30 } });
  const far = await yard.server.join({ position: { x: 1100, y: 0, z: 30 } });
  await yard.server.join({ spawned: false });
  await yard.server.start("radio");
  await up(service, [1, 2, 3, 4, 5]);
  await until("positions", () => service.positions.length === 4);
  assert.deepEqual(service.positions.find(([id]) => id === 3), [3, 1010.12, 0, 30]);
  service.user(2, { channel: "154.755" });
  service.user(1, { channel: "154.755", talking: ["154.755"] });
  const scenes = (player) => player.received.filter(({ name }) => name === "radio:scene").map(({ args }) => args[0].radios);
  await until("a scene", () => scenes(passer).length > 0);
  assert.deepEqual(scenes(passer)[0], [[1000, 0, 30, 1]]);
  assert.deepEqual([scenes(carrier), scenes(far)], [[], []]);
  service.user(2, { radio: { power: true, earbuds: true } });
  await until("earbuds", () => scenes(passer).at(-1).length === 0);
  service.user(2, { radio: { power: true, earbuds: false } });
  await until("again", () => scenes(passer).at(-1).length === 1);
  const crowd = Array.from({ length: 40 }, (_, i) => 101 + i);
  for (const id of crowd) service.user(id, { channel: "460.250", talking: ["460.250"] });
  const before = scenes(passer).length;
  await until("scenes go on beside a crowd, though less often", () => scenes(passer).length > before + 2);
  for (const id of [1, ...crowd]) service.user(id, { talking: [] });
  await until("the end", () => scenes(passer).at(-1).length === 0);
});

scene("a folder with another name answers to radio, and only listed resources may change things", async (yard, service) => {
  await yard.put("cad", { "server.lua": "function Try() return exports.radio:setCallsign(1, 'A'), exports.radio:getPlayerName('1') end exports('try', Try)" });
  await yard.put("prank", { "server.lua": "exports('try', function() return exports['my_radio']:setCallsign(1, 'B'), exports['my_radio']:getPlayerName(1) end)" });
  await yard.server.exec("set radio_callers \"cad other\"\nset radio_token \"master-token\"\nadd_convar_permission my_radio read radio_token");
  await yard.server.join();
  for (const name of ["cad", "prank", "my_radio"]) await yard.server.start(name);
  await up(service, [1]);
  await until("the picture has it", () => yard.server.call("my_radio", "getPlayerName", 1)[0] != null);
  assert.deepEqual(yard.server.call("cad", "try"), [true, "Player"]);
  assert.deepEqual(yard.server.call("prank", "try"), [false, "Player"]);
  assert.ok(yard.console.has("prank may not call setCallsign: it is not in radio_callers"));
  // What callers have kept of the old one is forgotten with it.
  await yard.server.restart("my_radio");
  await until("answers again", () => yard.server.call("cad", "try")[1] === "Player");
}, { as: "my_radio" });
