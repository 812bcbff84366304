"use strict";
// Switchboard replaces the console's own channels, rail and tools by a board on which
// everything has its place at once. What stays is the console's: the lane of emergencies
// above, with Answer and Close, and the push-to-talk bar below.
//
// How it works: build the page once, then write into it what dispatch.getState() says.
// Names on the radio are written as text, never as HTML.

const words = {
  en: {
    channels: "Channels", units: "Units", log: "Log", patches: "Patches", groups: "Announcement groups", noUnits: "No units on the air", noLog: "No transmissions yet", noPatches: "No channels are patched", noGroups: "No announcement groups",
    idle: "Idle", rx: "RX", off: "Not monitored", wait: "Requesting…", tx: "ON AIR", busy: "BUSY", link: "NO LINK – last known",
    em: "EMERGENCY", ack: "OPEN", ended: "ENDED – not acknowledged", you: "You",
    talk: "Talk", rxOnly: "RX only", monitor: "Monitor", here: "PTT", last: "Last", perUnit: ["unit", "units"], talking: "talking",
    broadcast: "Broadcast", settings: "Settings", voice: "Voice", tones: "Tones", everybody: "Everybody", message: "Message", send: "Send", to: "To", type: "Type", tone: "Tone", noTone: "No tone",
    raise: "Raise", clear: "Clear", moveTo: "Move to", move: "Move", callsign: "Callsign", set: "Set", kick: "Disconnect…", reallyKick: "Press again to disconnect",
    newPatch: "New patch", pick: "Press the channels to connect", connect: "Connect", cancel: "Cancel", end: "End", arm: "Arm", armed: "ARMED", calls: "Message to this channel",
    sent: "Sent.", done: "Done.", refused: "The radio has refused this.",
  },
  de: {
    channels: "Kanäle", units: "Einheiten", log: "Protokoll", patches: "Kopplungen", groups: "Durchsagegruppen", noUnits: "Keine Einheiten am Funk", noLog: "Noch keine Funksprüche", noPatches: "Keine Kanäle sind gekoppelt", noGroups: "Keine Durchsagegruppen",
    idle: "Frei", rx: "EMPFANG", off: "Nicht mitgehört", wait: "Angefordert…", tx: "SENDET", busy: "BESETZT", link: "GETRENNT – zuletzt bekannt",
    em: "NOTRUF", ack: "OFFEN", ended: "BEENDET – nicht quittiert", you: "Sie",
    talk: "Senden", rxOnly: "Nur RX", monitor: "Mithören", here: "PTT", last: "Zuletzt", perUnit: ["Einheit", "Einheiten"], talking: "sprechen",
    broadcast: "Rundnachricht", settings: "Einstellungen", voice: "Stimme", tones: "Töne", everybody: "Alle Einheiten", message: "Nachricht", send: "Senden", to: "An", type: "Art", tone: "Ton", noTone: "Kein Ton",
    raise: "Auslösen:", clear: "Aufheben", moveTo: "Schalten auf", move: "Umschalten", callsign: "Rufname", set: "Setzen", kick: "Trennen…", reallyKick: "Zum Trennen nochmals drücken",
    newPatch: "Neue Kopplung", pick: "Kanäle drücken, die gekoppelt werden", connect: "Koppeln", cancel: "Abbrechen", end: "Beenden", arm: "Als Sprechziel", armed: "Sprechziel", calls: "Nachricht an diesen Kanal",
    sent: "Gesendet.", done: "Erledigt.", refused: "Das Funknetz hat das abgelehnt.",
  },
};
const say = words[document.documentElement.lang] || words.en;

// ---- Small helpers -----------------------------------------------------------

/** Makes an element: el("button", { class: "sb-key" }, "Talk"). */
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

/** Makes a button that does something. */
function key(attributes, label, press) {
  const b = el("button", { type: "button", ...attributes }, label);
  b.addEventListener("click", press);
  return b;
}

// Both write only what has changed: nothing is drawn for nothing, and no screen reader speaks for nothing.
function write(e, text) {
  if (e.textContent !== text) e.textContent = text;
}
function mark(e, name, value) {
  if (e.getAttribute(name) !== String(value)) e.setAttribute(name, value);
}

