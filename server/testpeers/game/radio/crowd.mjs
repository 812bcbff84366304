// Radios in a process of their own: `fork`ed with a list of players, it connects them and
// lets them talk, so many key-ups and releases a second in all. It says when it is ready,
// how many it has made, and when the service has handled them.
import { io } from "socket.io-client";

const handledWithin = 120_000; // ms

process.on("disconnect", () => process.exit(0)); // nobody to talk for

process.once("message", async ({ url, players, perSecond }) => {
  const radios = await Promise.all(players.map(({ id, token, channel }) => new Promise((resolve, reject) => {
    const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { authToken: token, serverId: id } });
    socket.on("connect_error", reject);
    socket.on("connect", async () => {
      const answer = await socket.emitWithAck("setSpeakerChannel", channel);
      if (answer.success) resolve({ socket, talking: false });
      else reject(new Error(JSON.stringify(answer)));
    });
  }))).catch((failure) => {
    process.send({ failure: String(failure) });
    return [];
  });
  process.send({ ready: radios.length });
  process.once("message", () => {
    const every = 20; // ms
    let n = 0, due = 0, last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      due += ((now - last) / 1000) * perSecond;
      last = now;
      for (; due >= 1; due--) {
        const radio = radios[n++ % radios.length];
        radio.talking = !radio.talking;
        radio.socket.emit("setTalking", radio.talking);
      }
    }, every);
    process.once("message", async () => {
      clearInterval(timer);
      process.send({ made: n });
      // A busy machine makes changes faster than it handles them. Each connection's events are
      // handled in order, so an answer to the last one says that all are.
      await Promise.all(radios.map(({ socket, talking }) => socket.timeout(handledWithin).emitWithAck("setTalking", talking)))
        .then(() => process.send({ handled: true }), (failure) => process.send({ failure: `the last changes are not handled: ${failure}` }));
    });
  });
});
