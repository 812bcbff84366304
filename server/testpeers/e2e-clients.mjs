// socket.io-client against the running service: `node e2e-clients.mjs URL TRANSPORT [scenario]`.
// Runs every scenario over one transport. Its first line says that it has begun, its
// second is {scenario: "ok" or what went wrong}.
import { Radio } from "./e2e-radio.mjs";
import * as talking from "./e2e-talking.mjs";
import * as voice from "./e2e-voice.mjs";
import * as identity from "./e2e-identity.mjs";
import * as keys from "./e2e-keys.mjs";
import * as recovery from "./e2e-recovery.mjs";
import * as crowd from "./e2e-crowd.mjs";

const [url, transport, only] = process.argv.slice(2);
const seen = {};
console.log(`goes over ${transport}`); // the scenarios may take any time
process.on("unhandledRejection", () => {}); // a client of a failed scenario may still wait
const watch = await new Radio(url, transport).login("WATCH");
for (const [name, run] of Object.entries({ ...talking, ...voice, ...identity, ...keys, ...recovery, ...crowd })) {
  if ((only && only !== name) || (run.over && run.over !== transport)) continue;
  const radio = new Radio(url, transport);
  seen[name] = await run(radio, watch).then(() => "ok", (error) => error.stack ?? String(error));
  await radio.clear(watch).catch((error) => (seen[name] += ` (and afterwards: ${error.message})`));
}
console.log(JSON.stringify(seen));
process.exit(0);
