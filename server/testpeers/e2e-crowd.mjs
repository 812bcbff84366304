// Many events, many clients.
import assert from "node:assert/strict";

const events = 2000;
const broadcasts = 1000;
const keyUps = 1000;
const units = 20;

export async function manyEventsInOneGoAreHandledInOrder(radio) {
  const one = await radio.dispatcher(-1);
  const two = await radio.tuned(await radio.dispatcher(-2), "154.755");
  await two.must("addListeningChannel", "460.25");
  two.forget();
  const from = two.heard.length;
  for (let n = 0; n < events; n++) one.emit("setSpeakerChannel", n % 2 ? "460.25" : "154.755");
  await one.upToDate();
  await two.upToDate();
  const joined = two.heard.slice(from).filter((h) => h.event === "speakerJoined" && h.arg.serverId === -1).map((h) => h.arg.frequency);
  assert.equal(joined.length, events);
  joined.forEach((f, n) => assert.equal(f, n % 2 ? "460.25" : "154.755", `event ${n}`));
}

export async function broadcastsArriveCompleteAndInOrder(radio, watch) {
  const room = await Promise.all([11, 12, 13].map(async (id) => radio.tuned(await radio.player(id), "154.755")));
  const desk = await radio.dispatcher(-1);
  // 1000 in one go from one console, each sent to everybody ...
  for (let n = 0; n < broadcasts; n++) desk.emit("updateUserInfo", { name: `${n}` });
  // ... while ten integrations send 1000 texts to the channel, each its own in order.
  const senders = Array.from({ length: 10 }, (_, s) => s);
  await Promise.all(senders.map(async (s) => {
    for (let n = 0; n < broadcasts / 10; n++) {
      await radio.does("/api/trigger-broadcast", { message: `${s} ${n}`, frequency: "154.755" }, watch);
    }
  }));
  await desk.upToDate();
  let first;
  for (const unit of room) {
    await unit.upToDate();
    const names = unit.all("playerInfoUpdate", { serverId: -1, name: (n) => n !== "D1" }).map((u) => Number(u.name));
    assert.deepEqual(names, Array.from({ length: broadcasts }, (_, n) => n));
    const texts = unit.all("dispatchNotification", { type: "broadcast" }).map((b) => b.message);
    assert.equal(texts.length, broadcasts);
    assert.deepEqual(texts, (first ??= texts), "one order for all");
    for (const s of senders) {
      const own = texts.filter((t) => t.startsWith(`${s} `));
      assert.deepEqual(own, Array.from({ length: broadcasts / 10 }, (_, n) => `${s} ${n}`));
    }
  }
}

export async function aCrowdAtTheKeys(radio) {
  const crowd = await Promise.all(Array.from({ length: units }, (_, n) => radio.player(n + 1)));
  for (const unit of crowd) await radio.tuned(unit, "154.755");
  const judge = await radio.dispatcher(-1);
  await judge.must("addListeningChannel", "154.755");
  let keyed = 0;
  let denials = 0;
  const granted = new Set();
  await Promise.all(crowd.map(async (unit) => {
    const outcome = () => new Promise((resolve) => {
      const on = (state) => state.serverId === unit.id && state.state && done(null);
      const done = (denied) => {
        unit.socket.off("talkingState", on).off("ptt:denied", done);
        resolve(denied);
      };
      unit.socket.on("talkingState", on).on("ptt:denied", done);
      keyed++;
      unit.emit("setTalking", true);
    });
    for (let n = 0; n < keyUps / units || !granted.has(unit.id); n++) {
      const denied = await outcome();
      if (denied) {
        denials++;
        assert.ok(denied.currentTalker > 0 && denied.currentTalker <= units && denied.currentTalker !== unit.id, JSON.stringify(denied));
        assert.deepEqual([denied.reason, denied.frequency], ["busy", "154.755"]);
        continue;
      }
      granted.add(unit.id);
      await unit.must("setTalking", false);
    }
  }));
  await judge.upToDate();
  let talker = 0;
  for (const { serverId, state } of judge.all("talkingState")) {
    if (state) assert.equal(talker, 0, `${serverId} and ${talker} talk at once`);
    else assert.equal(talker, serverId);
    talker = state ? serverId : 0;
  }
  assert.equal(granted.size, units);
  assert.ok(keyed >= keyUps && denials > 0, `${keyed} key-ups, ${denials} denials`);
}

// These are long, and independent of the transport: each runs over the one that is
// harder for it.
broadcastsArriveCompleteAndInOrder.over = "polling";
aCrowdAtTheKeys.over = "websocket";
