// The server's permissions, convars and HTTP.
import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { Aces } from "./aces.mjs";
import { rule, Yard } from "./fixture.mjs";
import { connectionsPerHost } from "./http.mjs";

test("permissions walk from the object to its root, and a denial on the way wins", () => {
  const aces = new Aces();
  for (const [principal, object, verdict] of [
    ["group.police", "radio.connect.154.755", "allow"],
    ["group.fire", "radio.connect.460", "allow"],
    ["group.chief", "radio", "allow"],
    ["group.trainee", "radio.connect.154.755", "deny"],
    ["group.loud", "radio", "deny"],
    ["identifier.license:a", "radio.connect", "allow"],
    ["player.7", "radio.connect.155", "deny"],
  ]) aces.add(principal, object, verdict);
  aces.inherit("group.sergeant", "group.police");
  aces.inherit("group.cadet", "group.sergeant");
  aces.inherit("group.cadet", "group.trainee");
  aces.inherit("group.loud", "group.chief");
  const cases = [
    ["group.police", "radio.connect.154.755", true],
    ["GROUP.Police", "RADIO.connect.154.755", true],
    ["group.police", "radio.connect.154", false],
    ["group.police", "radio.connect", false],
    ["group.fire", "radio.connect.460.250", true], // the dot of the frequency is a level
    ["group.fire", "radio.connect.461", false],
    ["group.chief", "radio.nac.anything", true],
    ["group.sergeant", "radio.connect.154.755", true],
    ["group.cadet", "radio.connect.154.755", false], // inherits a denial, too
    ["group.loud", "radio.scan.1", false],
    ["group.chief", "radi", false],
    ["group.nobody", "radio", false],
  ];
  for (const [principal, object, want] of cases) assert.equal(aces.allowed(principal, object), want, `${principal} ${object}`);
  assert.equal(aces.anyAllowed(["player.7", "identifier.license:a"], "radio.connect.155"), true, "another of the player's principals passes");
  assert.equal(aces.anyAllowed(["player.7"], "radio.connect.155"), false);
  aces.add("builtin.everyone", "radio.connect.155", "deny");
  assert.equal(aces.anyAllowed(["player.7", "identifier.license:a"], "radio.connect.155"), false, "everyone is denied");
  aces.remove("group.police", "radio.connect.154.755");
  assert.equal(aces.allowed("group.sergeant", "radio.connect.154.755"), false);
  assert.throws(() => aces.add("a", "b", "maybe"), /allow or deny, not maybe/);
});

rule("a player is each of its identifiers", async (yard) => {
  await yard.server.exec('add_ace identifier.license:abc "radio.connect.154.755" allow\nadd_principal identifier.discord:5 group.admin\nadd_ace group.admin radio.dispatch allow');
  await yard.server.join({ identifiers: ["license:abc", "discord:5"] });
  await yard.server.join({ identifiers: ["license:xyz"] });
  await yard.started("a", { "server.lua": "for i = 1, 3 do print(not not IsPlayerAceAllowed(i, 'radio.connect.154.755'), not not IsPlayerAceAllowed(tostring(i), 'radio.dispatch.all'), #GetPlayerIdentifiers(i), GetPlayerIdentifierByType(i, 'license')) end" });
  assert.deepEqual(yard.printed("a"), ["true\ttrue\t2\tlicense:abc", "false\tfalse\t1\tlicense:xyz", "false\tfalse\t0\tnil"]);
});

rule("a convar is everybody's until somebody has permission, and a client sees what is replicated", async (yard) => {
  await yard.server.exec('set radio_token "secret words"\nset plain 1\nsetr radio_ptt_key LMENU # a comment\nadd_convar_permission a read radio_token');
  const look = "print(GetConvar('radio_token', 'none'), GetConvar('plain', 'none'), GetConvar('radio_ptt_key', 'none'), GetConvarInt('plain', 7), GetConvarInt('nothing', 7))";
  await yard.started("a", { "server.lua": look, "client.lua": look });
  await yard.started("b", { "server.lua": look });
  await yard.server.join({ client: true });
  assert.deepEqual(yard.printed("a"), ["secret words\t1\tLMENU\t1\t7"]);
  assert.deepEqual(yard.printed("b"), ["none\t1\tLMENU\t1\t7"]);
  assert.deepEqual(yard.clientConsole.lines, ["[a] none\tnone\tLMENU\t7\t7"]);
});

