// Programs with API keys: no login, no session, and only what their scopes allow.
import assert from "node:assert/strict";

const lacks = (scope) => ({ success: false, error: `This API key lacks the scope "${scope}"` });

export async function aKeyTalksAndListens(radio, watch) {
  const { key } = await radio.apiKey("Relay", ["read", "talk"]);
  const unit = await radio.tuned(await radio.player(7), "154.755");
  const bot = await radio.tuned(await radio.dial({ authToken: key, serverId: -6 }).ready(), "154.755");
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.equal(users[-6].name, "Relay");
  await bot.must("setDispatchSession", "whatever an older client sends");
  await bot.must("setTalking", { state: true, frequency: "154.755" });
  await unit.next("talkingState", { serverId: -6, frequency: "154.755", state: true });
  bot.emit("voice", { data: "b3Zlcg==", frequency: "154.755" });
  await unit.next("voice", { serverId: -6, data: "b3Zlcg==" });
  await bot.must("setTalking", false);
  await unit.must("setTalking", true);
  await bot.next("talkingState", { serverId: 7, state: true });
  unit.emit("voice", { data: "cm9nZXI=" });
  await bot.next("voice", { serverId: 7, data: "cm9nZXI=" });
}

export async function aListeningKeyMayNotTalk(radio) {
  const { key } = await radio.apiKey("Recorder", ["read"]);
  const unit = await radio.tuned(await radio.player(7), "154.755");
  const bot = await radio.tuned(await radio.dial({ authToken: key }).ready(), "154.755");
  assert.deepEqual(await bot.ask("setTalking", { state: true, frequency: "154.755" }), lacks("talk"));
  await bot.next("refused", { action: "setTalking", frequency: "154.755", error: lacks("talk").error });
  assert.deepEqual(await bot.ask("voice", { data: "bm8=", frequency: "154.755" }), lacks("talk"));
  assert.deepEqual(await bot.ask("panic", { enabled: true, frequency: "154.755" }), lacks("talk"));
  assert.deepEqual(await bot.ask("triggerAlert", { frequency: "154.755", enabled: true }), lacks("dispatch"));
  assert.deepEqual(await bot.ask("acknowledgePanic", { serverId: 7 }), lacks("dispatch"));
  await unit.upToDate();
  assert.equal(unit.all("talkingState", { serverId: -1, state: true }).length + unit.all("voice").length, 0);
  await unit.must("setTalking", true);
  unit.emit("voice", { data: "aGVhcg==" });
  await bot.next("voice", { serverId: 7, data: "aGVhcg==" });
}

export async function aKeysCallsAreThoseOfItsDispatcher(radio, watch) {
  const { key } = await radio.apiKey("CAD", ["read", "talk", "dispatch"]);
  await radio.dispatcher(-1, "FIRST");
  const bot = await radio.dial({ authToken: key, serverId: -1 }).ready();
  assert.equal(bot.id, -2);
  const patch = await radio.post("/api/patch/create", { frequencies: ["154.755", "460.25"] }, undefined, key);
  assert.deepEqual([patch.status, patch.body.createdBy], [201, -2]);
  assert.equal((await radio.post("/dispatch/user/update-callsign", { userId: -1, callsign: "2-C-2" }, undefined, key)).status, 200);
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.deepEqual([users[-1].callsign === "2-C-2", users[-2].callsign], [false, "2-C-2"]);
}

export async function aRestartedBotWithAKeyIsItselfAgain(radio, watch) {
  const { key } = await radio.apiKey("Dispatch bot", ["talk"]);
  const crashed = await radio.tuned(await radio.dial({ authToken: key, serverId: -8 }).ready(), "154.755");
  await crashed.must("setTalking", true);
  await crashed.cut();
  const again = await radio.tuned(await radio.dial({ authToken: key, serverId: -8 }).ready(), "154.755");
  assert.equal(again.id, -8);
  await again.must("setTalking", true);
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.deepEqual(Object.keys(users).filter((id) => id === "-8" || id === "-1"), ["-8"]);
}

export async function aRevokedKeyIsGoneAtOnce(radio) {
  const { key, id } = await radio.apiKey("Leaked", ["read", "talk", "dispatch"]);
  const bots = [];
  for (const serverId of [-6, -7]) bots.push(await radio.dial({ authToken: key, serverId }, { reconnection: true }).ready());
  const { closed } = await radio.admin("POST", "keys/revoke", { id });
  assert.deepEqual(closed.sort(), [-6, -7]);
  for (const bot of bots) assert.equal(await bot.next("disconnect"), "io server disconnect");
  for (let i = 0; i < 15; i++) { // more than guesses are allowed, but none of these is one
    const error = await radio.dial({ authToken: key, serverId: -6 }).ready().catch((e) => e);
    assert.deepEqual(error.data, { code: "bad_token", error: "Authentication required" });
  }
  assert.equal((await radio.post("/api/play-tone", { frequency: "154.755", tone: "x" }, undefined, key)).status, 401);
  await radio.dispatcher(-6, "STILL-HERE");
}

export async function aKeyForTheGameIsNoDispatcher(radio) {
  const { key } = await radio.apiKey("Game server", ["game"]);
  const error = await radio.dial({ authToken: key }).ready().catch((e) => e);
  assert.equal(error.data.code, "bad_scope");
  assert.equal(error.message, 'This API key lacks the scope "read" or "talk"');
  const { status, body } = await radio.post("/api/player/connect", { serverId: 9, name: "Sam", nacId: "PD" }, undefined, key);
  assert.equal(status, 200);
  await radio.tuned(await radio.dial({ authToken: body.playerToken, serverId: 9 }).ready(), "154.755");
}
