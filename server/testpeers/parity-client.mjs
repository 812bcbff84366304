// socket.io-client against one server: `node parity-client.mjs http://127.0.0.1:PORT`.
// It runs every scenario over all three transports, in parallel. Its first line says
// that it has begun, its second is what it saw, as JSON; server/sio/conformance
// compares the lines for Node's server and ours.
import { scenarios } from "./parity-scenarios.mjs";
import { Station, within } from "./parity-station.mjs";

const [url, only] = process.argv.slice(2);
const transcript = {};
const patience = 120_000; // ms, ends a scenario that would wait forever
console.log("begun"); // the scenarios may take any time
// An ack that is lost with its connection rejects while the scenario awaits something
// else; the scenario then fails by itself, with the reasons why its clients went.
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
