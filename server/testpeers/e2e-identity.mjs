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
  assert.equal(users[-1].callsign, "FIRST");
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

/** speaksFor checks that these credentials speak for the dispatcher id: who makes a patch, whose callsign they change. */
async function speaksFor(radio, watch, id, other, credentials) {
  const patch = await radio.does("/api/patch/create", { frequencies: ["154.755", "460.25"], label: "L" }, credentials);
  assert.equal(patch.createdBy, id, "who made the patch");
  await radio.does("/api/patch/remove", { id: patch.id }, credentials);
  const before = (await radio.get("/radio/dispatch/status", watch)).users[other].callsign;
  for (const [n, named] of [{ userId: -1 }, {}, { userId: id }].entries()) {
    const callsign = `${credentials.sessionId.slice(0, 8)} ${n}`;
    await radio.does("/dispatch/user/update-callsign", { callsign, ...named }, credentials);
    const { users } = await radio.get("/radio/dispatch/status", watch);
    assert.equal(users[id].callsign, callsign, `renamed with ${JSON.stringify(named)}`);
    assert.equal(users[other].callsign, before, "somebody else was renamed");
  }
}

export async function aReissuedSessionIsTheSameDispatcher(radio, watch) {
  await radio.tuned(await radio.dispatcher(-1, "OTHER"), "154.755");
  let me = await radio.tuned(await radio.dispatcher(-1, "ME"), "154.755");
  assert.equal(me.id, -2);
  const first = me.session;
  const next = await radio.reauth(first.authToken, "ME");
  // A client may come back with what it had, with what it was given, or with some of both.
  for (const credentials of [first, next, { ...next, authToken: first.authToken }, { ...first, authToken: next.authToken }]) {
    await me.cut();
    me = await radio.dispatcher(-1, undefined, credentials);
    assert.equal(me.id, -2, "the id comes back");
    assert.equal((await radio.get("/radio/dispatch/status", watch)).users[-2].currentChannel, "154.755", "and the channel");
    for (const { sessionId } of [next, first]) await me.must("setDispatchSession", sessionId);
    await me.upToDate();
    assert.equal(me.id, -2);
    for (const c of [first, next]) await speaksFor(radio, watch, -2, -1, c);
  }
  const stranger = await radio.login("STRANGER");
  assert.equal((await me.ask("setDispatchSession", stranger.sessionId)).error, "Unknown or expired session");
  assert.equal((await radio.post("/api/play-tone", {}, { ...stranger, authToken: next.authToken })).status, 401, "another login's token");
}

// What older panels do: their library reconnects by itself, with the old handshake,
// and they ask for a new session on every reconnect.
export async function reauthOnEveryReconnect(radio, watch) {
  await radio.tuned(await radio.dispatcher(-1, "OTHER"), "154.755");
  let session = await radio.login("ME");
  const me = radio.dial({ ...session, serverId: -1 }, { reconnection: true, reconnectionDelay: 1, reconnectionDelayMax: 5 });
  await me.ready();
  await radio.tuned(me, "154.755");
  for (let n = 0; n < 20; n++) { // more often than a login has sessions
    const back = me.next("connect");
    await me.cut();
    session = await radio.reauth(session.authToken, `ME ${n}`);
    await back;
    await me.must("setDispatchSession", session.sessionId);
    await me.upToDate();
    assert.equal(me.id, -2);
    assert.equal((await radio.get("/radio/dispatch/status", watch)).users[-2].currentChannel, "154.755");
    if (n < 2 || n > 17) await speaksFor(radio, watch, -2, -1, session);
    me.forget();
  }
  await me.must("setTalking", true);
  await me.next("talkingState", { serverId: -2, frequency: "154.755", state: true });
}

export async function aBotOfTheMasterTokenChangesItsSession(radio, watch) {
  await radio.tuned(await radio.dispatcher(-1, "OTHER"), "154.755");
  const bot = await radio.dial({ authToken: MASTER, serverId: -1 }).ready();
  const one = await radio.reauth(MASTER, "BOT");
  await bot.must("setDispatchSession", one.sessionId);
  await bot.upToDate();
  assert.equal(bot.id, -2);
  const two = await radio.reauth(one.authToken, "BOT");
  await bot.must("setDispatchSession", two.sessionId);
  for (const c of [one, two, { ...two, authToken: MASTER }]) await speaksFor(radio, watch, -2, -1, c);
}

export async function logoutEndsAllSessionsOfTheLogin(radio, watch) {
  const first = await radio.login("ME");
  const next = await radio.reauth(first.authToken, "ME");
  const one = await radio.tuned(await radio.dispatcher(-1, undefined, first), "154.755");
  const two = await radio.tuned(await radio.dispatcher(-2, undefined, next), "460.25");
  const near = await radio.tuned(await radio.dispatcher(-3, "NEAR"), "154.755");
  await one.must("setTalking", true);
  await near.next("talkingState", { serverId: -1, state: true });
  await radio.does("/radio/dispatch/logout", undefined, next);
  // When the answer is there, everything has ended: floor, membership, sessions.
  const { users, channels } = await radio.get("/radio/dispatch/status", watch);
  assert.deepEqual([users[-1], users[-2]], [undefined, undefined]);
  assert.deepEqual(channels["154.755"].activeTalkers, []);
  await near.next("talkingState", { serverId: -1, state: false });
  for (const console of [one, two]) assert.equal(await console.next("disconnect"), "io server disconnect");
  for (const c of [first, next]) {
    assert.equal((await radio.post("/api/play-tone", {}, c)).status, 401);
    assert.equal((await radio.post("/radio/dispatch/reauth", { callsign: "ME" }, undefined, c.authToken)).status, 401);
    assert.equal((await radio.dial({ ...c, serverId: -1 }).next("connect_error")).data.code, "bad_token");
  }
  await near.upToDate();
  assert.equal(near.socket.connected, true);
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
  await lost.denied(21);
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
