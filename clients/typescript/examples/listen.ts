// Listens on a channel and prints who talks, for how long, and alerts.
import { Squelch } from "@squelch/client";
import { settings } from "./settings.js";

const { url, key, channel } = settings("Prints who talks on a channel, and alerts. The key needs the scope read.", {
  channel: { help: "frequency to listen on" },
});

const radio = new Squelch({ url, key });
const link = await radio.connect();

const names = new Map<number, string>();
const since = new Map<number, number>();
const nameOf = (id: number): string => names.get(id) ?? `unit ${id}`;

link.on("speakerJoined", (m) => m.name && names.set(m.serverId, m.name));
link.on("playerInfoUpdate", (p) => p.name && names.set(p.serverId, p.name));
link.on("channelState", (c) => {
  for (const [id, user] of Object.entries(c.userData ?? {})) names.set(Number(id), user.name);
});

link.on("talkingState", (t) => {
  const begun = since.get(t.serverId);
  if (t.state) {
    if (begun === undefined) console.log(`${nameOf(t.serverId)} talks on ${t.frequency}`);
    since.set(t.serverId, begun ?? Date.now());
  } else if (begun !== undefined) {
    since.delete(t.serverId);
    console.log(`${nameOf(t.serverId)} talked for ${((Date.now() - begun) / 1000).toFixed(1)} s on ${t.frequency}`);
  }
});

link.on("dispatchNotification", (n) => {
  const alert = n.alertConfig?.name;
  if (n.type === "alert" || n.type === "oneshot") console.log(`alert ${alert} on ${n.frequency}${n.byName ? ` by ${n.byName}` : ""}`);
  if (n.type === "alertCleared") console.log(`alert ${alert} cleared on ${n.frequency}`);
});

link.on("down", (reason) => {
  since.clear(); // how long they go on talking is not heard
  console.log(`connection lost: ${reason}`);
});
link.on("up", () => console.log("connection back"));
link.on("closed", (why) => {
  console.error(String(why));
  process.exit(1);
});

const { users } = await radio.rest("GET /radio/dispatch/status");
for (const [id, user] of Object.entries(users)) names.set(Number(id), user.name);
await link.emit("addListeningChannel", channel);
console.log(`listening on ${channel}`);
