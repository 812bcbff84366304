// A dispatcher's browser, a legacy client behind a balancer and a player are at three
// nodes, and talk. The node of each is killed in turn: it is at another one by itself, on
// its channel, with its id, and is heard.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { Desk, startBrowser } from "./browser.mjs";
import { balancer, nodes, settled } from "./cluster.mjs";
import { frequencyOf } from "./county.mjs";
import { Radio } from "./radio.mjs";
import { patience, until } from "./wait.mjs";

/** How soon they are to be back and heard, ms, and how much longer a busy machine may take. */
const soon = 3_000;
const slack = 10;
const speech = fileURLToPath(new URL("../../server/ogg/demo/speech.ogg", import.meta.url));
/** What a cut connection may say in a browser's console; nothing else may. */
const cut = [/WebSocket/, /ERR_CONNECTION_REFUSED/, /ERR_CONNECTION_RESET/, /ERR_EMPTY_RESPONSE/, /socket\.io/, /api\/health/];

/** A player at the command line, who talks without end. */
class Player {
  #lines = [];
  #child;

  static async start(t, node, id, name) {
    const { playerToken } = await node.post("/api/player/connect", { serverId: id, name });
    const p = new Player();
    p.id = id;
    p.#child = spawn(node.program, ["client", "--server", node.url, "--token", playerToken, "--id", String(id), "--speak", frequencyOf("FIRE"),
      "--scan", frequencyOf("MAIN"), "--play", speech, "--repeat", "10000", "--webrtc", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => p.#child.kill());
    let rest = "";
    p.#child.stdout.on("data", (b) => {
      const lines = (rest + b).split("\n");
      rest = lines.pop();
      p.#lines.push(...lines);
    });
    p.#child.on("exit", (code) => (p.ended = code));
    return p;
  }

  has(text) {
    return this.#lines.some((l) => l.includes(text));
  }
}

/** Somebody at a node who hears MAIN and FIRE. */
async function witness(node, id) {
  const w = await Radio.connect(node, id, "Witness");
  w.heard = new Map();
  w.socket.on("voice", (v) => w.heard.set(v.serverId, (w.heard.get(v.serverId) ?? 0) + 1));
  for (const channel of ["MAIN", "FIRE"]) await w.send("addListeningChannel", frequencyOf(channel));
  w.hearsOf = (who) => w.heard.get(who) ?? 0;
  return w;
}

/** A legacy client: after each connect it joins again, and while its key is held it talks. */
async function legacy(t, service, node, id) {
  const { playerToken } = await node.post("/api/player/connect", { serverId: id, name: "Legacy" });
  const r = new Radio();
  t.after(() => r.close());
  const { io } = await import("socket.io-client");
  r.id = id;
  r.name = "Legacy";
  r.held = false;
  r.socket = io(service.url, { auth: { authToken: playerToken, serverId: id }, transports: ["websocket"], forceNew: true });
  r.socket.on("connect", () => {
    r.socket.emit("setSpeakerChannel", frequencyOf("MAIN"));
    if (r.held) r.socket.emit("setTalking", true);
  });
  // Somebody else may still hold the floor, or no node decides yet: its user presses again.
  for (const no of ["ptt:denied", "refused"]) r.socket.on(no, () => setTimeout(() => r.held && r.socket.emit("setTalking", true), 200));
  setInterval(() => r.held && r.socket.connected && r.socket.volatile.emit("voice", { data: "+P/+" }), 20).unref();
  r.key = (on) => {
    r.held = on;
    r.socket.emit("setTalking", on);
  };
  await until("the legacy client is there", () => r.socket.connected);
  return r;
}

test("clients whose node is killed are at another one", async (t) => {
  const all = await nodes(t, "a", "b", "c");
  const [a, b, c] = all;
  const browser = await startBrowser();
  t.after(() => browser.close());
  const desk = await Desk.open(browser, a, "NORTH");
  await desk.speakOn("MAIN");
  await desk.button("Monitor FIRE").click();
  const old = await legacy(t, await balancer(t, [b, c, a]), b, 21);
  const player = await Player.start(t, c, 31, "Ana");
  await until("the player talks over WebRTC", () => player.has('"webrtc"'));
  const me = () => desk.page.evaluate(() => JSON.parse(localStorage.getItem("squelch.session")).me ?? -1); // -1 is what it asks for
  const id = await me();

  /** Presses until the desk is heard: voice may still be on its way back. */
  const deskTalks = async (w) => {
    const before = w.hearsOf(id);
    for (const end = Date.now() + patience; w.hearsOf(id) < before + 5; assert.ok(Date.now() < end, "the desk is not heard")) {
      await desk.page.keyboard.down("F2");
      await until("the desk is heard", () => w.hearsOf(id) >= before + 5, 700).catch(() => undefined);
      await desk.page.keyboard.up("F2");
    }
    let ptt;
    await until(() => `the desk's key is up, and not ${ptt}`, async () => (ptt = await desk.page.evaluate(() => document.documentElement.dataset.ptt)) === "IDLE");
  };
  const legacyTalks = async (w) => {
    const before = w.hearsOf(old.id);
    old.key(true);
    await until("the legacy client is heard", () => w.hearsOf(old.id) >= before + 5);
    old.key(false);
  };
  const playerTalks = async (w) => {
    const before = w.hearsOf(player.id);
    await until("the player is heard", () => w.hearsOf(player.id) >= before + 5);
  };
  /** Whoever is at the other end hears all of them; the desk hears the player. */
  const allTalk = async (w) => {
    await deskTalks(w);
    await legacyTalks(w);
    await playerTalks(w);
    await desk.state("FIRE", "rx");
  };

  const w = await witness(b, 41);
  t.after(() => w.close());
  await t.test("they talk", () => allTalk(w));
  w.close();

  const killed = async (t, node, who, talks) => {
    const others = all.filter((n) => n !== node);
    const w = await witness(others[1], 42);
    await talks(w);
    const began = Date.now();
    await node.stop("SIGKILL");
    const heard = w.hearsOf(who);
    const back = talks(w);
    await until(`whoever was at node ${node.name} is heard`, () => w.hearsOf(who) > heard, soon * slack);
    t.diagnostic(`at node ${node.name}: heard ${Date.now() - began} ms after its end (${soon} wanted)`);
    await back;
    await allTalk(w);
    const { users } = await others[0].status();
    for (const one of [id, old.id, player.id]) assert.ok(users[one]?.connected, `${one} is on the radio as before: ${JSON.stringify(Object.keys(users))}`);
    assert.equal(await me(), id, "the desk has its id");
    assert.equal(player.ended, undefined, "the player has not ended");
    w.close();
    await node.start();
    await settled(node);
  };

  await t.test("the dispatcher's node is killed", (t) => killed(t, a, id, deskTalks));
  await t.test("the legacy client's node is killed", (t) => {
    old.key(true); // held all the time
    return killed(t, b, old.id, legacyTalks);
  });
  await t.test("the player's node is killed", (t) => killed(t, c, player.id, playerTalks));
  await t.test("no other errors in the browser", () => desk.silent(...cut));
});
