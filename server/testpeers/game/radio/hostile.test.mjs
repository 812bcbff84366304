// A player whose client is a program of an enemy: it sends whatever it likes under every
// name that the resource takes, as often as it likes. It changes nothing, gets no token,
// and the others notice nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Town } from "./town.mjs";

const names = ["radio:hello", "radio:offer", "radio:relay", "radio:refresh", "radio:sendCallsign"];

let town, dispatcher, victim, handheld, enemies;

before(async () => {
  town = await Town.open({
    config: 'Config.getUserNacId = function(id) return id < 40 and "PD" or "NOBODY" end', // the enemy may do nothing
    cfg: 'set radio_public_url "https://radio.example.org"',
  });
  dispatcher = await town.dispatcher();
  await dispatcher.must("addListeningChannel", "154.755");
  victim = await town.server.join({ id: 21, name: "Victim" });
  await town.registered(victim);
  handheld = await town.handheld(victim, { frequency: "154.755" });
  await town.equal();
});
after(() => town?.close());

/** enemy joins, speaks no more often than the game lets it, and is gone when it is dropped. */
async function enemy(id) {
  enemies++;
  const player = await town.server.join({ id, name: `Enemy ${id}` });
  await town.registered(player);
  return player;
}

/** unchanged runs an attack and compares everything about the others before and after. */
async function unchanged(attack) {
  const others = async () => {
    const { users, alerts, patches } = await town.service.state();
    return { users: users.filter(({ serverId }) => serverId < 40), alerts, patches };
  };
  await town.equal();
  const before = await others();
  // Who joins has a name and may give itself a callsign: that much is told to everybody.
  const ordinary = ({ event, arg }) => ["gps", "heartbeat_response"].includes(event) || (arg.serverId >= 40 && (event === "playerInfoUpdate" || (event === "dispatchNotification" && arg.type === "callsign")));
  const heard = [handheld.heard.length, dispatcher.heard.length];
  const begun = performance.now();
  enemies = 0;
  await attack();
  await town.equal();
  assert.deepEqual(await others(), before);
  assert.deepEqual(handheld.heard.slice(heard[0]).filter((each) => !ordinary(each)), [], "the victim heard of it");
  const callsigns = dispatcher.heard.slice(heard[1]).filter(({ event }) => event === "dispatchNotification").length;
  const seconds = (performance.now() - begun) / 1000;
  assert.ok(callsigns <= 3 * enemies + seconds, `dispatch was told ${callsigns} times in ${seconds} s`);
  assert.deepEqual(dispatcher.heard.slice(heard[1]).filter((each) => !ordinary(each)), [], "dispatch heard of it");
  assert.ok(handheld.socket.connected && dispatcher.socket.connected);
}

const tokens = (player) => player.received.flatMap(({ name, args }) => (name === "radio:link" && args[0].token ? [args[0].token] : []));

test("somebody else's id in the arguments means nothing", () => unchanged(async () => {
  const player = await enemy(41);
  const foreign = [21, "21", 21.0, -1, { serverId: 21 }, [21]];
  for (const id of foreign) {
    town.server.send(player, "radio:hello", { version: "x", nui: { path: "socket" }, serverId: id }, id);
    for (const [name, payload] of [
      ["panic", { enabled: true, frequency: "154.755", serverId: id }],
      ["triggerAlert", { frequency: "154.755", enabled: true, serverId: id }],
      ["setCallsign", { callsign: "STOLEN", serverId: id }],
      ["setSpeakerChannel", "154.755"],
      ["addListeningChannel", "154.755"],
      ["setTalking", { state: true, serverId: id }],
      ["acknowledgePanic", { serverId: id }],
      ["listenToUser", 21],
      ["updateUserInfo", { name: "Victim", nacId: "D-911" }],
      ["setDispatchSession", "x"],
    ]) town.server.send(player, "radio:relay", { id: `a-${name}`, name, payload, serverId: id, source: id }, id);
    town.server.send(player, "radio:sendCallsign", { callsign: "STOLEN", serverId: id });
    town.server.send(player, "radio:refresh", { serverId: id });
    town.server.send(player, "radio:offer", { id: "1", sdp: "v=0\r\n", serverId: id });
    await new Promise((resolve) => setTimeout(resolve, 400)); // within the limits, so that each is looked at
  }
  const token = await town.token(player);
  // The token is its own: it opens its own place and no other.
  const stolen = await town.radio.dial({ authToken: token, serverId: 21 }).ready().catch((error) => error);
  assert.ok(stolen instanceof Error || stolen.id === 41, `with its own token it became ${stolen.id}`);
  assert.deepEqual(tokens(player).filter((each) => tokens(victim).includes(each)), []);
  assert.ok(!JSON.stringify(player.received.filter(({ name }) => name.startsWith("radio:"))).includes("STOLEN"));
  town.server.drop(player.id);
}));

