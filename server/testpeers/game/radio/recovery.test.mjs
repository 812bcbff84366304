// What goes wrong between a game server and its radio. Afterwards the mirror equals the
// service's state again, within two seconds on a quiet machine.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Town, within } from "./town.mjs";

let town, dispatcher, units;

before(async () => {
  town = await Town.open({
    config: 'Config.getUserNacId = function() return "PD" end',
    cfg: 'set radio_public_url "https://radio.example.org"',
  });
  dispatcher = await town.dispatcher();
  units = [];
  for (let i = 0; i < 5; i++) units.push(await town.server.join({ id: 21 + i, name: `Unit ${i}` }));
  await town.registered(...units);
  await Promise.all(units.map((unit) => town.handheld(unit, { frequency: "154.755", reconnection: true })));
  await town.equal();
});
after(() => town?.close());

const told = (name, ms) => console.log(`${name}: equal after ${Math.round(ms)} ms (${within} wanted)`);

test("the service is killed and started again", async () => {
  assert.equal(town.call("setCallsign", units[0].id, "4-K-1"), true);
  await town.equal();
  const { epoch } = await town.service.state();
  await town.service.kill();
  assert.deepEqual(town.call("getSpeakersInChannel", 154.755).length, 5, "it answers what it knew");
  await town.until("the end is noticed", () => town.game.console.has("no connection to the radio service"));
  await town.service.again();
  const ms = await town.until("a new epoch", async () => {
    const state = await town.service.state();
    return state.epoch !== epoch && state.users.filter(({ serverId, channel }) => serverId > 0 && channel).length === 5;
  });
  told("restart", ms + (await town.equal()));
  assert.equal(town.call("getCallsign", units[0].id), "4-K-1");
});

test("a setter while the service is away is carried out when it is back", async () => {
  await town.service.freeze();
  assert.equal(town.call("setUserChannel", units[1].id, "460.25"), true);
  assert.deepEqual(town.call("getSpeakersInChannel", 460.25), [units[1].id], "seen at once");
  await town.service.thaw();
  await town.until("the move", async () => (await town.service.state()).users.find(({ serverId }) => serverId === units[1].id).channel === "460.25");
  told("thaw", await town.equal());
});

test("more changes than the ring holds give a new snapshot", async () => {
  town.game.pause(); // a game server that hangs asks for nothing
  const { next } = await town.service.state();
  for (let round = 0; round < 90; round++) {
    const requests = Array.from({ length: 100 }, (_, i) => ({ id: `ring-${round}-${i}`, do: "event", serverId: units[i % 5].id, name: Math.floor(i / 5) % 2 ? "removeListeningChannel" : "addListeningChannel", payload: "154.81" }));
    await town.service.ask("POST", "/api/game/do", { requests });
  }
  await town.service.does({ do: "setCallsign", serverId: units[3].id, callsign: "OVERRUN" });
  const state = await town.service.state();
  assert.ok(state.next - next > 8192, `${state.next - next} changes are more than the ring's`);
  const { reset } = await town.service.ask("GET", `/api/game/changes?epoch=${encodeURIComponent(state.epoch)}&since=${next}&wait=0`);
  assert.equal(reset, true, "the service has forgotten the first");
  town.game.run();
  told("ring overrun", await town.equal());
  assert.equal(town.call("getCallsign", units[3].id), "OVERRUN");
});

test("a refused setter is undone and told to the operator", async () => {
  const [{ id }] = units;
  const before = town.call("getCallsign", id);
  const long = "x".repeat(40); // how long it may be is the service's rule, which no Lua repeats
  assert.equal(town.call("setCallsign", id, long), true);
  assert.equal(town.call("getCallsign", id), long, "seen at once");
  await town.until("the refusal", () => town.game.console.has(new RegExp(`setCallsign for ${id} was refused by the service`)));
  told("refusal", await town.equal());
  assert.equal(town.call("getCallsign", id), before);
});

test("a patch that conflicts is refused with 409, and nothing changes", async () => {
  const make = (frequencies) => town.radio.post("/api/patch/create", { label: "both", frequencies }, dispatcher.session);
  dispatcher = await town.dispatcher(-2, "SECOND");
  assert.equal((await make(["154.755", "460.250"])).status, 201);
  assert.equal((await make(["154.755", "154.810"])).status, 409);
  told("409", await town.equal());
});

test("the resource is restarted with players on", async () => {
  const places = () => units.map(({ id }) => ["154.755", "154.81", "460.25"].filter((frequency) => town.call("getSpeakersInChannel", frequency).includes(id)));
  const before = places();
  await town.server.exec("restart radio");
  const ms = await town.until("the mirror", () => town.call("getPlayerName", units[0].id) !== null);
  told("restart of the resource", ms + (await town.equal()));
  assert.deepEqual(places(), before, "nobody has left a channel");
  assert.equal(before.flat().length, 5);
});

test("exports before the first snapshot give their failure values", async () => {
  await town.service.freeze();
  await town.server.exec("restart radio");
  assert.deepEqual([
    town.call("getActiveChannels"), town.call("getChannelInfo", 154.755), town.call("setUserChannel", units[0].id, 154.755), town.call("getChannelPanic", 154.755),
    town.call("isUserTalking", units[0].id, 154.755), town.call("refreshPlayerInfo"),
  ], [null, null, false, null, false, 0]);
  await town.service.thaw();
  told("first snapshot", await town.equal());
});

test("players who left while the service was away are gone", async () => {
  await town.service.kill();
  town.server.drop(units.pop().id);
  await town.service.again();
  await town.until("four players", async () => (await town.service.state()).users.filter(({ serverId }) => serverId > 0).length === 4);
  told("left meanwhile", await town.equal());
});

test("a resource without a token says what to do, and its exports fail", async () => {
  const lost = await Town.open({ service: town.service, radio: false });
  await lost.server.exec('set radio_token ""\nensure radio');
  assert.ok(lost.game.console.has("radio_token is not set"), lost.game.console.lines.join("\n"));
  assert.equal(lost.call("getChannelInfo", 154.755), null);
  await lost.server.exec('set radio_token "wrong-token"\nrestart radio');
  await lost.until("the reason", () => lost.game.console.has("it does not accept radio_token"));
  await lost.close();
});

test("nothing of all that was an error of a script", () => {
  assert.deepEqual(town.game.errors, []);
});
