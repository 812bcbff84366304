// Two hundred players and a thousand changes a second: how far the mirror is behind, what
// it costs the game server, and whether its memory stays as it is.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { tickEvery } from "../game.mjs";
import { Town } from "./town.mjs";

const players = 200;
const perSecond = 1000;
const seconds = Number(process.env.GAME_LOAD_SECONDS ?? 10);
// The figures that count are those of a quiet machine and a long run; on a busy one the
// run must only be no worse than ten times that.
const slack = process.env.GAME_LOAD_SECONDS ? 1 : 10;
const lagWithin = 250; // ms, of 99 in 100 changes
const leastMarks = 50; // a busy machine may need longer for them
const tickWithin = 0.5; // ms of the resource in a tick, on average
// What is native code in the game is simulated here, slowly: it is counted, and counts
// with a price in ms. A simple native of the game; a byte of JSON (lua-cjson
// takes 8 ns to read one and 34 ns to write one, the game's rapidjson was not measured); a
// byte of an event's arguments (libmpack: 30 ns).
const prices = { natives: 0.001, read: 0.00001, written: 0.000035, packed: 0.00003 };

const channels = Array.from({ length: 40 }, (_, i) => (400 + i / 8).toFixed(3));
const config = `
Config.bonking = { blockTransmission = false }
Config.zones = { { name = "County", Channels = {
${channels.map((frequency, i) => `{ name = "C${i}", type = "conventional", frequency = "${frequency}", allowedNacs = { "PD" } },`).join("\n")}
} } }
Config.getUserNacId = function() return "PD" end`;

let town, crowd;

/** heard is the crowd's next message. */
const heard = () => new Promise((resolve, reject) => {
  crowd.once("message", (message) => (message.failure ? reject(new Error(message.failure)) : resolve(message)));
  crowd.once("exit", (code) => reject(new Error(`the crowd has ended: ${code}`)));
});

