// The relay benchmark's Node server: the same relay on socket.io, as short as its
// documentation allows. Prints its address; ends with its standard input.
import { createServer } from "node:http";
import { Server } from "socket.io";

const http = createServer();
const io = new Server(http, { pingInterval: 5000, pingTimeout: 5000, maxHttpBufferSize: 1e6 });
io.on("connection", (socket) => {
  const serverId = socket.handshake.auth.serverId;
  const join = (frequency, ack) => {
    socket.join(String(frequency));
    ack?.({ success: true });
  };
  socket.on("setSpeakerChannel", join);
  socket.on("addListeningChannel", join);
  socket.on("setTalking", (_, ack) => ack?.({ success: true }));
  socket.on("voice", ({ data, frequency }) => {
    socket.to(frequency).volatile.emit("voice", { serverId, frequency, data, receiveType: "listener" });
  });
});
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}`));
process.stdin.resume().on("end", () => process.exit(0));
