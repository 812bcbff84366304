// Node's own Socket.IO server with the behaviour that the protocol cases of server/sio/conformance
// expect, and that server/sio/suiteserver has too. It prints its port as its first line.
// Arguments: ping interval, ping timeout, connect timeout, all in ms.
//
//   /engine.io/   every message comes back as it was sent, text or binary
//   /socket.io/   namespaces "/" and "/custom": `auth` with the handshake's auth on connect,
//                 `message` comes back as `message-back`, `message-with-ack` is acknowledged
import { createServer } from "node:http";
import { Server as EngineServer } from "engine.io";
import { Server } from "socket.io";
import "./until-parent-gone.mjs";

// ms; the short defaults let three heartbeats fit into a test, other tests ask for
// longer ones
const [pingInterval = 300, pingTimeout = 200, connectTimeout = 3000] = process.argv.slice(2).map(Number);
const options = { pingInterval, pingTimeout, maxHttpBufferSize: 1_000_000 /* bytes */ };

const http = createServer((_request, response) => response.writeHead(404).end());
new EngineServer(options)
  .on("connection", (socket) => socket.on("message", (data) => socket.send(data)))
  .attach(http, { path: "/engine.io/" });

const io = new Server(http, { ...options, connectTimeout });
const greet = (socket) => {
  socket.emit("auth", socket.handshake.auth);
  // Without the ack function, which would make the echo ask the client for an ack.
  socket.on("message", (...args) => socket.emit("message-back", ...args.filter((arg) => typeof arg !== "function")));
  socket.on("message-with-ack", (...args) => args.pop()?.(...args));
};
io.on("connection", greet);
io.of("/custom").on("connection", greet);

// A client's input must not end the peer: what Node itself survives is the measure.
process.on("uncaughtException", (error) => console.log(`uncaught ${error.message}`));

http.listen(0, "127.0.0.1", () => console.log(http.address().port));