/** Keeps the children of a list in step with items. An element stays the same as long as its item is there: a key is never replaced under a finger. */
function keep(list, items, idOf, make, draw) {
  const old = new Map([...list.children].map((e) => [e.getAttribute("data-id"), e]));
  items.forEach((item, i) => {
    const id = idOf(item);
    let e = old.get(id);
    if (!e) {
      e = make(item);
      e.setAttribute("data-id", id);
    }
    old.delete(id);
    if (list.children[i] !== e) list.insertBefore(e, list.children[i] || null);
    draw(e, item);
  });
  for (const e of old.values()) e.remove();
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
    if (e.isTrusted) button.setPointerCapture(e.pointerId); // the finger may slip off the key
    down();
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) button.addEventListener(end, up);
  button.addEventListener("contextmenu", (e) => e.preventDefault()); // a long touch is a long talk
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

const clock = (ms) => new Date(ms).toTimeString().slice(0, 8);
const length = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

// ---- What is going on --------------------------------------------------------

let state = dispatch.getState();
/** What the lower pane works on: { unit: id }, { channel: frequency }, or null for a broadcast. */
let chosen = null;
/** The channels picked for a new patch; null: none is being made. */
let picked = null;

const channels = () => state.zones.flatMap((z) => z.channels);
const channelAt = (frequency) => channels().find((c) => c.frequency === frequency);
const nameAt = (frequency) => (channelAt(frequency) || { name: frequency }).name;
const unlinked = () => state.health === "disconnected";
const monitored = (f) => f === state.channel || state.scannedChannels.includes(f);
const mine = (t) => t.serverId < 0 && t.name === state.callsign;
/** Talks of the log that go on, on a channel or on a working frequency of it. */
const talksOn = (f) => state.transmissions.filter((t) => t.endedAt === null && (t.frequency === f || t.controlFrequency === f));
/** How long something has lasted. The radio's time, as a simulation has a time of its own. */
const since = (ms) => length(Math.max(0, state.now - ms));

/** Whether a key of this console is held on a channel. */
function keyed(f) {
  if (state.channelPttActive) return state.channelPttFrequency === f;
  if (!state.pttActive) return false;
  const group = state.announcementGroups.find((g) => g.id === state.activeAnnouncementGroup);
  return group ? group.frequencies.includes(f) : state.channel === f;
}

