// A CAD over REST: assigns units to an incident's channel and raises its alert there.
import { createInterface } from "node:readline";
import { Squelch, SquelchError } from "@squelch/client";
import { settings } from "./settings.js";

const about = `Reads an incident a line from standard input and carries it out:

  dispatch CHANNEL UNIT [UNIT...]   moves units to a channel
  alert CHANNEL NAME                raises a configured alert there
  clear CHANNEL                     clears it
  units                             prints who is on which channel

UNIT is a unit's name, unit id, callsign or server id. The key needs the scopes read and dispatch.`;

const { url, key } = settings(about, {});
const radio = new Squelch({ url, key });

async function units() {
  const { users } = await radio.rest("GET /radio/dispatch/status");
  return Object.entries(users).map(([id, user]) => ({ id: Number(id), ...user }));
}

async function dispatch(channel: string, wanted: string[]): Promise<void> {
  const all = await units();
  for (const name of wanted) {
    const unit = all.find((u) => [u.name, u.unitId, u.callsign, String(u.id)].includes(name));
    if (!unit) {
      console.log(`no unit ${name}; on the radio: ${all.map((u) => u.name).join(", ") || "nobody"}`);
      continue;
    }
    await radio.rest("POST /radio/dispatch/switchChannel", {
      body: { serverId: unit.id, frequency: channel, oldFrequency: unit.currentChannel },
    });
    console.log(`${unit.name} moved to ${channel}`);
  }
}

async function alert(channel: string, name: string): Promise<void> {
  const { alerts } = await radio.rest("GET /radio/dispatch/config");
  const alertConfig = alerts.find((a) => a.name.toLowerCase() === name.toLowerCase());
  if (!alertConfig) {
    console.log(`no alert ${name}; configured: ${alerts.map((a) => a.name).join(", ")}`);
    return;
  }
  await radio.rest("POST /radio/dispatch/alert/trigger", { body: { frequency: channel, alertType: alertConfig.name, alertConfig } });
  console.log(`alert ${alertConfig.name} on ${channel}`);
}

async function carryOut(line: string): Promise<void> {
  const [verb = "", channel = "", ...rest] = line.trim().split(/\s+/);
  if (verb === "dispatch" && rest.length) await dispatch(channel, rest);
  else if (verb === "alert" && rest.length) await alert(channel, rest.join(" "));
  else if (verb === "clear" && channel) {
    await radio.rest("POST /radio/dispatch/alert/clear", { body: { frequency: channel } });
    console.log(`alert cleared on ${channel}`);
  } else if (verb === "units") {
    for (const u of await units()) console.log(`${u.name} ${u.currentChannel ?? "off the air"}`);
  } else if (verb) console.log(`cannot read ${JSON.stringify(line)}; expected dispatch, alert, clear or units`);
}

const { serverName } = await radio.rest("GET /radio/dispatch/config");
console.log(`connected to ${serverName}`);
for await (const line of createInterface({ input: process.stdin })) {
  try {
    await carryOut(line);
  } catch (e) {
    if (!(e instanceof SquelchError)) throw e;
    console.log(`refused: ${e.refusal}`); // and on with the next line
  }
}
