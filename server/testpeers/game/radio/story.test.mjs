// The resource beside an operator's own, against the running service: what scripts do is
// seen by real clients, and what clients do by scripts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Town } from "./town.mjs";

// An operator's callbacks, which only the game server can answer.
const config = `
Config.radioAccessCheck = function(source) return exports.ox_inventory:GetItemCount(source, 'radio') > 0 end
Config.getUserNacId = function(source)
    local player = exports['qb-core']:GetCoreObject().Functions.GetPlayer(source)
    return player and player.PlayerData.job.type == 'leo' and 'PD' or nil
end
Config.getPlayerName = function(source)
    local player = exports['qb-core']:GetCoreObject().Functions.GetPlayer(source)
    return player and (player.PlayerData.charinfo.firstname .. ' ' .. player.PlayerData.charinfo.lastname) or nil
end`;

let town, dispatcher, officer, handheld;

before(async () => {
  town = await Town.open({
    config,
    cfg: 'set radio_public_url "https://radio.example.org"\nadd_ace identifier.license:chief radio.dispatch allow',
    resources: ["qb-core", "es_extended", "ox_inventory", "police_job", "radio_shop"],
  });
  dispatcher = await town.dispatcher();
});
after(() => town?.close());

test("a player gets name, NAC id and access from the operator's callbacks", async () => {
  officer = await town.server.join({ id: 21, name: "steam name", identifiers: ["license:1"] });
  await town.registered(officer);
  await town.until("the callbacks' answers", () => town.call("getPlayerName", officer.id) === `Sam Number ${officer.id}`);
  assert.equal(town.call("hasRadioAccess", officer.id), false, "no radio in the inventory");
  town.server.call("ox_inventory", "AddItem", officer.id, "radio", 1);
  assert.equal(town.call("refreshSubscriber", officer.id), true);
  await town.until("access", () => town.call("hasRadioAccess", officer.id) === true);
  await town.equal();
});

test("a change of job moves the unit, and everybody sees it", async () => {
  handheld = await town.handheld(officer);
  await dispatcher.must("addListeningChannel", "154.755");
  town.server.call("qb-core", "SetJob", officer.id, "police");
  await town.until("the new NAC id", () => town.call("getPlayerNacId", officer.id) === "PD");
  await town.until("the unit on dispatch", () => town.call("getSpeakersInChannel", 154.755).includes(officer.id));
  await dispatcher.next("speakerJoined", { serverId: officer.id, frequency: "154.755", nacId: "PD" });
  await handheld.next("channelState", ({ frequency, speakers }) => frequency === "154.755" && speakers.includes(officer.id));
  const { users } = await town.radio.get("/radio/dispatch/status", dispatcher.session);
  assert.equal(users[officer.id].currentChannel, "154.755");
  await town.equal();
});

test("a talk is seen by scripts while it lasts, in both forms of the frequency", async () => {
  await handheld.must("setTalking", true);
  await town.until("the talk", () => town.call("isUserTalking", officer.id, 154.755) === true);
  assert.deepEqual([town.call("isUserTalking", String(officer.id), "154.755"), town.call("getActiveTalkersInChannel", "154.7550")], [true, [officer.id]]);
  await town.until("the state bag", () => town.server.bags.get(`player:${officer.id}`, "radioTalking")[0] === 0xc3);
  await handheld.must("setTalking", false);
  await town.until("its end", () => town.call("isUserTalking", officer.id, 154.755) === false);
});

test("an operator's command raises an alert at once, and dispatch hears it", async () => {
  await town.server.exec("signal100");
  assert.equal(town.call("getChannelAlert", "154.755").name, "SIGNAL 100", "seen before the service has answered");
  await dispatcher.next("dispatchNotification", (note) => JSON.stringify(note).includes("SIGNAL 100"));
  await handheld.next("serverTone", { tone: "ALERT_A", frequency: "154.755" });
  await town.server.exec("signal100");
  assert.equal(town.call("getChannelAlert", 154.755), null);
  await town.equal();
  assert.deepEqual(town.game.console.lines.filter((line) => line.includes("signal 100")).length, 2);
});

test("a dispatcher's doing is seen by scripts", async () => {
  await town.radio.does("/radio/dispatch/switchChannel", { serverId: officer.id, frequency: "460.250", oldFrequency: "154.755" }, dispatcher.session);
  await town.until("the move", () => town.call("getSpeakersInChannel", 460.25).includes(officer.id));
  assert.deepEqual(town.call("getSpeakersInChannel", 154.755), []);
  await town.radio.does("/dispatch/user/set-player-callsign", { userId: officer.id, callsign: "1-A-12" }, dispatcher.session);
  await town.until("the callsign", () => town.call("getCallsign", officer.id) === "1-A-12");
  await handheld.must("panic", { enabled: true, frequency: "460.25" });
  await town.until("the panic", () => town.call("getChannelPanic", 460.25)[officer.id] === true);
  assert.equal(town.call("setChannelPanic", 460.25, officer.id, false), true);
  assert.deepEqual(town.call("getUserPanicState", officer.id, "460.250"), false);
  await town.equal();
});

test("a trunked channel is one channel to scripts", async () => {
  assert.equal(town.call("setUserChannel", officer.id, "856.1125"), true);
  await town.until("the unit on its working frequency", async () => {
    const user = (await town.service.state()).users.find(({ serverId }) => serverId === officer.id);
    return user.controlFrequency === "856.1125" && town.call("getSpeakersInChannel", "856.1125").includes(officer.id);
  });
  await town.equal();
  assert.equal(town.call("setUserChannel", officer.id, "154.755"), true);
  await town.equal();
});

test("a roster and a kick, by commands", async () => {
  await town.server.exec("roster");
  assert.ok(town.game.console.has(/roster 154\.755: .*Sam Number 21 \(PD\)/), town.game.console.lines.slice(-3).join("\n"));
  await town.server.exec(`kick ${officer.id}`);
  await handheld.next("disconnect");
  await town.equal();
});

test("a purchase gives access, through the game's client", async () => {
  const buyer = await town.server.join({ client: true });
  const page = buyer.client.pages.get("radio");
  page.listen();
  await town.registered(buyer);
  buyer.client.execute("/buyradio");
  await town.until("access", () => town.call("hasRadioAccess", buyer.id) === true);
  await town.until("the words of the shop", () => town.game.clientConsole.has("Here is your radio"));
  await town.until("the radio is on", () => town.game.clientConsole.has(/volume\t0\.8\ttrue/));
  town.server.drop(buyer.id);
  await town.until("the player is gone", async () => !(await town.service.state()).users.some(({ serverId }) => serverId === buyer.id));
  await town.equal();
});

test("nothing of all that was an error of a script", () => {
  assert.deepEqual(town.game.errors, []);
});
