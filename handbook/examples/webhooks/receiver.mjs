// A receiver of Squelch's webhooks: node receiver.mjs
// SQUELCH_SECRET is the webhook's secret; PORT is where it listens (0: a free port).
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.SQUELCH_SECRET;
const oldest = 5 * 60; // seconds: a copy that somebody sends later is refused
const seen = new Set(); // keep these in your database

// verify says whether a body came from who knows the secret. body is the bytes as they came.
export function verify(secret, header, body, now = Date.now() / 1000) {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header ?? "");
  if (!match || Math.abs(now - Number(match[1])) > oldest) return false;
  const want = createHmac("sha256", secret).update(`${match[1]}.`).update(body).digest();
  return timingSafeEqual(want, Buffer.from(match[2], "hex"));
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!verify(secret, request.headers["squelch-signature"], body)) {
    response.writeHead(401).end();
    return;
  }
  const id = request.headers["squelch-id"];
  if (!seen.has(id)) {
    // An event may come twice, always with the same id. Answer first, work afterwards.
    seen.add(id);
    const event = JSON.parse(body);
    console.log(`${event.event} ${event.kind} ${event.name ?? ""} ${event.channel ?? ""} ${event.detail ?? ""}`);
  }
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
