// Channels, floors, panic, patches: what dispatchers and units do all day.
import assert from "node:assert/strict";

export async function legacyTalking(radio) {
  const one = await radio.tuned(await radio.dispatcher(-1), "154.755");
  const two = await radio.tuned(await radio.dispatcher(-2), "154.755");
  one.emit("setTalking", true);
  assert.deepEqual(await two.next("talkingState"), { serverId: -1, frequency: "154.755", state: true });
  one.emit("setTalking", false);
  assert.deepEqual(await two.next("talkingState"), { serverId: -1, frequency: "154.755", state: false });
}

export async function structuredTalkingWithOverride(radio) {
  const one = await radio.tuned(await radio.dispatcher(-1), "154.755");
  const two = await radio.tuned(await radio.dispatcher(-2), "460.25");
  await one.must("setTalking", { state: true, frequency: "460.250" }); // cross-channel PTT
  await two.next("talkingState", { serverId: -1, frequency: "460.25", state: true });
  await two.denied(-1, { state: true });
  await two.next("ptt:denied", { frequency: "460.25", reason: "busy", currentTalker: -1 });
  await two.must("setTalking", { state: true, override: true });
  await two.next("talkingState", { serverId: -2, frequency: "460.25", state: true });
  await two.must("setTalking", { state: false });
  await one.must("setTalking", { state: false, frequency: "460.250" });
  await two.next("talkingState", { serverId: -1, state: false });
}

export async function twoTalkersOnOneChannel(radio) {
  const one = await radio.tuned(await radio.player(11), "154.755");
  const two = await radio.tuned(await radio.player(12), "154.755");
  await one.must("setTalking", true);
  await two.denied(11);
  assert.deepEqual(await two.next("ptt:denied"), { frequency: "154.755", reason: "busy", currentTalker: 11 });
  await one.upToDate();
  assert.equal(one.all("ptt:denied").length, 0, "only the one who came late is told");
  await one.must("setTalking", false);
  await two.must("setTalking", true);
  await one.next("talkingState", { serverId: 12, state: true });
}

export async function panicAndAcknowledgement(radio, watch) {
  const unit = await radio.tuned(await radio.player(21), "154.755");
  const desk = await radio.tuned(await radio.dispatcher(-1), "460.25");
  await unit.must("panic", { enabled: true });
  await desk.next("dispatchNotification", { type: "panic", serverId: 21, frequency: "154.755" });
  assert.deepEqual((await radio.get("/radio/dispatch/status", watch)).panicStatus, { 154.755: { 21: true } });
  assert.equal((await unit.ask("acknowledgePanic", { serverId: 21 })).success, false, "a unit does not acknowledge");
  await desk.must("acknowledgePanic", { serverId: 21 });
  await unit.next("dispatchNotification", { type: "panicCleared", serverId: 21, by: -1 });
  assert.deepEqual((await radio.get("/radio/dispatch/status", watch)).panicStatus, {});
}

export async function patchBetweenTwoChannels(radio, watch) {
  const one = await radio.tuned(await radio.player(31), "154.755");
  const two = await radio.tuned(await radio.player(32), "460.25");
  const reply = await radio.post("/api/patch/create", { label: "joint", frequencies: ["154.755", 460.25] }, watch);
  assert.equal(reply.status, 201);
  await two.next("patchStatus", { patchId: reply.body.id, active: true, label: "joint" });
  await one.must("setTalking", true);
  await two.next("talkingState", { serverId: 31, frequency: "460.25", state: true });
  await two.denied(31);
  await two.next("ptt:denied", { currentTalker: 31 });
  one.emit("voice", { data: "b3B1cw==" });
  assert.deepEqual(await two.next("voice"), { serverId: 31, frequency: "460.25", data: "b3B1cw==", receiveType: "speaker", patchId: reply.body.id });
  await radio.does("/api/patch/remove", { id: reply.body.id }, watch);
  await two.next("patchStatus", { patchId: reply.body.id, active: false });
  assert.equal((await radio.post("/api/patch/create", { label: "", frequencies: ["154.755", "856.1125"] }, watch)).status, 400);
}

export async function followAUser(radio) {
  const unit = await radio.tuned(await radio.player(41), "154.755");
  const desk = await radio.dispatcher(-1);
  await desk.must("listenToUser", 41);
  await unit.next("userStartedListening", { serverId: -1 });
  await unit.must("setTalking", true);
  unit.emit("voice", { data: "Zmlyc3Q=" });
  assert.deepEqual(await desk.next("voice"), { serverId: 41, frequency: "154.755", data: "Zmlyc3Q=", receiveType: "userListener" });
  await unit.must("setTalking", false);
  await radio.tuned(unit, "460.25");
  await unit.must("setTalking", true);
  unit.emit("voice", { data: "c2Vjb25k" });
  await desk.next("voice", { data: "c2Vjb25k", frequency: "460.25", receiveType: "userListener" });
  await desk.must("stopListeningToUser", 41);
  await unit.next("userStoppedListening", { serverId: -1 });
  unit.emit("voice", { data: "dGhpcmQ=" });
  await unit.upToDate();
  await desk.upToDate();
  assert.equal(desk.all("voice").length, 2);
}

export async function nearbyListeners(radio) {
  const unit = await radio.tuned(await radio.player(51), "154.755");
  const near = await radio.tuned(await radio.player(52), "460.25");
  await near.must("add3DListening", "154.755");
  await unit.must("setTalking", true);
  unit.emit("voice", { data: "M0Q=" });
  assert.deepEqual(await near.next("voice"), { serverId: 51, frequency: "154.755", data: "M0Q=", receiveType: "3DAudio" });
  await near.must("remove3DListening", 154.755);
  unit.emit("voice", { data: "bW9yZQ==" });
  await unit.upToDate();
  await near.upToDate();
  assert.equal(near.all("voice").length, 1);
}