test("rubbish of every shape is taken without an error", () => unchanged(async () => {
  const player = await enemy(42);
  const deep = Array.from({ length: 60 }).reduce((inner) => [inner], "x");
  const rubbish = [[], [null], [null, 1], [true], [1.5], [Infinity], [-1], [""], ["radio"], ["\0\xff".repeat(50)], [{}], [[]], [{ id: {}, sdp: [] }], [{ id: 1, sdp: 5 }], [{ id: "1", name: {}, payload: 1 }],
    [{ id: "1", name: "panic", payload: deep }], [{ id: "1", name: "panic", payload: { frequency: { x: 1 }, enabled: "yes" } }], [{ id: "\u202e", name: "setCallsign", payload: { callsign: { toString: 1 } } }],
    [{ id: "1", name: "constructor" }], [{ id: "1", name: "panic\0" }], [{ callsign: 5 }], [{ callsign: "\u0007" }], [{ version: {}, nui: 5 }], [{ nui: { path: {} } }], ["a", "b", "c", { d: 1 }]];
  for (const name of names) {
    for (const args of rubbish) {
      town.server.send(player, name, ...args);
      await new Promise((resolve) => setTimeout(resolve, 21)); // 48 a second: none is lost on the way
    }
  }
  assert.ok(town.server.players.has(player.id), player.dropped);
  assert.deepEqual(town.game.errors, []);
  town.server.drop(player.id);
}));

test("large arguments are not passed on", () => unchanged(async () => {
  const posted = town.server.http.sent;
  for (const [i, name] of names.entries()) {
    const player = await enemy(50 + i); // 1 MB drops the sender: each name has its own
    const big = "x".repeat(1 << 20);
    town.server.send(player, name, name === "radio:sendCallsign" ? big : { id: big, name: "setCallsign", payload: { callsign: big }, sdp: `v=0${big}`, callsign: big, version: big });
    assert.equal(town.server.players.has(player.id), false, "the game server itself drops it");
    const under = await enemy(60 + i); // as much as the game server lets through
    const much = "x".repeat(100 << 10);
    town.server.send(under, name, name === "radio:sendCallsign" ? much : { id: "1", name: "setCallsign", payload: { callsign: much }, sdp: `v=0${much}`, callsign: much, version: much });
    town.game.tick();
    town.server.drop(under.id);
  }
  assert.ok(town.server.http.sent > posted, "players were registered meanwhile");
}));

test("two hundred events a second end the sender's game, not the radio", () => unchanged(async () => {
  const spent = () => town.server.runtimes.get("radio").spent;
  const before = spent();
  await Promise.all(names.map(async (name, i) => {
    const player = await enemy(70 + i);
    for (let tick = 0; town.server.players.has(player.id); tick++) {
      assert.ok(tick < 1000, `${name}: the flood is not ended`);
      for (let n = 0; n < 4; n++) town.server.send(player, name, { id: `${n}`, name: "setCallsign", payload: { callsign: "FLOOD" }, sdp: "v=0", callsign: "FLOOD", version: "x", nui: {} });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(player.dropped, "Reliable network event overflow.");
    assert.ok(tokens(player).length <= 1, `${tokens(player).length} tokens`);
  }));
  console.log(`five players with 200 events a second each cost the resource ${(spent() - before).toFixed(0)} ms before they were dropped`);
}));

test("one who stays just within the game's limits gets little done", () => unchanged(async () => {
  const player = await enemy(45);
  const posted = town.server.http.sent;
  const begun = performance.now();
  for (let n = 0; n < 100; n++) {
    town.server.send(player, names[n % names.length], { id: `${n}`, name: "setCallsign", payload: { callsign: `F${n}` }, sdp: "v=0\r\n", callsign: `F${n}`, version: "x", nui: { path: "socket" } });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - begun) / 1000;
  assert.ok(town.server.players.has(player.id));
  const sent = town.server.http.sent - posted;
  console.log(`${(sent / seconds).toFixed(1)} requests to the service per second while one player sent ${(100 / seconds).toFixed(0)} events`);
  // The mirror asks at most 20 times a second, positions go twice: little is left for this player.
  assert.ok(sent < 30 * (seconds + 1), `${sent} requests in ${seconds} s`);
  assert.ok(tokens(player).length <= Math.ceil(seconds / 2) + 1, `${tokens(player).length} links in ${seconds} s`);
  town.server.drop(player.id);
}));

test("a token of somebody who has left opens nothing", async () => {
  const player = await enemy(46);
  const token = await town.token(player);
  town.server.drop(player.id);
  await town.until("its end", async () => !(await town.service.state()).users.some(({ serverId }) => serverId === player.id));
  const refused = await town.radio.dial({ authToken: token, serverId: player.id }).ready().catch((error) => error);
  assert.ok(refused instanceof Error, "the token of a player who has left still opens the radio");
});

test("names of the server's own are not open to the network", () => unchanged(async () => {
  const player = await enemy(47);
  for (const name of ["playerDropped", "playerJoining", "onResourceStop", "__cfx_export_radio_setUserChannel", "__cfx_internal:httpResponse", "onServerResourceStop", "radio:link", "radio:answer"]) {
    town.server.send(player, name, 21, "radio");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await town.until("them", () => town.game.console.has("event playerDropped was not safe for net"));
  town.server.drop(player.id);
}));

test("no secret is anywhere where clients can read", async () => {
  const everything = JSON.stringify([...town.server.players.values()].map(({ received }) => received));
  assert.ok(!everything.includes("master-token-of-the-county"));
  assert.equal(town.server.convars.replicated("radio_token"), undefined);
  assert.deepEqual(town.game.errors, []);
});
