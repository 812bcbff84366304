"use strict";
// Wall shows every channel as a large tile, for a screen that a whole room looks at.
// Nothing has to be pressed; keys for a channel appear when a pointer or the focus is
// on its tile. The sizes, and how they come about, are in style.css.

const words = {
  en: {
    units: ["unit", "units"], rx: "RX", off: "Not heard", wait: "Requesting", tx: "ON AIR", busy: "BUSY", link: "NO LINK", you: "You",
    em: "EMERGENCY", ack: "OPEN", ended: "ENDED", talk: "Talk", monitor: "Monitor", here: "PTT", board: "Channels",
    connected: "Connected", stale: "Link is slow", disconnected: "NO LINK: last known",
  },
  de: {
    units: ["Einheit", "Einheiten"], rx: "EMPFANG", off: "Ungehört", wait: "Angefordert", tx: "SENDET", busy: "BESETZT", link: "GETRENNT", you: "Sie",
    em: "NOTRUF", ack: "OFFEN", ended: "BEENDET", talk: "Senden", monitor: "Mithören", here: "PTT", board: "Kanäle",
    connected: "Verbunden", stale: "Verbindung ist langsam", disconnected: "GETRENNT: zuletzt bekannt",
  },
};
const say = words[document.documentElement.lang] || words.en;

/** A radio with more channels than this shows only those that this console monitors, and those with an emergency or an alert. */
const most = 16;
/** How long a part of the board is shown if not all of it fits, ms. */
const turn = 10000;

// ---- Small helpers -----------------------------------------------------------

/** Makes an element: el("b", { class: "wall-name" }, "MAIN"). Names are text, never HTML. */
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// Both write only what has changed, so that nothing is drawn for nothing.
function write(e, text) {
  if (e.textContent !== text) e.textContent = text;
}
function mark(e, name, value) {
  if (e.getAttribute(name) !== String(value)) e.setAttribute(name, value);
}

