// The client side of the resource as it is shipped, in the simulated game, with a page
// that only notes what it is told. There is no service: what it would say is said here.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rule } from "../fixture.mjs";

const resource = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../resource");
const shipped = process.env.GAME_RESOURCE ?? path.join(resource, "radio");
const SERVER = "net:65535"; // where net events come from

const config = {
  zones: [{ id: "zone-1", name: "County", channels: [{ name: "DISP", frequency: "154.755", type: "conventional", canTransmit: true, users: [] }] }],
  tones: [{ name: "BEEP", file: "b" }],
  volumes: { voiceVolume: 50, sfxVolume: 50, default3DVolume: 50, volumeStep: 5 },
  bonking: { playBonkTone: true, bonkInterval: 750 },
};
const self = { serverId: 1, name: "Ann", nacId: "PD", channel: "154.755", listening: [], alerts: {}, panic: [], hotMic: null };

/** Handheld is one player's radio, connected and tuned. */
class Handheld {
  static async open(yard, more = {}) {
    const h = new Handheld();
    await yard.server.add("radio", shipped);
    for (const [name, client] of Object.entries(more)) await yard.put(name, { "client.lua": client });
    await yard.server.start("radio");
    h.yard = yard;
    h.player = await yard.server.join({ client: true });
    h.client = h.player.client;
    h.page = h.client.page("radio");
    h.page.listen();
    for (const name of Object.keys(more)) await yard.server.start(name);
    await h.says("ready", { version: "test", browser: "none", settings: { power: true } });
    h.client.emit("radio:link", [{ serverId: 1, path: "webrtc", version: "1" }], SERVER);
    await h.says("connection", { connected: true, path: "webrtc", rtt: 12, mic: "ready", encoder: "webrtc", packetsLost: 0.01 });
    await h.event("configUpdate", config);
    await h.event("self", self);
    h.pass(300);
    return h;
  }

  pass(ms) {
    this.yard.advance(ms);
  }

  async says(name, data) {
    const answer = this.page.post(name, data);
    this.pass(40);
    assert.deepEqual(await answer, { ok: true }, name);
  }

  event(name, payload) {
    return this.says("event", { name, payload });
  }

  /** forget makes the next look begin here. */
  forget() {
    this.page.messages.length = 0;
  }

  sent(type) {
    return this.page.messages.filter((m) => m.type === type);
  }

  call(name, ...args) {
    return this.client.call("radio", name, ...args)[0] ?? null;
  }

  /** clean ends a test: nothing may have gone wrong on the way. */
  clean() {
    assert.deepEqual(this.yard.clientConsole.lines.filter((line) => /SCRIPT ERROR|error/i.test(line)), []);
  }
}

rule("the page is told where the service is, and the game server what the page offers", async (yard) => {
  const h = await Handheld.open(yard);
  assert.deepEqual(h.sent("link"), [{ type: "link", serverId: 1, path: "webrtc", version: "1" }]);
  h.client.emit("radio:answer", [{ id: 4, sdp: "v=0" }], SERVER);
  h.pass(40);
  assert.deepEqual(h.sent("answer"), [{ type: "answer", id: 4, sdp: "v=0" }]);
  assert.equal(h.sent("view").at(-1).channel.name, "DISP");
  assert.deepEqual([h.call("getCurrentFrequency"), h.call("isConnected"), h.call("getZone")], ["154.755", true, "County"]);
  h.clean();
});

rule("the key talks, with the hand at the radio", async (yard) => {
  const h = await Handheld.open(yard);
  h.forget();
  h.client.keys.press("capital");
  h.pass(40);
  assert.deepEqual(h.sent("ptt"), [{ type: "ptt", down: true, frequency: "154.755", source: "key" }]);
  await h.says("ptt", { state: "talking", frequency: "154.755" });
  h.pass(100);
  assert.equal(h.client.animations.playing.size, 1);
  h.client.keys.release("capital");
  await h.says("ptt", { state: "idle" });
  h.pass(40);
  assert.deepEqual(h.sent("ptt").at(-1), { type: "ptt", down: false, frequency: "154.755", source: "key" });
  assert.equal(h.client.animations.playing.size, 0);
  for (const id of ["2", "3", "4"]) {
    h.call("setAnimationId", id);
    h.client.keys.press("capital");
    await h.says("ptt", { state: "talking", frequency: "154.755" });
    h.pass(100);
    assert.equal(h.client.animations.playing.size, id === "4" ? 0 : 1, `animation ${id}`);
    h.client.keys.release("capital");
    await h.says("ptt", { state: "idle" });
    h.pass(40);
  }
  assert.equal(h.client.animations.playing.size, 0);
  h.clean();
});

