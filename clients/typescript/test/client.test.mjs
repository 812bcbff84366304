// The client against the running service at SQUELCH_URL. SQUELCH_KEY has the scopes read and talk.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";
import { opusPackets, packetMs, Squelch, SquelchError } from "../dist/index.js";

const { SQUELCH_URL: url, SQUELCH_KEY: key, SQUELCH_NAC: nacId } = process.env;
const failure = (promise) => promise.then(() => assert.fail("it was not refused"), (e) => (assert.ok(e instanceof SquelchError, String(e)), e));

/** next waits for an event of a link that matches. */
const next = (link, name, match = () => true) =>
  new Promise((resolve) => {
    const off = link.on(name, (payload) => match(payload) && (off(), resolve(payload)));
  });

test("a dispatcher's session is made, and made again when it has ended", async (t) => {
  const radio = new Squelch({ url, nacId, callsign: "2-C-1" });
  const link = await radio.connect({ id: -30 });
  t.after(() => link.close());
  assert.equal(link.id, -30);
  await link.emit("addListeningChannel", "154.755");
  const up = next(link, "up");
  await radio.rest("POST /radio/dispatch/logout"); // ends the session and its socket
  await up;
  const { users } = await radio.rest("GET /radio/dispatch/status");
  assert.deepEqual(users[link.id].listening, ["154.755"], "registered again");
});

test("calls that come at once share one login", async () => {
  const radio = new Squelch({ url, nacId, callsign: "2-C-2" });
  const all = await Promise.all(Array.from({ length: 20 }, () => radio.rest("GET /api/patches")));
  assert.equal(all.length, 20);
  await radio.rest("POST /radio/dispatch/logout");
  await Promise.all(Array.from({ length: 20 }, () => radio.rest("GET /api/patches")));
});

test("a refusal has the status and the service's words", async () => {
  const radio = new Squelch({ url, key });
  const e = await failure(radio.rest("POST /api/play-tone", { body: { frequency: "154.755", tone: "CHIRP" } }));
  assert.deepEqual([e.status, e.refusal, e.what], [403, 'This API key lacks the scope "dispatch"', "POST /api/play-tone"]);
  const wrong = await failure(new Squelch({ url, nacId: "nobody's", callsign: "X" }).rest("GET /api/patches"));
  assert.deepEqual([wrong.status, wrong.what], [401, "POST /radio/dispatch/auth"]);
});

test("a refused handshake has its code", async () => {
  const e = await failure(new Squelch({ url, key: `sqk_${"A".repeat(43)}` }).connect());
  assert.equal(e.code, "bad_token");
  assert.throws(() => new Squelch({ url, key: "master" }), /sqk_/);
  assert.throws(() => new Squelch({ url: "localhost:7777", key }), /url is "localhost:7777"/);
});

test("a busy channel names its talker, and speech goes to the other", async (t) => {
  const packets = opusPackets(await readFile(new URL("../../../server/ogg/demo/speech.ogg", import.meta.url)));
  assert.equal(packets.length, 500);
  assert.ok(packets.every((p) => packetMs(p) === 20));
  const radio = new Squelch({ url, key });
  const [one, two] = [await radio.connect({ id: -31 }), await radio.connect({ id: -32 })];
  t.after(() => [one, two].forEach((link) => link.close()));
  for (const link of [one, two]) await link.emit("setSpeakerChannel", "154.81");
  const heard = [];
  two.on("voice", (v) => heard.push(v));
  const released = next(two, "talkingState", (t) => t.serverId === one.id && !t.state);
  const begun = next(two, "voice");
  const speaking = one.speak("154.810", packets.slice(0, 50));
  await begun;
  const e = await failure(two.speak("154.81", packets));
  assert.deepEqual([e.refusal, e.currentTalker], ["The channel is busy", one.id]);
  assert.equal(await speaking, 50);
  await released;
  assert.deepEqual(heard.map((v) => v.data), packets.slice(0, 50).map((p) => Buffer.from(p).toString("base64")));
  one.close();
  assert.equal((await failure(one.emit("setTalking", true))).refusal, "there is no connection");
});

test("what is no Ogg Opus file is named", () => {
  assert.throws(() => opusPackets(new Uint8Array([1, 2, 3])), /byte 0: no Ogg page/);
  assert.throws(() => opusPackets(new Uint8Array(0)), /OpusHead/);
});

test("who does not answer is given up after the timeout", async (t) => {
  const mute = createServer(() => undefined); // takes requests and never answers
  t.after(() => mute.closeAllConnections() ?? mute.close());
  await new Promise((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const radio = new Squelch({ url: `http://127.0.0.1:${mute.address().port}`, key, timeout: 50 });
  assert.equal((await failure(radio.rest("GET /api/health"))).refusal, "no answer within 50 ms");
  assert.equal((await failure(radio.connect())).refusal, "no connection within 50 ms");
  mute.closeAllConnections();
  await new Promise((resolve) => mute.close(resolve));
  assert.match((await failure(radio.rest("GET /api/health"))).refusal, /cannot be reached/);
});