export async function moveOnTheTrunk(radio, watch) {
  const one = await radio.player(61);
  const two = await radio.player(62);
  await radio.tuned(one, "154.755");
  await radio.does("/radio/dispatch/switchChannel", { serverId: 61, frequency: "856.1125", oldFrequency: "154.755" }, watch);
  const moved = await one.next("dispatchNotification", { type: "userSwitched", serverId: 61 });
  assert.equal(moved.controlFrequency, "856.1125");
  assert.notEqual(moved.frequency, "856.1125");
  assert.equal(moved.oldFrequency, "154.755");
  await radio.tuned(two, 856.1125);
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.equal(users[61].currentChannel, moved.frequency);
  assert.equal(users[62].currentChannel, moved.frequency, "units whose place is unknown share a group");
  assert.equal(users[62].controlFrequency, "856.1125");
  await two.must("setTalking", true);
  await one.next("talkingState", { serverId: 62, frequency: moved.frequency, state: true });
  two.emit("voice", { data: "dHJ1bms=" });
  await one.next("voice", { serverId: 62, frequency: moved.frequency });
  await two.must("setTalking", false);
  two.forget();
  await radio.tuned(one, "154.755");
  const desk = await radio.dispatcher(-1);
  await radio.tuned(two, "154.755");
  await desk.next("channelDeleted", (f) => f === moved.frequency);
}

export async function kickAUnit(radio, watch) {
  const unit = await radio.tuned(await radio.player(71), "154.755");
  const desk = await radio.dispatcher(-1);
  await radio.does("/dispatch/user/disconnect", { userId: 71 }, watch);
  await desk.next("dispatchNotification", { type: "userDisconnected", serverId: 71 });
  await desk.next("speakerLeft", { serverId: 71 }).catch(() => {
    throw new Error("nobody heard that the unit left its channel");
  });
  assert.equal(await unit.next("disconnect"), "io server disconnect");
}

export async function unknownEventsAreIgnored(radio) {
  const one = await radio.tuned(await radio.dispatcher(-1), "154.755");
  one.emit("selfDestruct", { now: true }).emit("constructor").emit("__proto__", {}).emit("", 1).emit("voice:hd", Buffer.from([1, 2]));
  await one.upToDate();
  assert.equal(one.socket.connected, true);
  assert.equal(one.all("refused").length, 0);
}

export async function trailingZeros(radio, watch) {
  const one = await radio.dispatcher(-1);
  const two = await radio.dispatcher(-2);
  for (const [client, written] of [[one, "154.7550"], [two, 154.755]]) await radio.tuned(client, written);
  await one.must("addListeningChannel", "460.2500000");
  await one.must("addListeningChannel", 460.25);
  const { channels } = await radio.get("/radio/dispatch/status", watch);
  assert.deepEqual(channels["154.755"].speakers.toSorted(), [-1, -2].toSorted());
  assert.deepEqual(channels["460.25"].listeners, [-1]);
  await two.must("setTalking", { state: true, frequency: 154.75499999999998 + 0.00000000000002 });
  await one.next("talkingState", { serverId: -2, frequency: "154.755" });
  const answer = await one.ask("setSpeakerChannel", "999.9");
  assert.equal(answer.error, "Channel not found");
  await one.next("refused", { action: "setSpeakerChannel", frequency: "999.9", error: "Channel not found" });
}

export async function scanningIsIdempotent(radio) {
  const one = await radio.dispatcher(-1);
  await one.must("addListeningChannel", "154.755");
  await one.upToDate();
  const before = one.all("channelState").length;
  await one.must("addListeningChannel", "154.755");
  await one.upToDate();
  assert.equal(one.all("channelState").length, before);
}

export async function alertsByUnitsAndDispatch(radio, watch) {
  const unit = await radio.tuned(await radio.player(81), "154.755");
  const desk = await radio.dispatcher(-1);
  await unit.must("triggerAlert", { frequency: "154.755", enabled: true });
  await desk.next("dispatchNotification", { type: "alert", frequency: "154.755", by: 81 });
  assert.equal((await radio.get("/radio/dispatch/status", watch)).activeAlerts["154.755"].name, "SIGNAL 100");
  await unit.next("serverTone", { tone: "ALERT_A", frequency: "154.755" });
  await radio.does("/radio/dispatch/alert/clear", { frequency: "154.755" }, watch);
  await unit.next("dispatchNotification", { type: "alertCleared", frequency: "154.755" });
  await radio.does("/radio/dispatch/alert/oneshot", { frequency: "154.755", alertConfig: { name: "Boop", toneOnly: true, tone: "BEEP" } }, watch);
  await unit.next("serverTone", { tone: "BEEP" });
  assert.deepEqual((await radio.get("/radio/dispatch/status", watch)).activeAlerts, {});
}

export async function theRadioOfAUnit(radio) {
  const token = await radio.announce(91, "Ann");
  const unit = radio.dial({ authToken: token, serverId: 91 });
  const config = await unit.next("configUpdate");
  assert.equal(config.zones[0].channels.length, 5);
  assert.equal(JSON.stringify(config).includes("D-911"), false);
  await unit.upToDate();
  const desk = await radio.dispatcher(-1);
  await unit.must("radioState", { power: true, battery: 73, volumes: { voice: 0.25 }, theme: "night" });
  await desk.next("radioState", { serverId: 91, battery: 73, theme: "night", power: true });
  assert.equal((await unit.ask("radioState", { volumes: { voice: "loud" } })).error, "volumes.voice must be a number");
}
