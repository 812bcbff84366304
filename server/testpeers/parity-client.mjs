// socket.io-client against one server: `node parity-client.mjs http://127.0.0.1:PORT`.
// It goes through every scenario over every transport, the three side by side, and prints what it saw as one line of JSON;
// server/sio/conformance compares the lines that Node's server and ours lead to.
import { scenarios } from "./parity-scenarios.mjs";
import { Station, within } from "./parity-station.mjs";

const [url, only] = process.argv.slice(2);
const transcript = {};
// An ack that is lost with its connection rejects while the scenario awaits something else; the
// scenario then fails by itself, with the reasons for which its clients went.
process.on("unhandledRejection", () => {});
async function overOne(transport) {
  for (const [name, run] of Object.entries(scenarios)) {
    if (only && only !== name) continue;
    const station = new Station(url, transport);
    const seen = await within(20_000, run(station)).catch(
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
