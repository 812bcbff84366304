// What a dispatch panel's client experiences. Each scenario gets a station and
// returns what it saw, without anything that differs from run to run.
import { ascending, count, once, plain } from "./parity-station.mjs";

const eventsAtOnce = 2000;
const broadcasts = 1000;
const byes = 30;
const earlyBirds = 100;

async function connect(station) {
  const socket = station.dial("/", { auth: { user: "dispatch", n: 7 } });
  const [hello] = await once(socket, "hello");
  return {
    hello,
    connected: socket.connected,
    recovered: socket.recovered,
    ownId: typeof socket.id === "string" && socket.id !== socket.io.engine.id,
    idCharacters: socket.id.length,
    engineIdCharacters: socket.io.engine.id.length,
  };
}

async function authFunction(station) {
  const socket = station.dial("/", { auth: (give) => setTimeout(() => give({ token: "late" }), 1) });
  return (await once(socket, "hello"))[0];
}

async function transportName(station) {
  const socket = await station.open();
  return socket.io.engine.transport.name;
}

async function refusals(station) {
  const seen = {};
  for (const [name, namespace, auth] of [
    ["wrong token", "/guarded", { token: "bad" }],
    ["no token", "/guarded", undefined],
    ["without data", "/closed", undefined],
    ["unknown namespace", "/nowhere", undefined],
  ]) {
    const socket = station.dial(namespace, { auth });
    const [error] = await once(socket, "connect_error");
    seen[name] = { message: error.message, data: error.data, kind: error.constructor.name, active: socket.active, connected: socket.connected };
  }
  const welcome = station.dial("/guarded", { auth: { token: "good" } });
  seen["right token"] = (await once(welcome, "hello"))[0];
  return seen;
}

async function refusedThenAdmitted(station) {
  const socket = station.dial("/guarded", { auth: { token: "bad" } });
  await once(socket, "connect_error");
  socket.auth = { token: "good" };
  socket.connect();
  return (await once(socket, "hello"))[0];
}

async function multiplexing(station) {
  const main = await station.open();
  const guarded = main.io.socket("/guarded", { auth: { token: "good" } }); // connects by itself
  await once(guarded, "hello");
  const answers = [await main.emitWithAck("echo", "main"), await guarded.emitWithAck("echo", "guarded")];
  guarded.disconnect();
  answers.push(await main.emitWithAck("echo", "main again"));
  return { answers, sameEngine: guarded.io.engine === main.io.engine, differentIds: guarded.id !== main.id };
}

async function echoes(station) {
  const socket = await station.open();
  const seen = [];
  for (const args of [
    [],
    ["text"],
    [1, -2.5, 1e21, true, null],
    [{ z: 1, a: { list: [1, [2, [3]]] }, empty: {} }],
    ["äöü 無線 📻 \u2028 \u0000 \x1e"],
    [Buffer.from([1, 2, 3])],
    [{ deep: [Buffer.from([4]), { er: Buffer.from([5, 6]) }] }, Buffer.alloc(0), "tail"],
    [{ _placeholder: false, num: 0 }],
  ]) {
    socket.emit("echo", ...args);
    seen.push({ event: plain(await once(socket, "echo")) });
    const acked = await new Promise((resolve) => socket.emit("echo", ...args, (...back) => resolve(back)));
    seen.push({ ack: plain(acked) });
  }
  return seen;
}

async function acks(station) {
  const socket = await station.open();
  const silent = await socket.timeout(50).emitWithAck("silent", 1).catch((error) => error.message);
  const parallel = await Promise.all(Array.from({ length: 50 }, (_, i) => socket.emitWithAck("echo", i)));
  socket.once("question", (n, answer) => answer(n + 1));
  socket.emit("ask", 120_000);
  const [answered] = await once(socket, "asked");
  socket.once("question", () => {});
  socket.emit("ask", 50);
  const [unanswered] = await once(socket, "asked");
  socket.once("question", (_n, answer) => answer(Buffer.from([9])));
  socket.emit("ask", 120_000);
  const [withBytes] = await once(socket, "asked");
  return { silent, parallelInOrder: ascending(parallel), answered, unanswered, withBytes: plain(withBytes) };
}

async function rooms(station) {
  const [speaker, listener, stranger] = await Promise.all([station.open(), station.open(), station.open()]);
  const strange = [];
  stranger.on("heard", (what) => strange.push(what));
  const room = station.label();
  await speaker.emitWithAck("join", room);
  await listener.emitWithAck("join", room);
  await listener.emitWithAck("join", room); // joining twice has no further effect
  const members = [await stranger.emitWithAck("rooms", room)];
  const heard = [count(speaker, "heard", 2), count(listener, "heard", 3)];
  await speaker.emitWithAck("shout to others", room, "for others");
  await speaker.emitWithAck("shout", room, 2);
  const both = await Promise.all(heard);
  await listener.emitWithAck("leave", room);
  members.push(await stranger.emitWithAck("rooms", room));
  const direct = once(listener, "heard");
  await speaker.emitWithAck("shout to others", listener.id, "to your id");
  const gone = station.label();
  await listener.emitWithAck("join", gone);
  listener.disconnect();
  while ((await stranger.emitWithAck("rooms", gone)) !== 0);
  members.push(await stranger.emitWithAck("rooms", gone));
  return { members, speaker: both[0], listener: both[1], direct: await direct, strange };
}

