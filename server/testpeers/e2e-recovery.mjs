// Lost connections: who may recover whose socket, and what is there after a restart.
import assert from "node:assert/strict";
import { MASTER } from "./e2e-radio.mjs";

const restless = { reconnection: true, reconnectionDelay: 1, reconnectionDelayMax: 5 };

/** papers returns what a client sends to recover its socket. */
async function papers(client) {
  await client.upToDate(); // an event that carries an offset
  const { _pid: pid, _lastOffset: offset, id } = client.socket;
  assert.ok(pid && offset);
  return { pid, offset, id };
}

function stranger(client, lost) {
  assert.notEqual(client.socket.id, lost.id, "the socket of another");
  assert.notEqual(client.socket._pid, lost.pid, "the socket of another");
}

export async function namingASocketDisturbsNobody(radio) {
  const live = await radio.dispatcher(-1, "LIVE");
  const near = await radio.tuned(await radio.dispatcher(-2, "NEAR"), "154.755");
  await radio.tuned(live, "154.755");
  await live.must("setTalking", true);
  await near.next("talkingState", { serverId: -1, state: true });
  const lost = await papers(live);
  const { pid, offset } = lost;
  for (const [code, auth] of [
    ["bad_token", { serverId: -1 }],
    ["bad_session", { ...live.session, sessionId: "another", serverId: -1 }],
    ["bad_id", { ...live.session, serverId: 5 }],
  ]) {
    const error = await radio.dial({ ...auth, pid, offset }).next("connect_error");
    assert.equal(error.data?.code, code);
    assert.deepEqual(live.closed, [], `${code}: its socket lives`);
  }
  stranger(await radio.dial({ authToken: await radio.announce(51, "Unit 51"), serverId: 51, pid, offset }).ready(), lost);
  stranger(await radio.dial({ ...(await radio.login("OTHER")), serverId: -1, pid, offset }).ready(), lost);
  stranger(await radio.dial({ ...live.session, serverId: -7, pid, offset }).ready(), lost);
  await live.upToDate();
  await near.upToDate();
  assert.deepEqual(live.closed, []);
  assert.equal(near.all("talkingState", { serverId: -1, state: false }).length, 0, "the talk goes on");
}

export async function nobodyTakesUpAnothersSocket(radio) {
  const victim = radio.dial({ ...(await radio.login("VICTIM")), serverId: -1 });
  await radio.tuned(await victim.ready(), "154.755");
  const lost = await papers(victim);
  const { pid, offset } = lost;
  await victim.cut();
  const player = await radio.dial({ authToken: await radio.announce(52, "Unit 52"), serverId: 52, pid, offset }).ready();
  const other = await radio.dial({ ...(await radio.login("OTHER")), serverId: -1, pid, offset }).ready();
  stranger(player, lost);
  stranger(other, lost);
  await radio.tuned(other, "460.25");
  await other.next("speakerJoined", { serverId: other.id });
  await player.upToDate();
  assert.deepEqual(player.all("speakerJoined"), [], "a player hears nothing of what is for dispatchers");
  // What was lost is still kept for its owner.
  victim.socket.connect();
  await victim.next("connect");
  assert.equal(victim.socket.recovered, true);
  assert.equal(victim.socket.id, lost.id);
}

export async function recoveredMeansAsBefore(radio, watch) {
  const one = radio.dial({ ...(await radio.login("TWICE")), serverId: -1 }, restless);
  await radio.tuned(await one.ready(), "154.755");
  const { authToken, sessionId } = one.socket.auth;
  const two = radio.dial({ authToken, sessionId, serverId: -1 }, restless);
  await radio.tuned(await two.ready(), "460.25");
  assert.equal(two.id, -2);
  const near = await radio.tuned(await radio.player(53), "460.25");
  await two.must("setTalking", true);
  await near.next("talkingState", { serverId: -2, state: true });
  for (const c of [one, two]) c.forget();
  const cuts = [one.cut(), two.cut()];
  await Promise.all(cuts);
  for (const c of [two, one]) {
    await c.next("connect");
    assert.equal(c.socket.recovered, true);
    await c.upToDate();
  }
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.deepEqual([users[-1].currentChannel, users[-2].currentChannel], ["154.755", "460.25"], "each its own place");
  near.emit("setTalking", true);
  await near.next("ptt:denied", { currentTalker: -2 }); // a recovered link keeps its talk
}

