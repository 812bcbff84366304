// Node's half of the parity test: a server for parity-client.mjs, the same as
// server/sio/conformance/parityserver does with package sio. It prints its port as its first line.
//
//   /socket.io/  an ordinary server      /recover/  the same with connection state recovery
//   /quick/      the same with a heart that beats fast (300 ms) and waits long enough for a busy machine (3 s)
import { createServer } from "node:http";
import { Server } from "socket.io";
import "./until-parent-gone.mjs";

const http = createServer((_request, response) => response.writeHead(404).end());
const endings = new Map(); // label of a client → promise of its disconnect reason

function ending(label) {
  if (!endings.has(label)) {
    let resolve;
    const promise = new Promise((r) => (resolve = r));
    endings.set(label, { promise, resolve });
  }
  return endings.get(label);
}

function serve(path, options) {
  const io = new Server(http, { path, maxHttpBufferSize: 1_000_000, ...options });
  io.on("connection", (socket) => handle(io, socket));
  io.of("/guarded")
    .use((socket, next) => {
      if (socket.handshake.auth.token === "good") return next();
      const refusal = new Error("not authorized");
      refusal.data = { code: 401, hint: ["log", "in"] };
      next(refusal);
    })
    .on("connection", (socket) => handle(io, socket));
  io.of("/closed").use((_socket, next) => next(new Error("nobody enters")));
}

function handle(io, socket) {
  const { auth } = socket.handshake;
  const everyone = socket.nsp;
  const burst = [];
  socket.on("disconnect", (reason) => auth.label && ending(auth.label).resolve(reason));

  socket.on("echo", (...args) => {
    const ack = typeof args.at(-1) === "function" ? args.pop() : null;
    if (ack) ack(...args);
    else socket.emit("echo", ...args);
  });
  socket.on("silent", () => {});
  socket.on("ask", (ms) => {
    socket.timeout(ms).emit("question", 41, (error, answer) => {
      socket.emit("asked", error ? "timeout" : answer);
    });
  });
  socket.on("join", (room, ack) => (socket.join(room), ack()));
  socket.on("leave", (room, ack) => (socket.leave(room), ack()));
  socket.on("rooms", (room, ack) => ack(everyone.adapter.rooms.get(room)?.size ?? 0));
  socket.on("shout", (room, n, ack) => {
    for (let i = 0; i < n; i++) everyone.to(room).emit("heard", i);
    ack();
  });
  socket.on("shout to others", (room, what, ack) => (socket.to(room).emit("heard", what), ack()));
  socket.on("mixed", (room, n) => {
    for (let i = 0; i < n; i += 2) {
      socket.emit("heard", i);
      everyone.to(room).emit("heard", i + 1);
    }
  });
  socket.on("burst", (i) => burst.push(i));
  socket.on("tally", (ack) => ack({ count: burst.length, inOrder: burst.every((n, i) => n === i) }));
  socket.on("whisper", () => socket.volatile.emit("whispered", "psst"));
  socket.on("bye", (close) => {
    socket.emit("last words", "over");
    socket.disconnect(close);
  });
  socket.on("ending of", async (label, ack) => ack(await ending(label).promise));
  socket.emit("hello", { auth, namespace: everyone.name, recovered: socket.recovered });
}

serve("/socket.io/", {});
serve("/recover/", { connectionStateRecovery: { maxDisconnectionDuration: 60_000 } });
serve("/quick/", { pingInterval: 300, pingTimeout: 3000 });
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