async function broadcastsInARow(station) {
  const [speaker, listener] = await Promise.all([station.open(), station.open()]);
  const room = station.label();
  await Promise.all([speaker.emitWithAck("join", room), listener.emitWithAck("join", room)]);
  const heard = [count(speaker, "heard", broadcasts), count(listener, "heard", broadcasts)];
  await speaker.emitWithAck("shout", room, broadcasts);
  return (await Promise.all(heard)).map((list) => ({ count: list.length, inOrder: ascending(list) }));
}

async function directAndRoomMixed(station) {
  const socket = await station.open();
  const room = station.label();
  await socket.emitWithAck("join", room);
  const heard = count(socket, "heard", 500);
  socket.emit("mixed", room, 500);
  return { inOrder: ascending(await heard) };
}

async function manyEventsAtOnce(station) {
  const socket = await station.open();
  for (let i = 0; i < eventsAtOnce; i++) socket.emit("burst", i);
  return socket.emitWithAck("tally");
}

async function eventsBeforeConnect(station) {
  const tallies = await Promise.all(
    Array.from({ length: earlyBirds }, () => {
      const socket = station.dial();
      for (let i = 0; i < 3; i++) socket.emit("burst", i);
      return socket.emitWithAck("tally").finally(() => socket.disconnect());
    }),
  );
  return { clients: tallies.length, complete: tallies.filter((t) => t.count === 3 && t.inOrder).length };
}