before(async () => {
  // lua5.4 runs alone in its process, whose processor time its clock counts.
  town = await Town.open({ vm: "lua5.4", config, cfg: 'set radio_public_url "https://radio.example.org"' });
  // Groups of four stand together, within earshot of each other's radios.
  for (let i = 0; i < players; i++) await town.server.join({ id: 11 + i, name: `Unit ${i}`, position: { x: Math.floor(i / 4) * 100 + (i % 4) * 4, y: 0, z: 30 } });
  await town.until("everybody", async () => (await town.service.state()).users.length === players);
  const all = [...town.server.players.values()];
  const tokens = await Promise.all(all.map((player) => town.token(player)));
  crowd = fork(fileURLToPath(new URL("crowd.mjs", import.meta.url)));
  crowd.send({ url: town.service.url, perSecond, players: all.map(({ id }, i) => ({ id, token: tokens[i], channel: channels[i % channels.length] })) });
  assert.equal((await heard()).ready, players);
  // The first questions about everybody's permissions are behind us; a round that goes on
  // for ever asks for one player after the other.
  for (let probes = -Infinity; town.server.aceProbes - probes > 2000; ) {
    probes = town.server.aceProbes;
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  await town.equal();
});
after(() => (crowd?.kill(), town?.close()));

test(`${players} players, ${perSecond} changes a second, for ${seconds} s`, async (t) => {
  const runtime = town.server.runtimes.get("radio");
  const ids = [...town.server.players.keys()];
  const markers = ids.slice(0, 20); // players who tell how late the mirror is, by what they listen to
  const lags = [];
  const cost = {}, asking = {}; // of the resource, and of the test's own questions to it
  const count = (to) => {
    for (const [what, n] of Object.entries(runtime.account())) to[what] = (to[what] ?? 0) + n;
  };
  const open = new Map(); // marker -> { channel, since }
  const look = () => {
    for (const [id, { channel, since }] of open) {
      count(cost);
      const listeners = town.call("getListenersInChannel", channel);
      count(asking);
      if (!listeners.includes(id)) continue;
      lags.push(performance.now() - since);
      open.delete(id);
    }
    for (const { ped } of town.server.players.values()) town.server.world.get(ped).position.x += 0.1;
  };
  const tick = town.game.tick.bind(town.game);
  town.game.tick = () => (tick(), look());

  crowd.send("go");
  const begun = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1000)); // everything has run once
  const start = runtime.memory();
  runtime.account();
  for (const counted of [cost, asking]) for (const what in counted) delete counted[what];
  const ticks = town.server.ticks;
  const from = performance.now();
  let running = true;
  const mark = (async () => {
    for (let n = 0; running; n++) {
      const id = markers[n % markers.length];
      const channel = channels[(n * 7) % channels.length];
      if (!open.has(id)) {
        const since = performance.now();
        await town.service.does({ do: "event", serverId: id, name: "addListeningChannel", payload: channel });
        open.set(id, { channel, since });
        setTimeout(() => town.service.does({ do: "event", serverId: id, name: "removeListeningChannel", payload: channel }).catch(() => {}), 1500);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const latest = from + seconds * 1000 * slack;
  while (lags.length < leastMarks && performance.now() < latest) await new Promise((resolve) => setTimeout(resolve, 100));
  running = false;
  await mark;
  const end = runtime.memory();
  count(cost);
  const wall = performance.now() - from;
  const ran = town.server.ticks - ticks;
  crowd.send("stop");
  const { made } = await heard();
  const stopped = performance.now();
  const handled = heard();
  handled.catch(() => {}); // it is waited for below
  const rate = (made * 1000) / (stopped - begun);

  lags.sort((a, b) => a - b);
  const at = (share) => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))];
  const inTick = (n) => n / (wall / tickEvery);
  const priced = Object.entries(prices).map(([what, price]) => cost[what] * price);
  const perTick = inTick(priced.reduce((sum, each) => sum + each, cost.ms));
  const [ofNatives, ofRead, ofWritten, ofPacked] = priced.map((each) => inTick(each).toFixed(3));
  console.log(`${rate.toFixed(0)} changes/s; lag of ${lags.length} changes: median ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`);
  console.log(`server scripts of the resource: ${perTick.toFixed(3)} ms per tick of ${tickEvery} ms (here of ${(wall / ran).toFixed(1)} ms): Lua ${inTick(cost.ms).toFixed(3)} ms, ${inTick(cost.natives).toFixed(0)} natives ${ofNatives} ms, ${inTick(cost.read).toFixed(0)} bytes of JSON read ${ofRead} ms, ${inTick(cost.written).toFixed(0)} written ${ofWritten} ms, ${inTick(cost.packed).toFixed(0)} bytes of events ${ofPacked} ms`);
  console.log(`not counted, per tick: JSON in Lua ${inTick(cost.json).toFixed(3)} ms, packing in Lua and the way to the host ${inTick(cost.host).toFixed(3)} ms, what measuring them adds ${inTick(cost.correction).toFixed(3)} ms, the test's own questions ${inTick(asking.ms ?? 0).toFixed(3)} ms`);
  console.log(`memory ${(start.bytes / 2 ** 20).toFixed(2)} MiB, afterwards ${(end.bytes / 2 ** 20).toFixed(2)} MiB`);
  assert.ok(lags.length >= leastMarks, `${lags.length} marks`);
  assert.ok(rate >= (perSecond * 0.99) / slack, `${rate} changes a second`);
  assert.ok(at(0.99) < lagWithin * slack, `p99 of the lag is ${at(0.99)} ms`);
  assert.ok(perTick < tickWithin * slack, `${perTick} ms in a tick`);
  assert.ok(end.bytes < start.bytes * 1.25 + 2 ** 20, "the memory of the resource grows");
  assert.ok(end.references < start.references + 100, "functions are never let go");
  assert.ok((await handled).handled);
  console.log(`the last change was handled ${(performance.now() - stopped).toFixed(0)} ms after it was made`);
  await town.equal();
  assert.deepEqual(town.game.errors, []);
});
