// The page of the game in the game's own Chromium 103 and in today's: at its address
// there, with a service that it can reach by no address of the web.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Game } from "./nui/game.mjs";
import { proxy } from "./nui/proxy.mjs";
import { again } from "./voice/again.mjs";
import { Console } from "./voice/console.mjs";
import { ending, wantHeard } from "./voice/heard.mjs";
import { browser, folder, login, page, Service } from "./voice/service.mjs";
import { speech } from "./voice/speech.mjs";
import { passes, until } from "./wait.mjs";

const patrol = "154.755";
const fire = "154.28";

for (const [kind, player] of [["103", 14], ["today", 15]]) {
  test(`the page of the game in Chromium ${kind}`, async (t) => {
    const dir = folder(t);
    const wav = join(dir, "player.wav");
    writeFileSync(wav, speech());
    const [service, site, chrome] = await Promise.all([
      Service.start(t, dir, "Config.radioFx = false\n"), page(t, dir), browser(t, dir),
    ]);
    const dispatcher = await Console.open(await chrome.newContext(), { url: service.url, site, callsign: "Dispatch", id: -12 });
    await dispatcher.on("webrtc");
    await dispatcher.emit("setSpeakerChannel", patrol);
    const game = await Game.start(t, kind, { service, wav, player });
    const named = service.url.replace("127.0.0.1", "radio.test");

    /** Waits until the player has heard something, and it is over. */
    const heardOut = () =>
      until("it is heard out", async () => {
        const { heard } = await game.recorded();
        return Math.max(...heard) > 0.002 && ending(heard) < 0.002;
      });

    await t.test("it is the browser that it should be, and may open no plain address", async (t) => {
      t.diagnostic(game.version);
      if (kind === "103") assert.match(game.version, /\b103\./);
      const [secure, reached] = await game.tab.evaluate(
        async (url) => [isSecureContext, await fetch(`${url}/api/health`).then((r) => r.status, (e) => String(e))], named);
      assert.equal(secure, true);
      assert.match(String(reached), /TypeError/, "http to a named host is mixed content");
      game.complaints.length = 0; // the browser has complained of that
      await game.link({ path: "socket", url: named, token: "x" });
      const told = await game.call("connection", (c) => c.reason === "mixed-content");
      assert.deepEqual([told.connected, told.connecting, told.mixedContent], [false, false, true]);
    });

    await t.test("the microphone is asked for at the first power-on, and not before", async () => {
      await game.post({ type: "sound", voice: 1, tone: 1, audio3d: 1, earbuds: false, announcement: 1 });
      await game.show({ power: false });
      await passes(300, "a page that asked at once would have done it by now");
      assert.equal(game.last("mic"), undefined);
      await game.show({ power: true });
      await game.call("mic", (m) => m.state === "ready");
      assert.equal(game.calls.find(([n]) => n === "mic")[1].state, "asking");
    });

    await t.test("it connects by an offer through the game, and is told who it is", async () => {
      await game.register("Ana");
      const from = game.calls.length;
      await game.link();
      const c = await game.call("connection", (c) => c.connected, from);
      assert.equal(c.path, "webrtc");
      assert.equal((await game.call("event", (e) => e.name === "self", from)).payload.serverId, player);
      const config = await game.call("event", (e) => e.name === "configUpdate" && e.payload.zones, from);
      assert.equal(config.payload.zones[0].channels[0].frequency, patrol);
      assert.equal((await game.emit("setSpeakerChannel", patrol)).success, true);
      await game.call("connection", (c) => c.connected && c.encoder === "webrtc", from);
    });

    await t.test("a microphone that was lost is asked for once more, when the player wants it", async () => {
      const given = () => game.tab.evaluate(() => window.microphones.length);
      const before = await given();
      const from = game.calls.length;
      await game.tab.evaluate(() => window.microphones.at(-1).getTracks()[0].dispatchEvent(new Event("ended")));
      await game.call("mic", (m) => m.state === "refused", from);
      await until("the page offers to try again", () => game.tab.evaluate(() => document.querySelector("[data-part=microphone-help] button") !== null));
      await game.tab.evaluate(() => document.querySelector("[data-part=microphone-help] button").click());
      await game.call("mic", (m) => m.state === "ready", from);
      await passes(500, "a second request would have been answered by now");
      assert.equal(await given(), before + 1);
    });

    await t.test("the dispatcher hears the player from the first syllable on", (t) =>
      again(t, async () => {
        const epoch = Date.now();
        await Promise.all([game.record(epoch), dispatcher.record(epoch)]);
        await game.press();
        await passes(1800, "how long the key is held");
        const from = game.calls.length;
        await game.release();
        await game.call("ptt", (p) => p.state === "idle" && p.reason === undefined, from);
        await dispatcher.hearsOut();
        const [{ sent }, heard] = await Promise.all([game.stop(), dispatcher.stop()]);
        const slot = await dispatcher.slotOf(player);
        assert.ok(slot !== undefined, "a slot was announced");
        wantHeard(t, "dispatcher", sent, heard[slot]);
        assert.ok(ending(sent) === 0, "the microphone is shut");
      }),
    );

    await t.test("the player hears the dispatcher, and Lua is told who talks", (t) =>
      again(t, async () => {
        const from = game.calls.length;
        const epoch = Date.now();
        await Promise.all([game.record(epoch), dispatcher.record(epoch)]);
        await dispatcher.talk(patrol, 1800);
        const talking = (state) => game.call("event", (e) => e.name === "talkingState" && e.payload.serverId === dispatcher.id && e.payload.state === state, from);
        await Promise.all([talking(true), talking(false)]);
        await heardOut();
        const [{ heard }, { sent }] = await Promise.all([game.stop(), dispatcher.stop()]);
        wantHeard(t, "player", sent, heard);
      }),
    );

    await t.test("a tone's file comes over the data channel, in pieces, and plays", async () => {
      const { tones } = (await game.call("event", (e) => e.name === "configUpdate" && e.payload.tones)).payload;
      const panic = tones.find((x) => x.name === "PANIC");
      const file = await (await fetch(`${service.url}/radio/tones/${panic.file}`)).arrayBuffer();
      await game.record(Date.now());
      await game.post({ type: "tone", name: "PANIC" });
      await heardOut();
      await game.stop();
      assert.deepEqual(await game.tab.evaluate(() => window.decoded), [file.byteLength], `the file ${panic.file}, whole`);
    });

    await t.test("what is overheard on a radio nearby comes from its place, and not with earbuds", async () => {
      /** How loud a talk on another channel is, RMS over its loudest second. */
      const overheard = async (change) => {
        await change();
        await game.record(Date.now());
        await dispatcher.talk(fire, 1500);
        await passes(600, "a jitter buffer and the last syllable");
        const { heard } = await game.stop();
        return Math.sqrt([...heard].sort((a, b) => b - a).slice(0, 100).reduce((sum, v) => sum + v * v, 0) / 100);
      };
      const ear = { x: 100, y: 200, z: 30, heading: 0 };
      const at = (metres) => game.post({ type: "scene", ear, talkers: [[dispatcher.id, 100, 200 + metres, 30]] });
      assert.equal((await game.emit("add3DListening", fire)).success, true);
      const near = await overheard(() => at(2));
      const far = await overheard(() => at(20));
      const silent = await overheard(() => game.post({ type: "sound", earbuds: true }));
      assert.ok(near > 0.01, `near: ${near}`);
      assert.ok(far < near / 4 && far > near / 40, `20 m away: ${far}, 2 m away: ${near}`);
      assert.ok(silent < near / 1000, `with earbuds: ${silent}`);
      await game.post({ type: "sound", earbuds: false });
      assert.equal((await game.emit("remove3DListening", fire)).success, true);
    });

    await t.test("a busy channel is denied, and nothing is sent", async () => {
      await dispatcher.press(patrol);
      await dispatcher.reaches("TX");
      await game.record(Date.now());
      const from = game.calls.length;
      await game.post({ type: "ptt", down: true, source: "key", frequency: patrol });
      const denied = await game.call("ptt", (p) => p.state === "denied", from);
      assert.deepEqual([denied.reason, denied.talker], ["busy", dispatcher.id]);
      await shut();
      await game.release();
      await dispatcher.release();
      await dispatcher.givesBack();
    });

    /** Waits until the microphone has been shut for as long as ending looks back. */
    async function shut() {
      await until("the microphone is shut", async () => ending((await game.recorded()).sent) === 0);
      await game.stop();
    }

    /** Talks, ends it in some way, and checks that the microphone is shut and the floor free. */
    async function endsTalk(end, report) {
      await game.record(Date.now());
      await game.press();
      const from = game.calls.length;
      await end();
      await game.call("ptt", report, from);
      await shut();
      await dispatcher.press(patrol);
      await dispatcher.reaches("TX"); // the floor is free
      await dispatcher.release();
      await dispatcher.givesBack();
    }

    await t.test("a window that loses the keyboard stops talking", () =>
      endsTalk(
        () => game.tab.evaluate(() => window.dispatchEvent(new Event("blur"))),
        (p) => p.state === "idle" && p.reason === "blur",
      ));

    await t.test("a key that is released stops talking", () => endsTalk(() => game.release(), (p) => p.state === "idle"));

    await t.test("an emergency's microphone opens without a key-up and survives a blur", async () => {
      await game.record(Date.now());
      const from = game.calls.length;
      await game.post({ type: "ptt", down: true, source: "panic", frequency: patrol });
      await game.call("ptt", (p) => p.state === "talking", from);
      await game.tab.evaluate(() => window.dispatchEvent(new Event("blur")));
      await passes(400, "a microphone that a blur had shut would be silent by now");
      assert.ok(ending((await game.recorded()).sent) > 0, "the microphone is open");
      await game.release("panic");
      await game.call("ptt", (p) => p.state === "idle", from);
      await shut();
    });

    await t.test("a connection that is lost comes back by itself", async () => {
      const from = game.calls.length;
      await service.stop("SIGKILL");
      const lost = await game.call("connection", (c) => !c.connected, from);
      assert.equal(lost.connecting, true);
      await service.start();
      await game.register("Ana");
      const since = game.calls.length;
      await game.call("connection", (c) => c.connected, since);
      await game.call("event", (e) => e.name === "self", since);
      assert.equal((await game.emit("setSpeakerChannel", patrol)).success, true);
      await dispatcher.on("webrtc");
      await until("the dispatcher is back", async () => (await dispatcher.emit("setSpeakerChannel", patrol)).success);
    });

    await t.test("a resource that stops lets go of everything at once", async () => {
      await endsTalk(() => game.post({ type: "unlink" }), (p) => p.state === "idle" && p.reason === "stop");
      await game.call("connection", (c) => c.path === "none");
      const { authToken, sessionId } = await login(service.url, "Watch");
      const headers = { authorization: `Bearer ${authToken}`, "x-session-id": sessionId };
      const { users } = await (await fetch(`${service.url}/radio/dispatch/status`, { headers })).json();
      assert.equal(users[player]?.connected ?? false, false, `the service knows that the player has gone: ${JSON.stringify(users[player])}`);
    });

    await t.test("the second path is Socket.IO over TLS, with WebRTC beside it", async (t) => {
      const { playerToken: token } = await game.register("Ana");
      const from = game.calls.length;
      await game.link({ path: "socket", url: await proxy(t, "radio.test", service.url), token });
      await game.call("event", (e) => e.name === "self" && e.payload.serverId === player, from);
      await game.call("connection", (c) => c.connected && c.path === "socket" && c.encoder === "webrtc", from);
      assert.equal((await game.emit("setSpeakerChannel", patrol)).success, true);
      await endsTalk(() => game.release(), (p) => p.state === "idle");
    });

    await t.test("without WebRTC the voice goes over Socket.IO, both ways", async (t) => {
      const { playerToken: token } = await game.register("Ana");
      await game.tab.evaluate(() => Reflect.deleteProperty(window, "RTCPeerConnection"));
      const from = game.calls.length;
      await game.link({ path: "socket", url: await proxy(t, "radio.test", service.url), token });
      await game.call("connection", (c) => c.connected && c.encoder === "webcodecs", from);
      assert.equal((await game.emit("setSpeakerChannel", patrol)).success, true);
      await again(t, async () => {
        const epoch = Date.now();
        await Promise.all([game.record(epoch), dispatcher.record(epoch)]);
        await game.press();
        await passes(1500, "how long the key is held");
        await game.release();
        await dispatcher.hearsOut();
        const [{ sent }, heard] = await Promise.all([game.stop(), dispatcher.stop()]);
        wantHeard(t, "dispatcher", sent, heard[await dispatcher.slotOf(player)]);
      });
      await again(t, async () => {
        const epoch = Date.now();
        await Promise.all([game.record(epoch), dispatcher.record(epoch)]);
        await dispatcher.talk(patrol, 1500);
        await heardOut();
        const [{ heard }, { sent }] = await Promise.all([game.stop(), dispatcher.stop()]);
        wantHeard(t, "player", sent, heard);
      });
    });

    await t.test("the page has complained of nothing", () => assert.deepEqual(game.complaints, []));
  });
}