async function eventsDuringUpgrade(station) {
  const socket = station.dial();
  await once(socket, "hello");
  for (let i = 0; i < 500; i++) {
    socket.emit("burst", i);
    if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return socket.emitWithAck("tally");
}

async function broadcastsDuringUpgrade(station) {
  const [speaker, listener] = [await station.open(), station.dial()];
  const room = station.label();
  await once(listener, "hello");
  await listener.emitWithAck("join", room);
  const heard = count(listener, "heard", broadcasts);
  await speaker.emitWithAck("shout", room, broadcasts);
  const list = await heard;
  return { count: list.length, inOrder: ascending(list) };
}

async function bytesAsBase64(station) {
  const socket = await station.open("/", { forceBase64: true });
  socket.emit("echo", Buffer.from([1, 2, 3]));
  const event = plain(await once(socket, "echo"));
  return { event, ack: plain(await socket.emitWithAck("echo", { deep: Buffer.from([4]) })) };
}

async function payloads(station) {
  const socket = await station.open();
  const seen = {};
  for (const size of [90_000, 900_000]) {
    const text = await socket.emitWithAck("echo", "x".repeat(size));
    seen[`text ${size}`] = text.length;
    // Base64 makes it a third larger over polling, where 900 KB would be over the
    // limit.
    const bytes = Buffer.alloc(size === 900_000 ? 700_000 : size, 7);
    seen[`bytes ${size}`] = plain(await socket.emitWithAck("echo", bytes));
  }
  return seen;
}

async function payloadOverTheLimit(station) {
  const label = station.label();
  const socket = await station.open("/", { auth: { label } });
  const ended = once(socket, "disconnect");
  socket.emit("echo", "x".repeat(1_100_000));
  const [reason] = await ended;
  return { client: reason, server: await station.endingOf(label) };
}

async function volatileEvents(station) {
  const socket = await station.open();
  await socket.emitWithAck("echo");
  const whispered = once(socket, "whispered");
  const again = setInterval(() => socket.emit("whisper"), 20); // ms; lost when no poll hangs
  return whispered.finally(() => clearInterval(again));
}

async function lastWords(station, close, times) {
  const reasons = {};
  let heard = 0;
  for (let i = 0; i < times; i++) {
    const socket = await station.open();
    socket.on("last words", () => heard++);
    const ended = once(socket, "disconnect");
    socket.emit("bye", close);
    const [reason] = await ended;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return { heard, reasons };
}

async function endings(station) {
  const seen = {};
  for (const [name, end] of Object.entries({
    "client disconnects": (socket) => socket.disconnect(),
    "client closes the engine": (socket) => socket.io.engine.close(),
    "server disconnects": (socket) => socket.emit("bye", false),
    "server disconnects and closes": (socket) => socket.emit("bye", true),
    "client sends what cannot be parsed": (socket) => socket.io.engine.write("zzz"),
    "client sends an unknown engine packet": (socket) => socket.io.engine.transport.send([{ type: "ping", data: "x" }]),
  })) {
    const label = station.label();
    const socket = await station.open("/", { auth: { label } });
    const ended = once(socket, "disconnect");
    end(socket);
    const [reason] = await ended;
    // Over polling the refused POST and the CLOSE in the poll travel on two connections.
    const client = name.includes("engine packet") ? reason.replace(/^transport (close|error)$/, "transport gone") : reason;
    seen[name] = { client, server: await station.endingOf(label) };
  }
  return seen;
}

async function silentClient(station) {
  const label = station.label();
  const socket = await station.open("/", { path: "/quick/", auth: { label } });
  const ended = once(socket, "disconnect");
  const { engine } = socket.io;
  engine.transport.removeAllListeners("packet"); // hears no PING, so it sends no PONG
  clearTimeout(engine._pingTimeoutTimer); // nor does it give up by itself, a moment before the server
  const server = await (await station.open("/")).emitWithAck("ending of", label);
  engine.close();
  await ended;
  return { server };
}

async function heartbeats(station) {
  const socket = await station.open("/", { path: "/quick/" });
  await count(socket.io, "ping", 3);
  return { connected: socket.connected, answer: await socket.emitWithAck("echo", "alive") };
}

/** withoutTraces leaves out of `hello` what the client adds to its auth to be recovered. */
function withoutTraces(hello) {
  const { pid, offset, label, ...auth } = hello.auth;
  return { ...hello, auth };
}

async function recovery(station) {
  const path = "/recover/";
  const room = station.label();
  const label = station.label();
  const [socket, speaker] = await Promise.all([station.open("/", { path, auth: { label } }), station.open("/", { path })]);
  const before = socket.id;
  await socket.emitWithAck("join", room);
  const first = count(socket, "heard", 3);
  await speaker.emitWithAck("shout", room, 3);
  const seen = { before: plain((await first).map((args) => args[0] ?? args)) };
  const ended = once(socket, "disconnect");
  socket.io.engine.close();
  seen.reason = (await ended)[0];
  seen.serverReason = await speaker.emitWithAck("ending of", label);
  await speaker.emitWithAck("shout", room, 5); // missed
  const missed = count(socket, "heard", 6);
  socket.greeting = once(socket, "hello");
  socket.connect();
  seen.hello = withoutTraces((await socket.greeting)[0]);
  seen.recovered = socket.recovered;
  seen.sameId = socket.id === before;
  await speaker.emitWithAck("shout", room, 1); // still in the room
  seen.missed = (await missed).map((args) => args[0] ?? args);
  return seen;
}

async function cutAndReconnected(station) {
  const path = "/recover/";
  const room = station.label();
  const options = { path, reconnection: true, reconnectionDelay: 1, reconnectionDelayMax: 5 };
  const [socket, speaker] = await Promise.all([station.open("/", options), station.open("/", { path })]);
  await socket.emitWithAck("join", room);
  const before = socket.id;
  const seen = { recovered: [], sameId: [], buffered: [] };
  for (let i = 0; i < 5; i++) {
    const back = once(socket, "hello");
    const gone = once(socket, "disconnect");
    socket.io.engine.close();
    await gone;
    const answer = socket.emitWithAck("echo", i); // it waits in the client until the connection is back
    const heard = once(socket, "heard");
    await speaker.emitWithAck("shout", room, 1); // perhaps missed: it must arrive exactly once
    await heard;
    seen.recovered.push((await back)[0].recovered);
    seen.sameId.push(socket.id === before);
    seen.buffered.push(await answer);
  }
  return seen;
}

async function noRecoveryAfterDisconnect(station) {
  const path = "/recover/";
  const label = station.label();
  const [socket, witness] = await Promise.all([station.open("/", { path, auth: { label } }), station.open("/", { path })]);
  const before = socket.id;
  socket.disconnect();
  await witness.emitWithAck("ending of", label); // the goodbye and the new connection travel side by side
  const hello = once(socket, "hello");
  socket.connect();
  return { hello: withoutTraces((await hello)[0]), recovered: socket.recovered, sameId: socket.id === before };
}

async function recoveryWithAForgottenSession(station) {
  const socket = station.dial("/", { path: "/recover/" });
  socket._pid = "nobody-has-this-one";
  socket._lastOffset = "nor-this";
  const hello = withoutTraces((await once(socket, "hello"))[0]);
  return { hello, recovered: socket.recovered };
}

export const scenarios = {
  connect,
  "auth from a function": authFunction,
  "transport in the end": transportName,
  refusals,
  "refused, then admitted": refusedThenAdmitted,
  multiplexing,
  echoes,
  acks,
  rooms,
  "broadcasts in a row": broadcastsInARow,
  "direct and room mixed": directAndRoomMixed,
  "many events at once": manyEventsAtOnce,
  "events before connect": eventsBeforeConnect,
  "events during the upgrade": eventsDuringUpgrade,
  "broadcasts during the upgrade": broadcastsDuringUpgrade,
  "bytes as base64": bytesAsBase64,
  payloads,
  "payload over the limit": payloadOverTheLimit,
  "volatile events": volatileEvents,
  "last words, then disconnect(true)": (station) => lastWords(station, true, byes),
  "last words, then disconnect(false)": (station) => lastWords(station, false, byes / 3),
  endings,
  "silent client": silentClient,
  heartbeats,
  recovery,
  "cut and reconnected": cutAndReconnected,
  "no recovery after disconnect": noRecoveryAfterDisconnect,
  "recovery with a forgotten session": recoveryWithAForgottenSession,
};
