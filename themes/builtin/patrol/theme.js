"use strict";
// Patrol is for somebody who drives. One channel at a time fills the screen; the keys
// beside it go to the channel before and after, and the console's own push-to-talk key,
// made huge by style.css, is all of the lower edge. Hands find edges without eyes.

const words = {
  en: {
    before: "Previous", after: "Next", listen: "Keep listening", listening: "Kept on", others: (n) => (n === 0 ? "No other channel is heard" : n === 1 ? "1 other channel is heard" : `${n} other channels are heard`),
    idle: "Quiet", rx: "RX", wait: "Requesting…", tx: "ON AIR", busy: "BUSY", link: "NO LINK", em: "EMERGENCY", ack: "OPEN", ended: "ENDED", you: "You", none: "No channel", choose: "Next chooses one",
    alert: "Alert", of: "of",
  },
  de: {
    before: "Zurück", after: "Weiter", listen: "Weiter mithören", listening: "Bleibt an", others: (n) => (n === 0 ? "Kein anderer Kanal wird gehört" : n === 1 ? "1 anderer Kanal wird gehört" : `${n} andere Kanäle werden gehört`),
    idle: "Ruhe", rx: "EMPFANG", wait: "Angefordert…", tx: "SENDET", busy: "BESETZT", link: "GETRENNT", em: "NOTRUF", ack: "OFFEN", ended: "BEENDET", you: "Sie", none: "Kein Kanal", choose: "Weiter wählt einen",
    alert: "Alarm", of: "von",
  },
};
const say = words[document.documentElement.lang] || words.en;

/** A radio with more channels than this steps only through those that this console monitors: nobody steps through 160 while driving. */
const most = 16;

// ---- Small helpers -----------------------------------------------------------

/** Makes an element. Names on the radio are written as text, never as HTML. */
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...children);
  return e;
}
function key(attributes, press, ...children) {
  const b = el("button", { type: "button", ...attributes }, ...children);
  b.addEventListener("click", press);
  return b;
}
// Both write only what has changed, so that nothing is drawn and said for nothing.
function write(e, text) {
  if (e.textContent !== text) e.textContent = text;
}
function mark(e, name, value) {
  if (e.getAttribute(name) !== String(value)) e.setAttribute(name, value);
}
const length = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

// ---- What is going on --------------------------------------------------------

let state = dispatch.getState();

const all = () => state.zones.flatMap((z) => z.channels);
const mine = (t) => t.serverId < 0 && t.name === state.callsign;
const since = (ms) => length(Math.max(0, state.now - ms));
const talksOn = (f) => state.transmissions.filter((t) => t.endedAt === null && (t.frequency === f || t.controlFrequency === f));

/** The channels that the keys step through: only where this console may talk. */
function ring() {
  const open = all().filter((c) => c.canTransmit);
  if (open.length <= most) return open;
  const own = open.filter((c) => c.frequency === state.channel || state.scannedChannels.includes(c.frequency));
  return own.length > 0 ? own : open;
}

function step(by) {
  state = dispatch.getState(); // a second press comes before the first is drawn
  const channels = ring();
  if (channels.length === 0) return;
  const at = channels.findIndex((c) => c.frequency === state.channel);
  const to = at < 0 ? 0 : (at + by + channels.length) % channels.length;
  dispatch.joinChannel(channels[to].frequency);
  // Felt in the finger, so that eyes stay on the road.
  if (typeof navigator !== "undefined" && navigator.vibrate) navigator.vibrate(30);
}

/** What the display shows of a channel, the most urgent first. */
function faceOf(c) {
  const talks = talksOn(c.frequency);
  const own = talks.find(mine);
  const other = talks.find((t) => !mine(t));
  const here = state.emergencies.filter((e) => e.frequency === c.frequency);
  const emergency = here.find((e) => e.ackAt === null) || here[0];
  if (emergency) {
    const face = emergency.ackAt !== null ? "ack" : emergency.endedAt !== null ? "ended" : "em";
    return { face, who: emergency.name, word: say[face], time: since(emergency.raisedAt) };
  }
  if (state.health === "disconnected") return { face: "link", who: say.link, word: "", time: "" };
  if (own) return { face: "tx", who: say.you, word: say.tx, time: since(own.startedAt) };
  if (state.pttActive) return other ? { face: "busy", who: other.name, word: say.busy, time: since(other.startedAt) } : { face: "wait", who: say.you, word: say.wait, time: "" };
  if (other) return { face: "rx", who: other.name, word: `${say.rx} ${other.unitId || ""}`, time: since(other.startedAt) };
  const alert = state.activeAlerts[c.frequency];
  if (alert) return { face: "alert", who: `◆ ${alert}`, word: say.alert, time: "" };
  return { face: "idle", who: say.idle, word: "", time: "" };
}

