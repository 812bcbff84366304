// socket.io-client against one server: `node parity-client.mjs http://127.0.0.1:PORT`.
// It goes through every scenario over every transport, the three side by side. Its first line says that it has begun, its
// second is what it saw, as JSON;
// server/sio/conformance compares the lines that Node's server and ours lead to.
import { scenarios } from "./parity-scenarios.mjs";
import { Station, within } from "./parity-station.mjs";

const [url, only] = process.argv.slice(2);
const transcript = {};
const patience = 120_000; // ms, ends a scenario that would wait forever
console.log("begun"); // the scenarios take as long as they take
// An ack that is lost with its connection rejects while the scenario awaits something else; the
// scenario then fails by itself, with the reasons for which its clients went.
process.on("unhandledRejection", () => {});
async function overOne(transport) {
  for (const [name, run] of Object.entries(scenarios)) {
    if (only && only !== name) continue;
    const station = new Station(url, transport);
    const seen = await within(patience, run(station)).catch(
      (error) => `failed: ${error.message}; ended: ${station.ended.join(", ")}`,
    );
    station.closeAll();
    (transcript[name] ??= {})[transport] = seen;
  }
}

await Promise.all(["websocket", "polling", "upgrade"].map(overOne));
console.log(JSON.stringify(transcript));
// The clients of a scenario that failed may still hold timers.
process.exitCode = 0;
setTimeout(() => process.exit(), 1000).unref();
