"use strict";
// Key and lamp leaves the console as it is and adds a field of lamps, one for each
// channel, each with a key cap that monitors its channel or stops doing so. "Lamp test"
// lights all of them while it is held, as on any panel of that time: a dead lamp must
// not look like a quiet channel.

const words = {
  en: { field: "Lamps", test: "Lamp test", monitor: "Monitor", idle: "quiet", rx: "heard", off: "talk, not monitored", tx: "on air", em: "emergency", ended: "ended emergency, not acknowledged", ack: "open emergency", link: "no link" },
  de: { field: "Lampen", test: "Lampentest", monitor: "Mithören", idle: "ruhig", rx: "wird gehört", off: "Gespräch, nicht mitgehört", tx: "sendet", em: "Notruf", ended: "beendeter Notruf, nicht quittiert", ack: "offener Notruf", link: "getrennt" },
};
const say = words[document.documentElement.lang] || words.en;

/** Makes an element. Names of channels are written as text, never as HTML. */
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...children);
  return e;
}
/** Writes only what has changed. */
function mark(e, name, value) {
  if (e.getAttribute(name) !== String(value)) e.setAttribute(name, value);
}

let state = dispatch.getState();
const monitored = (f) => f === state.channel || state.scannedChannels.includes(f);

/** What a lamp shows, the most urgent first. */
function faceOf(c) {
  const here = state.emergencies.filter((e) => e.frequency === c.frequency);
  if (here.some((e) => e.ackAt === null && e.endedAt === null)) return "em";
  if (here.some((e) => e.ackAt === null)) return "ended";
  if (here.length > 0) return "ack";
  if (state.health === "disconnected") return "link";
  const talks = state.transmissions.filter((t) => t.endedAt === null && (t.frequency === c.frequency || t.controlFrequency === c.frequency));
  if (talks.length === 0) return "idle";
  if (talks.some((t) => t.serverId < 0 && t.name === state.callsign)) return "tx";
  return monitored(c.frequency) ? "rx" : "off";
}

const list = el("ul", {});
const test = el("button", { type: "button", class: "lamps-test", "aria-pressed": "false" }, say.test);
const field = el("section", { class: "lamps", "aria-label": say.field }, list, test);
theme.addClass("lamps");
theme.getContainer().append(field);

/** The keys by frequency: a key stays the same one, so that it is never replaced under a finger. */
const keys = new Map();

function keyOf(f) {
  const name = el("span", {});
  const key = el("button", { type: "button", class: "lamps-key" }, el("i", { "aria-hidden": "true" }), name);
  key.addEventListener("click", () => (state.scannedChannels.includes(f) ? dispatch.removeScan(f) : dispatch.addScan(f)));
  return { item: el("li", {}, key), key, name };
}

function draw() {
  state = dispatch.getState();
  const channels = state.zones.flatMap((z) => z.channels);
  for (const [f, { item }] of keys)
    if (!channels.some((c) => c.frequency === f)) {
      item.remove();
      keys.delete(f);
    }
  channels.forEach((c, i) => {
    if (!keys.has(c.frequency)) keys.set(c.frequency, keyOf(c.frequency));
    const { item, key, name } = keys.get(c.frequency);
    if (list.children[i] !== item) list.insertBefore(item, list.children[i] || null);
    const face = faceOf(c);
    if (name.textContent !== c.name) name.textContent = c.name;
    mark(key, "data-face", face);
    mark(key, "aria-label", `${say.monitor} ${c.name}: ${say[face]}`);
    mark(key, "aria-pressed", monitored(c.frequency));
  });
}

/** Held, it lights every lamp; whatever ends the hold ends the test. */
function testing(on) {
  mark(test, "aria-pressed", on);
  if (on) theme.addClass("lamp-test");
  else theme.removeClass("lamp-test");
}
for (const begin of ["pointerdown", "keydown"]) test.addEventListener(begin, (e) => (e.key === undefined || e.key === " " || e.key === "Enter") && testing(true));
for (const end of ["pointerup", "pointerleave", "pointercancel", "keyup", "blur"]) test.addEventListener(end, () => testing(false));

// Several events come at once: they are drawn together.
let waiting = 0;
const soon = () => {
  waiting = waiting || setTimeout(() => {
    waiting = 0;
    draw();
  });
};
for (const event of ["zones", "channel", "scans", "transmissions", "connection", "callsign", "emergencies"]) dispatch.on(`dispatch:${event}`, soon);
// Subscriptions, classes and the container are taken back by themselves; timers are ours.
onUnmount(() => clearTimeout(waiting));
draw();
