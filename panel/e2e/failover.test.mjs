// The UDP path to a console is cut in mid-sentence: the socket takes the voice over, and
// gives it back when the path is whole again.
import assert from "node:assert/strict";
import test from "node:test";
import { Cable } from "./voice/cable.mjs";
import { Console } from "./voice/console.mjs";
import { browser, folder, page, Service } from "./voice/service.mjs";
import { until } from "./wait.mjs";

const patrol = "154.755";

/** received is how many packets of voice a console's media connection has had. */
const received = (c) => c.tab.evaluate(async () => (await window.station.link.counters())?.received ?? 0);

/** sent is how many packets of voice have left it. */
const sent = (c) => c.tab.evaluate(async () => (await window.station.link.counters())?.sent ?? 0);

/** hearsByRTP waits until a console has had a second of voice more on its media connection. */
async function hearsByRTP(name, c) {
  const before = await received(c);
  await until(`${name} hears over WebRTC`, async () => (await received(c)) >= before + 50);
}

test("a UDP path that is cut in mid-sentence", async (t) => {
  const dir = folder(t);
  const [service, site, chrome] = await Promise.all([Service.start(t, dir), page(t, dir), browser(t, dir)]);
  const [near, far] = [await chrome.newContext(), await chrome.newContext()];
  const cable = await Cable.lay(t, far);
  const open = (context, callsign, id) => Console.open(context, { url: service.url, site, callsign, id });
  const a = await open(near, "Adam", -11);
  const b = await open(far, "Boy", -12);
  await Promise.all([a.on("webrtc"), b.on("webrtc")]);
  for (const c of [a, b]) await c.emit("setSpeakerChannel", patrol);

  /** cut cuts the cable until the console has gone to the socket. */
  const cut = async (t, what) => {
    const began = Date.now();
    cable.cut = true;
    await b.on("socket");
    t.diagnostic(`${what}: on the socket ${Date.now() - began} ms after the cut`);
  };

  await t.test("a listener hears on over the socket, and over WebRTC when the path is back", async (t) => {
    await a.press(patrol);
    await a.reaches("TX");
    await hearsByRTP("Boy", b);
    await cut(t, "a listener");
    const before = await b.get("frames");
    await until("Boy hears over the socket", async () => (await b.get("frames")) >= before + 50);
    assert.ok((await b.get("link.heard")).some((h) => h.serverId === a.id), "Boy does not know whom it hears");
    cable.cut = false;
    await b.on("webrtc");
    await hearsByRTP("Boy", b);
    await a.release();
    await a.givesBack();
  });

  await t.test("a talker is heard on over the socket, and over WebRTC when the path is back", async (t) => {
    await b.press(patrol);
    await b.reaches("TX");
    await hearsByRTP("Adam", a);
    await cut(t, "a talker");
    await hearsByRTP("Adam", a);
    assert.equal((await b.state()).state, "TX", "Boy keeps its floor");
    cable.cut = false;
    await b.on("webrtc");
    await hearsByRTP("Adam", a);
    await b.release();
    await b.givesBack();
  });

  // Frames are counted: what a browser makes of them, faster than they were said, cannot be
  // laid beside the speech. Some are on their way while this looks.
  const onTheWay = 6;

  await t.test("a listener misses nothing of what was said between the cut and the change", async (t) => {
    const said = await sent(a);
    await a.press(patrol);
    await a.reaches("TX");
    const frames = await b.get("frames");
    const before = await received(b);
    await hearsByRTP("Boy", b);
    const first = (await received(b)) - before;
    await cut(t, "a listener");
    await until("Boy hears over the socket", async () => (await b.get("frames")) >= frames + 100);
    await a.release();
    await a.givesBack();
    const all = (await sent(a)) - said;
    await until("Boy has heard all of it", async () => first + (await b.get("frames")) - frames >= all - onTheWay);
    const heard = first + (await b.get("frames")) - frames;
    t.diagnostic(`${all} frames said, ${first} heard over WebRTC and ${heard - first} over the socket`);
    assert.ok(heard <= all + onTheWay, `${heard} frames heard of ${all}: some came twice`);
    cable.cut = false;
    await b.on("webrtc");
  });

  await t.test("of a talker nothing is missing either", async (t) => {
    const before = await received(a);
    const began = performance.now();
    await b.press(patrol);
    await b.reaches("TX");
    await hearsByRTP("Adam", a);
    await cut(t, "a talker");
    await hearsByRTP("Adam", a);
    await b.release();
    await b.reaches("IDLE"); // some time after the key
    const frames = (performance.now() - began) / 20;
    await b.givesBack();
    await until("Adam has heard all of it", async () => (await received(a)) - before >= frames - 2 * onTheWay);
    const heard = (await received(a)) - before;
    t.diagnostic(`${Math.round(frames)} frames said, ${heard} heard`);
    assert.ok(heard <= frames + 2 * onTheWay, `${heard} frames heard of ${Math.round(frames)}: some came twice`);
    cable.cut = false;
    await b.on("webrtc");
  });

  await t.test("a talker who holds the floor and says nothing drives nobody off WebRTC", async () => {
    const offers = await b.get("offers");
    const asked = await b.get("reports");
    assert.equal((await a.emit("setTalking", { state: true, frequency: patrol })).success, true);
    await until("Boy asks what has become of the voice", async () => (await b.get("reports")) >= asked + 4);
    assert.equal(await b.plane(), "webrtc");
    assert.equal(await b.get("offers"), offers, "Boy made another connection");
    await a.emit("setTalking", { state: false, frequency: patrol });
  });

  await t.test("no errors in the pages", () => {
    assert.deepEqual([a.errors, b.errors].flat(), []);
  });
});