rule("the request for the microphone is shown until it was allowed", async (yard) => {
  const h = await Handheld.open(yard);
  const notice = () => h.sent("view").at(-1)?.notice?.text;
  await h.says("mic", { state: "asking" });
  h.pass(100);
  assert.equal(notice(), "Press F8 and allow the microphone");
  await h.says("mic", { state: "ready" });
  h.pass(100);
  assert.equal(notice(), undefined);
  h.clean();
});

rule("death, the pause menu and a stopped resource let go of the key", async (yard) => {
  const h = await Handheld.open(yard);
  const ped = h.client.world.get(h.player.ped);
  const talk = async () => {
    h.forget();
    h.client.keys.press("capital");
    await h.says("ptt", { state: "talking", frequency: "154.755" });
  };
  const letGo = () => assert.deepEqual(h.sent("ptt").at(-1)?.down, false);
  await talk();
  ped.health = 0;
  h.pass(400);
  letGo();
  h.forget();
  h.client.keys.press("capital");
  h.pass(40);
  assert.deepEqual(h.sent("ptt"), []); // the dead do not talk
  ped.health = 200;
  h.pass(400);
  await talk();
  h.client.paused = true;
  h.pass(400);
  letGo();
  h.client.paused = false;
  h.pass(400);
  await talk();
  yard.server.stop("radio");
  h.pass(40);
  letGo();
  assert.equal(h.sent("unlink").length, 1);
  assert.equal(h.client.animations.playing.size, 0);
  h.clean();
});

rule("the radio is shown with the mouse, and the player can still walk and talk", async (yard) => {
  const h = await Handheld.open(yard);
  h.client.execute("/radio");
  h.pass(100);
  assert.deepEqual(h.page.focus, { keyboard: true, cursor: true, keepInput: true });
  assert.equal(h.sent("view").at(-1).open, true);
  h.forget();
  h.client.keys.press("capital");
  h.pass(40);
  assert.equal(h.sent("ptt").length, 1);
  h.client.keys.release("capital");
  await h.says("ui", { action: "close" });
  h.pass(500);
  assert.deepEqual(h.page.focus, { keyboard: false, cursor: false, keepInput: false });
  h.call("openRadio", false);
  assert.equal(h.page.focus.keyboard, false);
  assert.deepEqual([h.call("isRadioOpen"), h.call("isRadioFocused")], [true, false]);
  h.client.execute("/radio off");
  h.pass(40);
  assert.equal(h.call("isPowerOn"), false);
  h.clean();
});

rule("the siren behind the voice, polled and nudged by another resource", async (yard) => {
  const h = await Handheld.open(yard, { horns: "AddEventHandler('nudge', function() for _ = 1, 50 do exports.radio:NotifySirenChanged() end end)" });
  const vehicle = h.client.world.vehicle(h.player.ped, { siren: true });
  h.forget();
  h.pass(1200);
  assert.deepEqual(h.sent("siren"), [{ type: "siren", on: true }]);
  assert.equal(h.sent("view").at(-1).model, "car"); // in a vehicle
  h.client.world.get(vehicle).siren = false;
  h.client.emit("nudge");
  h.pass(120);
  assert.deepEqual(h.sent("siren").at(-1), { type: "siren", on: false });
  h.client.emit("lvc:UpdateThirdParty", [{ state_lxsiren: 2, state_pwrcall: 0, state_airmanu: 0 }]);
  h.pass(120);
  assert.deepEqual(h.sent("siren").at(-1), { type: "siren", on: true });
  h.clean();
});