/** Makes a button a push-to-talk: it talks as long as it is held, and whatever ends the hold ends the talk. */
function hold(button, start, stop) {
  let held = false;
  const down = () => {
    if (held || button.disabled) return;
    held = true;
    start();
  };
  const up = () => {
    if (!held) return;
    held = false;
    stop();
  };
  button.addEventListener("pointerdown", (e) => {
    if (e.button > 0) return;
    if (e.isTrusted) button.setPointerCapture(e.pointerId); // the pointer may slip off the key
    down();
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) button.addEventListener(end, up);
  button.addEventListener("keydown", (e) => {
    if (e.key !== " " && e.key !== "Enter") return;
    e.preventDefault();
    if (!e.repeat) down();
  });
  button.addEventListener("keyup", (e) => {
    if (e.key === " " || e.key === "Enter") up();
  });
  onUnmount(up); // a theme that goes does not leave the channel keyed
}

const length = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

// ---- What is going on --------------------------------------------------------

let state = dispatch.getState();

const monitored = (f) => f === state.channel || state.scannedChannels.includes(f);
const mine = (t) => t.serverId < 0 && t.name === state.callsign;
const since = (ms) => length(Math.max(0, state.now - ms));

/** Whether a key of this console is held on a channel. */
function keyed(f) {
  if (state.channelPttActive) return state.channelPttFrequency === f;
  if (!state.pttActive) return false;
  const group = state.announcementGroups.find((g) => g.id === state.activeAnnouncementGroup);
  return group ? group.frequencies.includes(f) : state.channel === f;
}

/** What a tile shows: an emergency goes before a lost link, that before a talk, that before an alert. */
function faceOf(c) {
  const f = c.frequency;
  const talks = state.transmissions.filter((t) => t.endedAt === null && (t.frequency === f || t.controlFrequency === f));
  const own = talks.find(mine);
  const other = talks.find((t) => !mine(t));
  const here = state.emergencies.filter((e) => e.frequency === f);
  const emergency = here.find((e) => e.ackAt === null) || here[0];
  if (emergency) {
    const face = emergency.ackAt !== null ? "ack" : emergency.endedAt !== null ? "ended" : "em";
    return { face, who: emergency.name, word: say[face], time: since(emergency.raisedAt) };
  }
  if (state.health === "disconnected") return { face: "link", who: other ? other.name : "", word: say.link, time: "–:––" };
  if (own) return { face: "tx", who: say.you, word: say.tx, time: since(own.startedAt) };
  if (keyed(f)) return other ? { face: "busy", who: other.name, word: say.busy, time: since(other.startedAt) } : { face: "wait", who: say.you, word: say.wait, time: "" };
  if (other) {
    const face = monitored(f) ? "rx" : "off";
    return { face, who: other.name, word: say[face], time: since(other.startedAt) };
  }
  const alert = state.activeAlerts[f];
  if (alert) return { face: "alert", who: `◆ ${alert}`, word: "", time: "" };
  const patch = state.patches.find((x) => x.frequencies.includes(f));
  const units = c.users.filter((u) => Number(u.id) > 0).length;
  return { face: "idle", who: "", word: `${patch ? "⇄ " : ""}${units} ${say.units[units === 1 ? 0 : 1]}`, time: "" };
}

/** The channels of the board, in the operator's order: a tile never moves by what happens. */
function shown() {
  const all = state.zones.flatMap((z) => z.channels);
  if (all.length <= most) return all;
  const matters = all.filter((c) => monitored(c.frequency) || state.activeAlerts[c.frequency] || state.emergencies.some((e) => e.frequency === c.frequency));
  return matters.length > 0 ? matters : all;
}

// ---- The page ----------------------------------------------------------------

const site = el("b", {});
const link = el("span", { class: "wall-link" });
const time = el("time", {});
const board = el("ul", { class: "wall-board", tabindex: "0", "aria-label": say.board });
const page = el("div", { class: "wall" }, el("div", { class: "wall-top" }, site, link, time), board);

theme.addClass("wall");
theme.hideDefaultUI();
theme.getContainer().append(page);

function makeTile(f) {
  const p = {
    name: el("b", { class: "wall-name" }), who: el("span", { class: "wall-who" }), word: el("span", { class: "wall-word" }), time: el("time", {}),
    talk: el("button", { type: "button" }, say.talk), monitor: el("button", { type: "button" }, say.monitor), here: el("button", { type: "button" }, say.here),
  };
  hold(p.talk, () => dispatch.startChannelPTT(f), () => dispatch.stopChannelPTT());
  p.monitor.addEventListener("click", () => (state.scannedChannels.includes(f) ? dispatch.removeScan(f) : dispatch.addScan(f)));
  p.here.addEventListener("click", () => (state.channel === f ? dispatch.leaveChannel() : dispatch.joinChannel(f)));
  const tile = el("li", { class: "wall-tile", "data-id": f },
    p.name, el("div", { class: "wall-band" }, p.who, el("div", { class: "wall-say" }, p.word, p.time)),
    el("div", { class: "wall-keys" }, p.talk, p.monitor, p.here));
  tile.parts = p;
  return tile;
}

function drawTile(tile, c) {
  const p = tile.parts;
  const { face, who, word, time } = faceOf(c);
  mark(tile, "data-face", face);
  mark(tile, "data-monitored", monitored(c.frequency));
  mark(tile, "data-here", state.channel === c.frequency);
  write(p.name, c.name);
  write(p.who, who);
  write(p.word, word);
  write(p.time, time);
  for (const [key, label] of [["talk", say.talk], ["monitor", say.monitor], ["here", say.here]]) mark(p[key], "aria-label", `${label} ${c.name}`);
  p.talk.disabled = p.here.disabled = !c.canTransmit;
  mark(p.monitor, "aria-pressed", monitored(c.frequency));
  mark(p.here, "aria-pressed", state.channel === c.frequency);
}

const tiles = new Map();

function draw() {
  state = dispatch.getState();
  write(site, state.serverName);
  write(link, say[state.health]);
  mark(link, "data-health", state.health);
  write(time, new Date(state.now).toTimeString().slice(0, 5));
  const wanted = shown();
  for (const [f, tile] of tiles)
    if (!wanted.some((c) => c.frequency === f)) {
      tile.remove();
      tiles.delete(f);
    }
  wanted.forEach((c, i) => {
    if (!tiles.has(c.frequency)) tiles.set(c.frequency, makeTile(c.frequency));
    const tile = tiles.get(c.frequency);
    if (board.children[i] !== tile) board.insertBefore(tile, board.children[i] || null);
    drawTile(tile, c);
  });
  see();
}

/** Brings the oldest emergency that nobody has acknowledged into view, once. */
let seen = "";
function see() {
  const e = state.emergencies.find((x) => x.ackAt === null);
  const id = e ? e.id : "";
  if (id === seen) return;
  seen = id;
  const tile = e && tiles.get(e.frequency);
  if (tile && tile.scrollIntoView) tile.scrollIntoView({ block: "nearest" });
}

/** If not all tiles fit, the board turns to the next ones, unless somebody works on it or an emergency is in view. */
function next() {
  if (seen !== "" || !(board.scrollHeight > board.clientHeight + 1)) return;
  if (board.matches(":hover, :focus-within")) return;
  const end = board.scrollTop + board.clientHeight >= board.scrollHeight - 1;
  board.scrollTop = end ? 0 : board.scrollTop + board.clientHeight;
}

// Several events come at once: they are drawn together.
let waiting = 0;
const soon = () => {
  waiting = waiting || setTimeout(() => {
    waiting = 0;
    draw();
  });
};
for (const name of ["zones", "ptt", "channel", "channel-ptt", "connection", "alerts", "scans", "patches", "transmissions", "callsign", "announcement-group", "emergencies"]) dispatch.on(`dispatch:${name}`, soon);
// Timers count.
const timers = [setInterval(draw, 1000), setInterval(next, turn)];
// Subscriptions, classes and the container are taken back by themselves; timers are ours.
onUnmount(() => {
  timers.forEach(clearInterval);
  clearTimeout(waiting);
});
draw();