rule("commands run for the console and for players, restricted ones by permission", async (yard) => {
  await yard.started("a", { "server.lua": "RegisterCommand('roster', function(src, args, raw) print(src, args[1], raw) end, false) RegisterCommand('ban', function(src) print('ban', src) end, true)" });
  const { client } = await yard.server.join({ client: true });
  await yard.server.exec("roster 12\nban");
  client.execute("/roster x");
  client.execute("/ban");
  await yard.server.exec("add_ace player.1 command.ban allow");
  client.execute("/ban");
  assert.deepEqual(yard.printed("a"), ["0\t12\troster 12", "ban\t0", "1\tx\troster x", "ban\t1"]);
  assert.ok(yard.console.has("Access denied for command ban"));
});

/** site answers with HTTP as the test says, on a port of its own. */
async function site(answer) {
  const server = http.createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

/** ticking moves the game on while something real happens. */
async function ticking(yard, until) {
  for (let i = 0; i < 1000 && !until(); i++) {
    yard.advance(20);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const ask = `function Ask(path, method, data, headers)
  PerformHttpRequest(GetConvar('site', '') .. path, function(status, body, headers, failure) print(path, status, body, type(headers), failure) end, method, data, headers)
end\n`;

rule("an answer comes whole; from 400 on its text is in the fourth value", async (yard) => {
  const { url, close } = await site((request, reply) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      if (request.url === "/conflict") reply.writeHead(409).end('{"error":"taken"}');
      else reply.end(`${request.method} ${request.headers["x-mark"]} ${text}`);
    });
  });
  await yard.server.exec(`set site ${url}`);
  await yard.started("a", { "server.lua": `${ask}Ask('/ok', 'POST', 'bytes \\255', { ['X-Mark'] = 'm' }) Ask('/conflict', 'POST', '{}') Ask('/bad', 'GET', '', { number = 1 })
    CreateThread(function() print('awaited', (PerformHttpRequestAwait(GetConvar('site', '') .. '/x', 'GET'))) end)
    PerformHttpRequest('http://127.0.0.1:1/', function(status, body, _, failure) print('nobody', status, body, failure ~= nil) end)` });
  await ticking(yard, () => yard.printed("a").length === 5);
  close();
  assert.deepEqual(yard.printed("a").sort(), ["/bad\t0\tnil\ttable\theader number is not a string", '/conflict\t409\tnil\ttable\tHTTP 409: {"error":"taken"}',
    "/ok\t200\tPOST m bytes \ufffd\ttable\tnil", "awaited\t200", "nobody\t0\tnil\ttrue"]);
});

test("a request without a byte in five seconds ends, one byte or a length keeps it", async () => {
  const held = [];
  const { url, close } = await site((request, reply) => {
    if (request.url === "/space") reply.writeHead(200), reply.write(" ");
    if (request.url === "/length") reply.writeHead(200, { "Content-Length": 2 }), reply.flushHeaders();
    if (request.url === "/headers") reply.writeHead(200), reply.flushHeaders(); // headers alone do not count
    if (request.url !== "/silent") held.push(reply);
    if (request.url === "/later") reply.end();
  });
  const yard = new Yard();
  await yard.server.exec(`set site ${url}`);
  await yard.started("a", { "server.lua": `${ask}Ask('/space') Ask('/length') Ask('/headers') Ask('/silent')` });
  await ticking(yard, () => yard.printed("a").length >= 2);
  assert.deepEqual(yard.printed("a").map((line) => line.split("\t").slice(0, 2)).sort(), [["/headers", "0"], ["/silent", "0"]]);
  for (const reply of held) if (!reply.writableEnded) reply.end("{}");
  await ticking(yard, () => yard.printed("a").length >= 4);
  assert.deepEqual(yard.printed("a").map((line) => line.split("\t").slice(0, 3)).sort().map(String), ["/headers,0,nil", "/length,200,{}", "/silent,0,nil", "/space,200, {}"]);
  close();
  yard.close();
});

test("a host gets eight connections", async () => {
  let open = 0, most = 0;
  const { url, close } = await site((request, reply) => {
    most = Math.max(most, ++open);
    setTimeout(() => (open--, reply.end()), 20);
  });
  const yard = new Yard();
  await yard.server.exec(`set site ${url}`);
  await yard.started("a", { "server.lua": `${ask}for i = 1, 40 do Ask('/' .. i) end` });
  await ticking(yard, () => yard.printed("a").length >= 40);
  assert.equal(yard.printed("a").length, 40);
  assert.equal(most, connectionsPerHost);
  close();
  yard.close();
});