export async function whatATakenPlaceWas(radio, watch) {
  const old = radio.dial({ ...(await radio.login("OLD")), serverId: -1 });
  await radio.tuned(await old.ready(), "154.755");
  const session = old.socket.auth;
  await old.cut();
  const fresh = await radio.dial({ authToken: session.authToken, sessionId: session.sessionId, serverId: -1 }).ready();
  assert.equal(fresh.id, -1);
  await radio.tuned(fresh, "460.25");
  old.socket.connect();
  await old.next("connect");
  await old.upToDate();
  assert.equal(old.socket.recovered, false, "its place has been taken");
  assert.equal(old.id, -2);
  await fresh.upToDate();
  assert.deepEqual(fresh.closed, []);
  assert.equal((await radio.get("/radio/dispatch/status", watch)).users[-1].currentChannel, "460.25");
}

export async function aKickedOrDroppedUserIsNotRecovered(radio, watch) {
  const unit = await radio.tuned(await radio.player(54), "154.755");
  const desk = radio.dial({ ...(await radio.login("DESK")), serverId: -3 });
  await radio.tuned(await desk.ready(), "154.755");
  const lost = [await papers(unit), await papers(desk)];
  await Promise.all([unit.cut(), desk.cut()]);
  await radio.does("/dispatch/user/disconnect", { userId: 54 }, watch);
  await radio.does("/dispatch/user/disconnect", { userId: -3 }, watch);
  for (const [i, c] of [unit, desk].entries()) {
    c.socket.connect();
    await c.next("connect");
    assert.equal(c.socket.recovered, false);
    stranger(c, lost[i]);
  }
  const before = await papers(unit);
  await unit.cut();
  await radio.post("/api/player/drop", { serverId: 54 }, undefined, MASTER);
  const { pid, offset } = before;
  const gone = radio.dial({ authToken: unit.token, serverId: 54, pid, offset });
  assert.equal((await gone.next("connect_error")).data.code, "bad_token");
  const authToken = await radio.announce(54, "Somebody else");
  stranger(await radio.dial({ authToken, serverId: 54, pid, offset }).ready(), before);
}

export async function aRestartedBotIsItselfAgain(radio, watch) {
  const bot = await radio.tuned(await radio.dial({ authToken: MASTER, serverId: -1 }).ready(), "154.755");
  const near = await radio.tuned(await radio.player(55), "154.755");
  await bot.must("addListeningChannel", "460.25");
  await bot.must("setTalking", true);
  await near.next("talkingState", { serverId: -1, state: true });
  await bot.cut(); // the process has crashed
  const again = await radio.dial({ authToken: MASTER, serverId: -1 }).ready();
  assert.deepEqual([again.id, again.all("identity")], [-1, []]);
  await near.next("talkingState", { serverId: -1, state: false }); // the new process has no key held
  await near.must("setTalking", true); // at once: nobody waits for a lease
  await near.next("talkingState", { serverId: 55, state: true });
  const { users } = await radio.get("/radio/dispatch/status", watch);
  assert.deepEqual([users[-1].currentChannel, users[-1].listening, users[-2]], ["154.755", ["460.25"], undefined]);
  const second = await radio.dial({ authToken: MASTER, serverId: -1 }).ready();
  assert.deepEqual(await second.next("identity"), { serverId: -2 });
  await again.upToDate();
  assert.deepEqual(again.closed, [], "a bot that lives keeps its id");
}

export async function aFreshClientIsNotKeyed(radio) {
  const session = await radio.login("KEYED");
  const desk = await radio.tuned(await radio.dispatcher(-1, "KEYED", session), "154.755");
  const unit = await radio.tuned(await radio.player(56), "154.755");
  await desk.must("setTalking", true);
  await unit.next("talkingState", { serverId: -1, state: true });
  await desk.cut();
  await radio.dispatcher(-1, "KEYED", session);
  await unit.next("talkingState", { serverId: -1, state: false });
  await unit.must("setTalking", true);
  const near = await radio.tuned(await radio.dispatcher(-2), "154.755");
  const newer = await radio.dial({ authToken: unit.token, serverId: 56 }).ready();
  await near.next("talkingState", { serverId: 56, state: false });
  await near.must("setTalking", true);
  await newer.upToDate();
}

export async function goodbyeAndBackAtOnce(radio, watch) {
  const desk = radio.dial({ ...(await radio.login("BRISK")), serverId: -1 });
  await desk.ready();
  for (let n = 0; n < 25; n++) {
    await desk.must("setSpeakerChannel", "154.755");
    const before = await papers(desk);
    desk.forget();
    desk.socket.disconnect();
    desk.socket.connect();
    await desk.next("connect");
    assert.equal(desk.socket.recovered, false, `round ${n}`);
    stranger(desk, before);
    await desk.upToDate();
    const me = (await radio.get("/radio/dispatch/status", watch)).users[desk.id];
    assert.equal(me.currentChannel, null, `round ${n}: it has left the channel`);
  }
}
