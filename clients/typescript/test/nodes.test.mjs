// A link and its calls when the node is gone: two services that know nothing of a radio
// stand for the nodes.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { Squelch } from "../dist/index.js";

/** node speaks just enough Engine.IO by long polling: open, CONNECT, one event, and acks. */
async function node(others) {
  const asked = [];
  const polls = [];
  const waiting = [];
  const push = (text) => (polls.length ? polls.shift().end(text) : waiting.push(text));
  const server = createServer((request, response) => {
    const to = new URL(request.url, "http://x");
    if (!to.pathname.startsWith("/socket.io/")) {
      asked.push(`${request.method} ${to.pathname}`);
      return response.setHeader("content-type", "application/json").end('{"patches":[]}');
    }
    if (request.method === "GET" && !to.searchParams.has("sid")) {
      return response.end(`0${JSON.stringify({ sid: "s", upgrades: [], pingInterval: 25000, pingTimeout: 20000, maxPayload: 1e6 })}`);
    }
    if (request.method === "GET") return waiting.length ? response.end(waiting.shift()) : void polls.push(response);
    let body = "";
    request.on("data", (piece) => (body += piece)).on("end", () => {
      response.end("ok");
      for (const packet of body.split("\x1e")) {
        if (packet.startsWith("40")) {
          push('40{"sid":"x"}');
          push(`42${JSON.stringify(["nodes", { self: "n", nodes: others().map((url, i) => ({ name: `n${i}`, url })) }])}`);
        }
        const event = /^42(\d+)(\[.*)$/.exec(packet);
        if (event) {
          asked.push(event[2]);
          push(`43${event[1]}[{"success":true}]`);
        }
      }
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    asked,
    url: `http://127.0.0.1:${server.address().port}`,
    kill: () => (server.close(), server.closeAllConnections()),
  };
}

test("link and calls go to another node when their own is gone", async (t) => {
  const b = await node(() => []);
  const a = await node(() => [b.url]);
  t.after(() => [a, b].forEach((n) => n.kill()));
  const radio = new Squelch({ url: a.url, key: `sqk_${"A".repeat(43)}` });
  const link = await radio.connect({ transports: ["polling"] });
  t.after(() => link.close());
  const told = new Promise((done) => link.on("nodes", done));
  await link.emit("setSpeakerChannel", "154.755");
  assert.deepEqual((await told).nodes, [{ name: "n0", url: b.url }]);
  await radio.rest("GET /api/patches");
  assert.deepEqual(a.asked, ['["setSpeakerChannel","154.755"]', "GET /api/patches"]);
  const up = new Promise((done) => link.on("up", done));
  a.kill();
  await radio.rest("GET /api/patches"); // while the link is still on its way
  await up;
  await radio.rest("GET /api/patches");
  assert.deepEqual([...b.asked].sort(), ["GET /api/patches", "GET /api/patches", '["setSpeakerChannel","154.755"]'].sort());
});