/** Everybody on the radio once, with where they are. */
function people() {
  const all = new Map();
  for (const c of channels())
    for (const u of c.users) {
      if (Number(u.id) < 0 && u.name === state.callsign) continue;
      const known = all.get(u.id) || { ...u, at: [] };
      known.at.push(c);
      known.transmitting = known.transmitting || u.transmitting;
      known.panic = known.panic || u.panic;
      all.set(u.id, known);
    }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a line shows, in the order of the console's own cards: an emergency goes before a lost link, that before a talk. */
function faceOf(c) {
  const f = c.frequency;
  const talks = talksOn(f);
  const own = talks.find(mine);
  const other = talks.find((t) => !mine(t));
  const here = state.emergencies.filter((e) => e.frequency === f);
  const emergency = here.find((e) => e.ackAt === null) || here[0];
  if (emergency) {
    const face = emergency.ackAt !== null ? "ack" : emergency.endedAt !== null ? "ended" : "em";
    const voice = own ? `${say.tx}` : other ? `▸ ${other.name}` : "";
    return { face, word: say[face], who: emergency.name, unit: emergency.unitId, time: since(emergency.raisedAt), voice };
  }
  const who = other ? other.name : "";
  const unit = other ? other.unitId : "";
  if (unlinked()) return { face: "link", word: say.link, who, unit, time: other ? "–:––" : "" };
  if (own) return { face: "tx", word: say.tx, who: say.you, time: since(own.startedAt) };
  if (keyed(f)) return other ? { face: "busy", word: say.busy, who, unit, time: since(other.startedAt) } : { face: "wait", word: say.wait, who: say.you, time: "" };
  if (other) {
    const face = monitored(f) ? "rx" : "off";
    return { face, word: say[face], who, unit, time: since(other.startedAt) };
  }
  const alert = state.activeAlerts[f];
  if (alert) return { face: "alert", word: "", who: `◆ ${alert}`, time: "" };
  const last = state.transmissions.find((t) => t.endedAt !== null && (t.frequency === f || t.controlFrequency === f));
  return { face: "idle", word: last ? `${say.last} ${last.name} · ${length(last.durationMs)}` : "", who: say.idle, time: "" };
}

// ---- The page ----------------------------------------------------------------

const board = el("div", { class: "sb-zones" });
// What an empty list says is in an attribute, which the style sheet shows.
const unitList = el("ul", { class: "sb-list", "data-empty": say.noUnits });
const log = el("ol", { class: "sb-list", "data-empty": say.noLog });
const patchList = el("ul", { class: "sb-list", "data-empty": say.noPatches });
const groupList = el("ul", { class: "sb-list", "data-empty": say.noGroups });
const desk = el("div", { class: "sb-work" });
const count = el("span", { class: "sb-count" });
const time = el("time", { class: "sb-clock" });
const site = el("b", {});
const answer = el("p", { class: "sb-answer", role: "status" });
const patchKeys = el("div", { class: "sb-row" });

/** A slider that changes a volume of the settings. */
function volume(name, label) {
  const slider = el("input", { type: "range", min: "0", max: "1", step: "0.05", "aria-label": label });
  slider.addEventListener("input", () => dispatch.updateSettings({ [name]: Number(slider.value) }));
  return { slider, box: el("label", { class: "sb-volume" }, label, slider), draw: () => (slider.value = String(state.settings[name])) };
}
const volumes = { voiceVolume: volume("voiceVolume", say.voice), sfxVolume: volume("sfxVolume", say.tones) };

const pane = (name, title, ...inside) => {
  const heading = el("h2", { id: `sb-${name}` }, title);
  return el("section", { class: `sb-pane sb-${name}`, "aria-labelledby": `sb-${name}` }, heading, ...inside);
};
// What scrolls can be reached with Tab, so that the arrow keys scroll it.
const scroll = (label, e) => el("div", { class: "sb-scroll", tabindex: "0", role: "group", "aria-label": label }, e);

const page = el("div", { class: "sb" },
  el("div", { class: "sb-top" },
    site, count, el("span", { class: "sb-gap" }), volumes.voiceVolume.box, volumes.sfxVolume.box,
    key({}, say.broadcast, () => {
      choose(null);
      desk.querySelector("input").focus();
    }), key({}, say.settings, () => dispatch.openSettings()), time),
  pane("board", say.channels, scroll(say.channels, board)),
  pane("units", say.units, scroll(say.units, unitList)),
  el("section", { class: "sb-pane sb-desk", "aria-label": say.broadcast }, desk, answer),
  pane("log", say.log, scroll(say.log, log)),
  el("section", { class: "sb-pane sb-connect", "aria-label": say.patches },
    el("div", { class: "sb-row" }, el("h2", {}, say.patches), patchKeys), patchList, el("h2", {}, say.groups), groupList));

theme.addClass("switchboard");
theme.hideDefaultUI();
theme.getContainer().append(page);

// ---- Channels ----------------------------------------------------------------

function makeZone(zone) {
  const rows = el("ul", {});
  const e = el("section", { class: "sb-zone", "aria-label": zone.name }, el("h3", {}, zone.name), rows);
  e.rows = rows;
  return e;
}

function makeLine(c) {
  const f = c.frequency;
  const p = {
    name: el("b", {}), meta: el("span", { class: "sb-meta" }), tag: el("span", { class: "sb-tag" }),
    who: el("b", { class: "sb-who" }), word: el("span", { class: "sb-word" }), time: el("time", {}),
  };
  p.pick = key({ class: "sb-name" }, p.name, () => (picked ? pick(f) : choose({ channel: f })));
  p.talk = el("button", { type: "button", class: "sb-talk" });
  hold(p.talk, () => dispatch.startChannelPTT(f), () => dispatch.stopChannelPTT());
  p.monitor = key({ class: "sb-monitor" }, "", () => (state.scannedChannels.includes(f) ? dispatch.removeScan(f) : dispatch.addScan(f)));
  p.here = key({ class: "sb-here" }, say.here, () => (state.channel === f ? dispatch.leaveChannel() : dispatch.joinChannel(f)));
  p.monitor.append(el("span", { class: "sb-phones" }));
  p.clear = key({ class: "sb-clear" }, say.clear, () => dispatch.clearAlert(f));
  const line = el("li", { class: "sb-line" },
    el("div", { class: "sb-head" }, p.pick, p.meta, p.tag),
    el("div", { class: "sb-band" }, p.who, p.word, p.time, p.clear),
    el("div", { class: "sb-keys" }, p.talk, p.monitor, p.here));
  line.parts = p;
  return line;
}

function drawLine(line, c) {
  const f = c.frequency;
  const p = line.parts;
  const { face, word, who, unit, time, voice } = faceOf(c);
  const units = c.users.filter((u) => Number(u.id) > 0).length;
  const patch = state.patches.find((x) => x.frequencies.includes(f));
  const alert = state.activeAlerts[f];
  mark(line, "data-face", face);
  mark(line, "data-monitored", monitored(f));
  mark(line, "data-here", state.channel === f);
  mark(line, "data-chosen", picked ? picked.includes(f) : Boolean(chosen && chosen.channel === f));
  write(p.name, c.name);
  write(p.meta, voice || `${c.display || f} · ${units}`);
  // An alert has the band while nobody talks, and the tag while somebody does.
  const tagged = alert && face !== "alert";
  write(p.tag, tagged ? `◆ ${alert}` : patch ? `⇄ ${patch.label || say.patches}` : "");
  mark(p.tag, "data-kind", tagged ? "alert" : patch ? "patch" : "none");
  p.clear.hidden = face !== "alert";
  mark(p.clear, "aria-label", `${say.clear} ${alert || ""} ${c.name}`);
  write(p.who, who);
  write(p.word, unit ? `${word} · ${unit}` : word);
  write(p.time, time);
  mark(p.pick, "aria-pressed", picked ? picked.includes(f) : Boolean(chosen && chosen.channel === f));
  write(p.talk, c.canTransmit ? say.talk : say.rxOnly);
  mark(p.talk, "aria-label", c.canTransmit ? `${say.talk} ${c.name}` : `${say.rxOnly}: ${c.name}`);
  p.talk.disabled = !c.canTransmit || unlinked();
  mark(p.monitor, "aria-label", `${say.monitor} ${c.name}`);
  mark(p.monitor, "aria-pressed", monitored(f));
  mark(p.here, "aria-label", `${say.here} ${c.name}`);
  mark(p.here, "aria-pressed", state.channel === f);
  p.here.disabled = !c.canTransmit;
}

// ---- Units and log -----------------------------------------------------------

function makeUnit(u) {
  const p = { sign: el("span", { class: "sb-sign", "aria-hidden": "true" }), name: el("b", {}), unit: el("span", {}), at: el("span", { class: "sb-at" }) };
  const b = key({ class: "sb-unit" }, "", () => choose({ unit: u.id }));
  b.append(p.sign, p.name, p.unit, p.at);
  const e = el("li", {}, b);
  e.parts = { ...p, button: b };
  return e;
}

function drawUnit(e, u) {
  const p = e.parts;
  const is = u.panic ? "em" : u.transmitting && !unlinked() ? "rx" : "idle";
  mark(e, "data-face", is);
  write(p.sign, is === "em" ? "▲" : is === "rx" ? "▶" : "");
  write(p.name, u.name);
  write(p.unit, u.unitId || u.nacId || "");
  write(p.at, u.at.map((c) => c.name).join(", "));
  mark(p.button, "aria-pressed", Boolean(chosen && chosen.unit === u.id));
}

function makeEntry() {
  const p = { at: el("time", {}), name: el("b", {}), where: el("span", { class: "sb-at" }), how: el("span", { class: "sb-long" }) };
  const e = el("li", { class: "sb-entry" }, p.at, p.name, p.where, p.how);
  e.parts = p;
  return e;
}

function drawEntry(e, t) {
  const p = e.parts;
  const open = t.endedAt === null;
  mark(e, "data-face", unlinked() ? "idle" : open ? (mine(t) ? "tx" : "rx") : "idle");
  write(p.at, clock(t.startedAt));
  write(p.name, mine(t) ? say.you : t.name);
  write(p.where, nameAt(t.controlFrequency || t.frequency));
  write(p.how, !open ? length(t.durationMs) : unlinked() ? "–:––" : `▸ ${since(t.startedAt)}`);
}

// ---- Patches and announcement groups -----------------------------------------

function makePatch(x) {
  const p = { name: el("b", {}), members: el("span", { class: "sb-at" }) };
  const end = key({}, say.end, () => tell(dispatch.removePatch(x.id)));
  const e = el("li", { class: "sb-link" }, p.name, p.members, end);
  e.parts = { ...p, end };
  return e;
}

function drawPatch(e, x) {
  write(e.parts.name, `⇄ ${x.label || say.patches}`);
  write(e.parts.members, x.frequencies.map(nameAt).join(", "));
  mark(e.parts.end, "aria-label", `${say.end} ${x.label}`);
}

function makeGroup(g) {
  const p = { name: el("b", {}), members: el("span", { class: "sb-at" }) };
  const arm = key({ class: "sb-here" }, say.arm, () => dispatch.activateAnnouncementGroup(state.activeAnnouncementGroup === g.id ? null : g.id));
  const e = el("li", { class: "sb-link" }, p.name, p.members, arm);
  e.parts = { ...p, arm };
  return e;
}

function drawGroup(e, g) {
  const armed = state.activeAnnouncementGroup === g.id;
  write(e.parts.name, g.name);
  write(e.parts.members, g.frequencies.map(nameAt).join(", "));
  write(e.parts.arm, armed ? say.armed : say.arm);
  mark(e.parts.arm, "aria-label", `${armed ? say.armed : say.arm} ${g.name}`);
  mark(e.parts.arm, "aria-pressed", armed);
}

function pick(f) {
  picked = picked.includes(f) ? picked.filter((x) => x !== f) : [...picked, f];
  drawPatchKeys();
  draw();
}

function drawPatchKeys() {
  const stop = () => {
    picked = null;
    drawPatchKeys();
    draw();
  };
  if (!picked) {
    patchKeys.replaceChildren(key({}, say.newPatch, () => {
      picked = [];
      drawPatchKeys();
      draw();
    }));
    return;
  }
  const connect = key({}, `${say.connect} (${picked.length})`, () => {
    tell(dispatch.createPatch(picked));
    stop();
  });
  connect.disabled = picked.length < 2;
  patchKeys.replaceChildren(el("span", { class: "sb-at" }, say.pick), connect, key({}, say.cancel, stop));
}

// ---- The lower pane: a broadcast, a channel or a unit ------------------------

function choose(what) {
  chosen = what;
  drawDesk();
  draw();
}

/** Says how something went, once the radio has answered. */
function tell(promise, done) {
  Promise.resolve(promise).then(
    (answered) => write(answer, answered === false ? say.refused : done || say.done),
    (why) => write(answer, why instanceof Error ? why.message : String(why)),
  );
}

const field = (label, input) => el("label", {}, label, input);
const option = (value, label) => el("option", { value }, label);
const select = (...options) => el("select", {}, ...options);
const input = (more) => el("input", { type: "text", maxlength: "200", ...more });
/** A form whose key does something with its fields. */
function form(label, submit, ...fields) {
  const e = el("form", { class: "sb-form" }, ...fields, el("button", {}, label));
  e.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return e;
}

function messageForm(frequency) {
  const text = input({ required: "", "aria-label": say.message });
  const to = select(option("", say.everybody), ...channels().map((c) => option(c.frequency, c.name)));
  const type = select(...["General Alert", "Information Alert", "Priority Alert", "Emergency Alert"].map((t) => option(t, t)));
  const tone = select(option("", say.noTone), ...state.tones.map((t) => option(t.name, t.name)));
  const send = () => {
    if (!text.value.trim()) return;
    dispatch.sendBroadcastAlert({
      message: text.value.trim(), type: type.value,
      ...(frequency || to.value ? { frequency: frequency || to.value } : {}), ...(tone.value ? { tone: tone.value } : {}),
    });
    text.value = "";
    write(answer, say.sent);
  };
  return form(say.send, send, field(frequency ? say.calls : say.message, text),
    el("div", { class: "sb-pair" }, ...(frequency ? [] : [field(say.to, to)]), field(say.type, type), field(say.tone, tone)));
}

/** Built anew when something else is chosen, never while the radio changes: nobody loses what they are typing. */
function drawDesk() {
  write(answer, "");
  if (!chosen) desk.replaceChildren(el("h2", {}, say.broadcast), messageForm(""));
  else if (chosen.channel) drawChannelDesk(chosen.channel);
  else drawUnitDesk(Number(chosen.unit));
}

function drawChannelDesk(f) {
  const alerts = el("div", { class: "sb-row" });
  desk.replaceChildren(el("h2", {}, nameAt(f)), alerts, messageForm(f));
  desk.alerts = { f, alerts };
  drawAlerts();
}

/** The alerts that can be raised, or the one that can be cleared. */
function drawAlerts() {
  if (!chosen || !chosen.channel || !desk.alerts) return;
  const { f, alerts } = desk.alerts;
  const active = state.activeAlerts[f];
  const items = active ? [{ id: "clear", name: active, clear: true }] : state.alertTypes;
  keep(alerts, items, (a) => (a.clear ? `clear ${a.name}` : a.name), (a) => {
    const b = key({}, "", () => (a.clear ? dispatch.clearAlert(f) : dispatch.triggerAlert(f, a.name)));
    const swatch = el("span", { class: "sb-swatch", "aria-hidden": "true" }, "◆");
    if (a.color) swatch.style.color = a.color; // the operator's colour is a mark, never a fill
    b.append(swatch, `${a.clear ? say.clear : say.raise} ${a.name}`);
    return b;
  }, () => undefined);
}

function drawUnitDesk(id) {
  const u = people().find((x) => Number(x.id) === id);
  if (!u) return choose(null);
  const to = select(...channels().map((c) => option(c.frequency, c.name)));
  const text = input({ required: "" });
  const callsign = input({ value: "" });
  const at = u.at[0];
  const kick = key({ class: "sb-kick" }, say.kick, () => {
    // Two presses: what cannot be undone is not one slip away.
    if (kick.getAttribute("data-sure") !== "yes") {
      mark(kick, "data-sure", "yes");
      write(kick, say.reallyKick);
    } else tell(dispatch.kickUser(id));
  });
  kick.addEventListener("blur", () => {
    mark(kick, "data-sure", "no");
    write(kick, say.kick);
  });
  desk.replaceChildren(
    el("div", { class: "sb-row" }, el("h2", {}, `${u.name} ${u.unitId || ""}`), kick),
    form(say.move, () => tell(dispatch.switchUserChannel(id, to.value, at && at.frequency)), field(say.moveTo, to)),
    form(say.send, () => {
      tell(dispatch.alertUser(id, text.value, at && at.frequency), say.sent);
      text.value = "";
    }, field(say.message, text)),
    form(say.set, () => tell(dispatch.setUserCallsign(id, callsign.value)), field(say.callsign, callsign)));
}

// ---- Drawing -----------------------------------------------------------------

function draw() {
  state = dispatch.getState();
  const all = people();
  const units = all.filter((u) => Number(u.id) > 0);
  write(site, state.serverName);
  write(count, `${units.length} ${say.perUnit[units.length === 1 ? 0 : 1]} · ${unlinked() ? "–" : units.filter((u) => u.transmitting).length} ${say.talking}`);
  keep(board, state.zones, (z) => z.id, makeZone, (e, z) => keep(e.rows, z.channels, (c) => c.frequency, makeLine, drawLine));
  keep(unitList, all, (u) => u.id, makeUnit, drawUnit);
  keep(log, state.transmissions, (t) => t.id, makeEntry, drawEntry);
  keep(patchList, state.patches, (x) => x.id, makePatch, drawPatch);
  keep(groupList, state.announcementGroups, (g) => g.id, makeGroup, drawGroup);
  drawAlerts();
  tick();
}

function tick() {
  write(time, clock(state.now));
}

// Several events come at once: they are drawn together.
let waiting = 0;
const soon = () => {
  waiting = waiting || setTimeout(() => {
    waiting = 0;
    draw();
  });
};
const events = ["zones", "ptt", "channel", "channel-ptt", "voice-status", "connection", "alerts", "alert-types", "scans", "patches", "transmissions", "callsign", "announcement-group", "emergencies"];
for (const name of events) dispatch.on(`dispatch:${name}`, soon);
dispatch.on("dispatch:settings", () => {
  state = dispatch.getState();
  for (const v of Object.values(volumes)) v.draw();
});
// Timers count.
const seconds = setInterval(draw, 1000);
// Subscriptions, classes and the container are taken back by themselves; timers are ours.
onUnmount(() => {
  clearInterval(seconds);
  clearTimeout(waiting);
});

drawPatchKeys();
drawDesk();
draw();
