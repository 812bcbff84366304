// Who is who: logins, sessions, ids, reconnects.
import assert from "node:assert/strict";
import { MASTER } from "./e2e-radio.mjs";

export async function masterTokenThenSession(radio, watch) {
  const session = await radio.login("KING-1");
  const bot = await radio.dial({ authToken: MASTER, serverId: -7 }).ready();
  assert.equal((await bot.ask("setDispatchSession", "of nobody")).error, "Unknown or expired session");
  await bot.next("refused", { action: "setDispatchSession" });
  await bot.must("setDispatchSession", session.sessionId);
  await bot.must("updateUserInfo", { name: "KING-1", nacId: "D-911" });
  await radio.tuned(bot, "154.755");
  const status = await radio.get("/radio/dispatch/status", watch);
  assert.equal(status.users[-7].name, "KING-1");
  assert.equal(JSON.stringify(status).includes("D-911"), false, "the login is never echoed");
}

export async function masterTokenWithoutSession(radio) {
  const bot = await radio.dial({ authToken: MASTER }).ready();
  await radio.tuned(bot, "154.755");
  await bot.must("setTalking", true);
  await bot.next("talkingState", { serverId: -1, state: true });
}

export async function namedByTheSessionsCallsign(radio, watch) {
  await radio.dispatcher(-4, "QUEEN-4");
  const late = await radio.dial({ authToken: MASTER, serverId: -5 }).ready();
  await late.must("setDispatchSession", (await radio.login("ROOK-5")).sessionId);
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.deepEqual([users[-4].name, users[-5].name], ["QUEEN-4", "ROOK-5"]);
}

export async function linkingASessionTakesItsIdBack(radio, watch) {
  const session = await radio.login("ROOK-1");
  const link = async () => {
    const bot = await radio.dial({ authToken: MASTER, serverId: -1 }).ready();
    await bot.must("setDispatchSession", session.sessionId);
    await bot.upToDate();
    return bot;
  };
  const lost = await radio.tuned(await link(), "154.755");
  await lost.cut();
  const back = await link();
  assert.equal(back.id, -1);
  assert.equal((await radio.get("/radio/dispatch/status", watch)).users[-1].currentChannel, "154.755");
  await back.must("setTalking", true);
  await back.next("talkingState", { serverId: -1, frequency: "154.755", state: true });
}

export async function twoDispatchersWhoBothAskForMinusOne(radio, watch) {
  const first = await radio.tuned(await radio.dispatcher(-1, "FIRST"), "154.755");
  const second = await radio.tuned(await radio.dispatcher(-1, "SECOND"), "154.755");
  assert.deepEqual(await second.next("identity"), { serverId: -2 });
  await first.upToDate();
  assert.equal(first.all("identity").length, 0);
  await second.must("setTalking", true);
  await first.next("talkingState", { serverId: -2, state: true });
  // Both clients hard-code -1; each means itself.
  await radio.does("/dispatch/user/update-callsign", { userId: -1, callsign: "2-S-2" }, second.session);
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.equal(users[-2].callsign, "2-S-2");
  assert.equal(users[-1].callsign, null);
}

export async function reconnectWithTheSameSession(radio, watch) {
  const lost = await radio.tuned(await radio.dispatcher(-1), "154.755");
  const near = await radio.tuned(await radio.player(11), "154.755");
  await lost.must("addListeningChannel", "460.25");
  await lost.must("setTalking", true);
  await near.next("talkingState", { serverId: -1, state: true });
  await lost.cut();
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.equal(users[-1].currentChannel, "154.755", "membership outlives the cut");
  near.forget();
  const back = await radio.dispatcher(-1, undefined, lost.session);
  assert.equal(back.id, -1);
  assert.equal(back.all("identity").length, 0);
  await back.must("setTalking", true);
  near.emit("setTalking", true);
  await near.next("ptt:denied", { currentTalker: -1 });
  const after = (await radio.get("/radio/dispatch/status", watch)).users[-1];
  assert.deepEqual([after.currentChannel, after.listening], ["154.755", ["460.25"]]);
}

export async function theSameSessionTwiceAlive(radio) {
  const one = await radio.dispatcher(-1);
  const two = await radio.dispatcher(-1, undefined, one.session);
  assert.equal(one.socket.connected, true, "the older answered the probe");
  assert.equal(two.id, -2);
}

export async function recoveryReplaysWhatWasMissed(radio) {
  const lost = radio.dial({ ...(await radio.login("LOST")), serverId: -1 }, { reconnection: true, reconnectionDelay: 1, reconnectionDelayMax: 5 });
  await lost.ready();
  await radio.tuned(lost, "154.755");
  const near = await radio.tuned(await radio.player(21), "154.755");
  lost.forget();
  const sid = lost.socket.id;
  const cut = lost.cut();
  near.emit("setTalking", true);
  await cut;
  await lost.next("connect");
  assert.equal(lost.socket.recovered, true);
  assert.equal(lost.socket.id, sid);
  await lost.next("talkingState", { serverId: 21, state: true });
  await lost.must("setTalking", true);
  await lost.next("ptt:denied", { currentTalker: 21 });
}

export async function aGoodbyeEndsAtOnce(radio, watch) {
  const one = await radio.tuned(await radio.dispatcher(-1), "154.755");
  const two = await radio.tuned(await radio.dispatcher(-2), "154.755");
  await one.must("setTalking", true);
  await two.next("talkingState", { serverId: -1, state: true });
  await one.leave();
  await two.next("talkingState", { serverId: -1, state: false });
  await two.next("speakerLeft", { serverId: -1 });
  assert.equal((await radio.get("/radio/dispatch/status", watch)).users[-1], undefined);
}

export async function aPlayersNewestConnectionWins(radio) {
  const older = await radio.tuned(await radio.player(31), "154.755");
  const newer = await radio.dial({ authToken: older.token, serverId: 31 }).ready();
  await older.next("disconnect");
  await newer.must("setTalking", true);
  await newer.next("talkingState", { serverId: 31, frequency: "154.755", state: true });
}

export async function credentialsThatAreNoGood(radio) {
  const session = await radio.login("GOOD");
  const token = await radio.announce(41, "Unit 41");
  for (const [code, auth] of [
    ["bad_token", { authToken: "guess", serverId: -1 }],
    ["bad_token", {}],
    ["bad_session", { ...session, sessionId: "another", serverId: -1 }],
    ["bad_session", { authToken: MASTER, sessionId: "another", serverId: -1 }],
    ["bad_id", { ...session, serverId: 5 }],
    ["bad_id", { ...session, serverId: 0 }],
    ["bad_id", { ...session, serverId: "minus one" }],
    ["bad_id", { authToken: token, serverId: 42 }],
  ]) {
    const error = await radio.dial(auth).next("connect_error");
    assert.deepEqual([error.data?.code, error.data?.error], [code, error.message], JSON.stringify(auth));
  }
  await radio.post("/api/player/drop", { serverId: 41 }, undefined, MASTER);
  assert.equal((await radio.dial({ authToken: token, serverId: 41 }).next("connect_error")).data.code, "bad_token");
}
