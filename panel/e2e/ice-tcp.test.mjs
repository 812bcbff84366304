// A console whose network lets no UDP pass talks and hears over WebRTC on TCP (RFC 6544).
import assert from "node:assert/strict";
import { createServer } from "node:net";
import test from "node:test";
import { again } from "./voice/again.mjs";
import { Console } from "./voice/console.mjs";
import { wantHeard } from "./voice/heard.mjs";
import { browser, folder, page, Service } from "./voice/service.mjs";

const patrol = "154.755";

/** freePort is a TCP port that nobody listens on; in a configuration 0 means none. */
async function freePort() {
  const probe = createServer();
  await new Promise((done) => probe.listen(0, done));
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}

/** In the page, before its scripts: answers lose their UDP candidates, and connections can be looked at. */
function withoutUDP() {
  window.connections = [];
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...of) {
      super(...of);
      window.connections.push(this);
    }
    setRemoteDescription({ type, sdp }) {
      return super.setRemoteDescription({ type, sdp: sdp.replace(/^a=candidate:\S+ \d+ udp .*\r\n/gim, "") });
    }
  };
}

/** chosen is the remote candidate of each connection's path. */
const chosen = (c) =>
  c.tab.evaluate(() =>
    Promise.all(
      window.connections.map(async (connection) => {
        const stats = await connection.getStats();
        const transport = [...stats.values()].find((s) => s.type === "transport");
        const remote = stats.get(stats.get(transport.selectedCandidatePairId).remoteCandidateId);
        return { protocol: remote.protocol, port: remote.port };
      }),
    ),
  );

test("a console that no UDP reaches", async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const [service, site, chrome] = await Promise.all([
    Service.start(t, dir, `Config.webrtc.tcpPort = ${port}\n`),
    page(t, dir),
    browser(t, dir),
  ]);
  const [near, far] = [await chrome.newContext(), await chrome.newContext()];
  await far.addInitScript(withoutUDP);
  const open = (context, callsign, id) => Console.open(context, { url: service.url, site, callsign, id });
  const a = await open(near, "Adam", -11);
  const b = await open(far, "Boy", -12);
  await Promise.all([a.on("webrtc"), b.on("webrtc")]);
  for (const c of [a, b]) await c.emit("setSpeakerChannel", patrol);

  /** One says something, and the other hears it. */
  const says = async (t, talker, listener, who) =>
    again(t, async () => {
      const epoch = Date.now();
      await Promise.all([talker, listener].map((c) => c.record(epoch)));
      await talker.talk(patrol, 1500);
      await listener.hearsOut();
      const { sent } = await talker.stop();
      const heard = (await listener.stop())[await listener.slotOf(talker.id)];
      wantHeard(t, who, sent, heard, 0.95);
    });

  await t.test("its path is TCP", async () => assert.deepEqual(await chosen(b), [{ protocol: "tcp", port }]));
  await t.test("is heard", (t) => says(t, b, a, "from TCP to UDP"));
  await t.test("hears", (t) => says(t, a, b, "from UDP to TCP"));
  await t.test("has made one connection, and talks on it to the end", async () => {
    assert.equal(await b.plane(), "webrtc");
    assert.equal(await b.get("offers"), 1);
    assert.equal(await b.get("frames"), 0, "voice came over the socket");
  });
  await t.test("no errors in the pages", () => assert.deepEqual([a.errors, b.errors].flat(), []));
});