// ---- The page ----------------------------------------------------------------

const zone = el("span", { class: "car-zone" });
const name = el("b", { class: "car-name" });
const who = el("b", { class: "car-who" });
const word = el("span", {});
const time = el("time", {});
const band = el("div", { class: "car-band" }, who, el("div", { class: "car-say" }, word, time));
const listen = key({ class: "car-listen" }, () => {
  const f = state.channel;
  if (f) state.scannedChannels.includes(f) ? dispatch.removeScan(f) : dispatch.addScan(f);
});
// What is heard elsewhere: pressing it goes there, to answer.
const elsewhere = key({ class: "car-elsewhere" }, () => heard && dispatch.joinChannel(heard));
let heard = "";

const arrow = (way) => el("span", { class: `car-arrow car-${way}`, "aria-hidden": "true" });
const page = el("div", { class: "car" },
  key({ class: "car-step car-before" }, () => step(-1), arrow("left"), say.before),
  el("div", { class: "car-display" }, zone, name, band, el("div", { class: "car-more" }, listen, elsewhere)),
  key({ class: "car-step car-after" }, () => step(1), arrow("right"), say.after));
page.addEventListener("keydown", (e) => {
  if (e.key === "ArrowLeft") step(-1);
  if (e.key === "ArrowRight") step(1);
});

theme.addClass("patrol");
theme.hideDefaultUI();
theme.getContainer().append(page);

function draw() {
  state = dispatch.getState();
  const channels = ring();
  const at = channels.findIndex((c) => c.frequency === state.channel);
  const c = all().find((x) => x.frequency === state.channel);
  const in_ = c && state.zones.find((z) => z.channels.some((x) => x.frequency === c.frequency));
  const face = c ? faceOf(c) : { face: "idle", who: say.choose, word: "", time: "" };
  write(zone, in_ ? `${in_.name} · ${at + 1} ${say.of} ${channels.length}` : "");
  write(name, c ? c.name : say.none);
  mark(page, "data-face", face.face);
  write(who, face.who);
  write(word, face.word);
  write(time, face.time);

  const kept = Boolean(c) && state.scannedChannels.includes(c.frequency);
  write(listen, kept ? say.listening : say.listen);
  mark(listen, "aria-pressed", kept);
  listen.disabled = !c;

  // The newest talk on another channel that is monitored.
  const others = state.scannedChannels.filter((f) => f !== state.channel);
  const talk = state.transmissions.find((t) => t.endedAt === null && !mine(t) && others.includes(t.controlFrequency || t.frequency));
  const there = talk && all().find((x) => x.frequency === (talk.controlFrequency || talk.frequency));
  heard = there && there.canTransmit ? there.frequency : "";
  const known = state.health !== "disconnected"; // without a link nobody knows who talks
  write(elsewhere, !known ? say.link : there ? `▶ ${there.name}: ${talk.name}` : say.others(others.length));
  mark(elsewhere, "data-heard", Boolean(there) && known);
  elsewhere.disabled = heard === "" || !known;
}

// Several events come at once: they are drawn together.
let waiting = 0;
const soon = () => {
  waiting = waiting || setTimeout(() => {
    waiting = 0;
    draw();
  });
};
for (const event of ["zones", "ptt", "channel", "channel-ptt", "connection", "alerts", "scans", "transmissions", "callsign", "emergencies"]) dispatch.on(`dispatch:${event}`, soon);
// Timers count.
const seconds = setInterval(draw, 1000);
// Subscriptions, classes and the container are taken back by themselves; timers are ours.
onUnmount(() => {
  clearInterval(seconds);
  clearTimeout(waiting);
});
draw();