rule("units with GPS are on the map as long as the service says so", async (yard) => {
  const h = await Handheld.open(yard);
  const unit = (serverId, x) => ({ serverId, x, y: 2, z: 3, color: serverId === 7 ? "#ff0000" : "" });
  await h.event("playerInfoUpdate", { serverId: 7, name: "Ben", unitId: "E1" });
  const blips = () => h.client.blips.all.map(({ name, position, colour }) => [name, position.x, colour]);
  await h.event("gps", { positions: [unit(1, 0), unit(7, 10), unit(8, 20)] });
  assert.deepEqual(blips(), [["E1", 10, 0xff0000ff], ["Unit 8", 20, 3]]);
  await h.event("gps", { positions: [unit(7, 11)] });
  assert.deepEqual(blips(), [["E1", 11, 0xff0000ff]]);
  await h.says("connection", { connected: false, reason: "test" });
  assert.deepEqual(blips(), []);
  h.clean();
});

rule("voices nearby have a place, and end with the server's news", async (yard) => {
  const h = await Handheld.open(yard);
  h.forget();
  const talker = await h.yard.server.join({ position: { x: 20, y: 0, z: 30 } }); // within sight; the voice comes from the radio all the same
  h.client.emit("radio:scene", [{ radios: [[100, 50, 30, 9, "x", 12, talker.id], ["x", {}, 1, 2], 5] }], SERVER);
  h.pass(300);
  const [scene] = h.sent("scene");
  assert.deepEqual(scene.talkers, [[9, 100, 50, 30], [12, 100, 50, 30], [talker.id, 100, 50, 30]]);
  assert.equal(typeof scene.ear.heading, "number");
  h.pass(1500);
  const all = h.sent("scene");
  assert.deepEqual(all.at(-1).talkers, []);
  h.pass(500);
  assert.equal(h.sent("scene").length, all.length); // nobody talks: nothing is sent
  h.clean();
});

rule("the self-test says what somebody who helps needs", async (yard) => {
  const h = await Handheld.open(yard);
  h.client.execute("/radio selftest");
  h.pass(40);
  const text = yard.clientConsole.lines.join("\n");
  for (const line of [/page +test/, /connection +connected/, /path +webrtc/, /mixed content +no/, /round trip +12 ms/, /packets lost +1\.0 %/, /microphone +ready/, /longest pause +\d+ ms/]) {
    assert.match(text, line);
  }
  h.clean();
});

rule("an emergency by command, and the service's microphone", async (yard) => {
  const h = await Handheld.open(yard);
  h.forget();
  h.client.execute("/radiopanic");
  h.pass(40);
  const [emit] = h.sent("emit").filter(({ name }) => name === "panic");
  assert.deepEqual(emit.payload, { enabled: true });
  await h.event("self", { ...self, panic: ["154.755"], hotMic: { frequency: "154.755", until: 5 } });
  assert.deepEqual(h.sent("ptt"), [{ type: "ptt", down: true, frequency: "154.755", source: "panic" }]);
  await h.event("self", self);
  assert.deepEqual(h.sent("ptt").at(-1), { type: "ptt", down: false, frequency: "154.755", source: "panic" });
  h.clean();
});

// The cases of server/resource/testdata/client, which the Go tests run in Lua 5.1, too.
const told = new Set();

rule("every client export answers in the game's Lua as elsewhere", async (yard) => {
  const common = /^(shared\/|client\/(config|radio|link|channels|talk|device|view|exports)\.lua$)/;
  const manifest = fs.readFileSync(path.join(shipped, "fxmanifest.lua"), "utf8");
  const scripts = [...manifest.matchAll(/'((?:shared|client)\/\w+\.lua)'/g)].map(([, file]) => file).filter((file) => common.test(file));
  const files = Object.fromEntries(scripts.map((file) => [file, fs.readFileSync(path.join(shipped, file), "utf8")]));
  for (const file of ["harness.lua", "cases.lua"]) files[file] = fs.readFileSync(path.join(resource, "testdata/client", file), "utf8");
  files["run.lua"] = "Cases.run()";
  await yard.put("cases", files, `client_scripts { ${Object.keys(files).map((file) => `'${file}'`).join(", ")} }`);
  await yard.server.start("cases");
  await yard.server.join({ client: true });
  const lines = yard.clientConsole.lines;
  assert.match(lines.at(-1), /\d{4,} checks, 0 failed$/, lines.filter((line) => /FAILED|ERROR/.test(line)).join("\n"));
  told.add(lines.join("\n"));
  assert.equal(told.size, 1, "the VMs answer differently");
});
