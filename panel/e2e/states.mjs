// Every state of the console, and how it is brought about. Tests, measurements and
// pictures take them from here.
//
// A state begins a page of its own, or goes on from the one before (`goesOn`) and then
// is left again (`leave`), so that dialogs and menus need no page each.
import { shift } from "./stage.mjs";

const rows = [
  ["Los Santos", "LSPD DISP", "154.755", "conventional"],
  ["Los Santos", "LSPD TAC 1", "154.815", "conventional"],
  ["Los Santos", "LSPD TRUNK", "856.1125", "trunked", { frequencyRange: [856.1125, 857.1125], coverage: 1500 }],
  ["Blaine County", "BCSO DISP", "460.250", "digital"],
  ["Blaine County", "BCSO TAC", "460.400", "digital"],
  ["Blaine County", "PARKS", "151.415", "conventional"],
  ["Fire and Rescue", "FIRE DISP", "154.280", "conventional"],
  ["Fire and Rescue", "FIREGROUND", "153.830", "conventional"],
  ["Fire and Rescue", "EMS DISP", "463.000", "digital"],
  ["Fire and Rescue", "EMS TAC", "462.950", "digital"],
  ["Interop", "CALLING", "155.7525", "conventional"],
  ["Interop", "STATEWIDE", "769.40625", "digital"],
];

/** The frequency of a channel as the console has it, without zeros at its end. */
export const frequency = (channel) => String(Number(rows.find((r) => r[1] === channel)[2]));

const zones = ["Los Santos", "Blaine County", "Fire and Rescue", "Interop"].map((name) => ({
  name,
  channels: rows.filter((r) => r[0] === name).map(([, name, frequency, type, more]) => ({ name, type, frequency, ...more })),
}));

const alerts = [
  ["SIGNAL 3", "#d8a500", true], ["SIGNAL 100", "#d01c1c", true], ["Ping", "#0049d1", false],
].map(([name, color, isPersistent]) => {
  const raw = { name, color, isPersistent, tones: {} };
  return { name, color, persistence: isPersistent ? 1 : 0, tones: {}, raw: JSON.stringify(raw) };
});

const people = [
  [12, "Priya Nair", "4A-44", "LSPD DISP"], [13, "Dana Whitfield", "2-SAM-7", "BCSO DISP"], [10, "Jo Lindqvist", "E-3", "FIRE DISP"],
  [14, "Kay Moss", "E-9", "FIREGROUND"], [11, "Sam Ortega", "M-9", "EMS TAC"], [15, "Ana Ruiz", "4A-12", "LSPD DISP"],
  [16, "Marcus Bell", "4A-31", "LSPD DISP"], [17, "Omar Haddad", "4A-50", "LSPD TRUNK"], [18, "Rui Costa", "M-4", "EMS DISP"],
  [19, "Ranger 3", "R-3", "PARKS"], [20, "Engine 7", "E-7", "CALLING"], [21, "County 1", "C-1", "STATEWIDE"],
].map(([id, name, unitId, on]) => ({ id, name, unitId, on }));
const id = (name) => people.find((p) => p.name === name).id;

/** Steps in the words of a scenario. */
const at = (second, name, what, more = {}) => ({ at: second, unit: typeof name === "number" ? name : id(name), do: what, ...more });
const talk = (second, name, length = 600, more = {}) => at(second, name, "talk", { for: length, ...more });
const other = -2; // the dispatcher at the next desk

/** What has been said before, so that cards and log are not empty. */
const earlier = [
  talk(11, "County 1", 2), talk(30, "Engine 7", 5), talk(50, "Dana Whitfield", 9), talk(78, "Kay Moss", 3), talk(100, "Ranger 3", 6), talk(141, "Marcus Bell", 4),
  at(178, other, "move", { who: id("Marcus Bell"), channel: "LSPD TAC 1" }),
  talk(190, "Marcus Bell", 3), talk(220, "Rui Costa", 3), talk(232, "Ana Ruiz", 4),
];
const patched = at(62, other, "patch", { channels: ["LSPD TAC 1", "BCSO TAC"], label: "Patch 1" });
const alert = at(107, other, "alert", { alert: "SIGNAL 3", channel: "STATEWIDE" });

/** The second at which a state is looked at: 14:32:21. */
const now = 261;

/** A county of twelve channels; this desk talks on EMS DISP and hears all but two. */
export function metro({ steps = [], radio = {}, desk = {}, before = earlier, ...more } = {}) {
  return shift({
    name: "Metro",
    radio: { zones, alerts, serverName: "Los Santos Metro", announcementGroups: [{ id: "all", name: "All dispatch", frequencies: ["LSPD DISP", "BCSO DISP", "FIRE DISP", "EMS DISP"].map(frequency) }], ...radio },
    desk: { callsign: "D-1", joined: "EMS DISP", scans: rows.map((r) => r[1]).filter((n) => !["LSPD TRUNK", "PARKS", "EMS DISP"].includes(n)), ...desk },
    units: [...people, { id: other, name: "D-2", callsign: "D-2", on: "CALLING" }],
    steps: [...before, ...steps],
    ...more,
  });
}

/** What this desk has kept: its layouts. */
const kept = (more = {}) => ({ filter: "all", layout: "Night shift", layouts: [layoutOf("Night shift"), layoutOf("Storm")], ...more });
const layoutOf = (name) => ({ name, order: [], scans: {}, targets: [], filter: "all", zoom: "fit", density: "comfortable", rail: { width: 360, split: 0.53 } });

// Where things are on the page.
const cardOf = (channel) => `[data-part=channel-card][data-frequency="${frequency(channel)}"]`;
const inState = (channel, state, more = "") => `${cardOf(channel)}[data-state=${state}]${more}`;
const slot = (state) => `[data-part=emergency-slot][data-state=${state}]`;
const ptt = (state) => `[data-part=ptt][data-state=${state}]`;
const rail = "[data-part=rail]";

// What hands do.
const key = (desk, name, face) => desk.page.keyboard.down(name).then(() => desk.ptt(face));
const press = (desk, name) => desk.page.keyboard.press(name);
const click = (desk, selector) => desk.page.locator(selector).first().click();
const tab = (desk, name) => click(desk, `#tab-${name}`);
const escape = async (desk, gone = "dialog, [popover]:popover-open") => {
  await press(desk, "Escape");
  await desk.page.locator(gone).first().waitFor({ state: "detached" });
};
const spaceOn = async (desk, channel) => {
  await desk.page.locator(`${cardOf(channel)} [data-part=instant-tx]`).focus();
  await desk.page.keyboard.down("Space");
};

/** The whole of a busy shift, as the design draws it. */
const traffic = () => metro({ steps: [
  at(9, "Sam Ortega", "panic"), at(22, other, "acknowledge", { who: id("Sam Ortega") }), patched, alert,
  at(247, "Jo Lindqvist", "panic"), talk(248, "Jo Lindqvist"), talk(249, "Priya Nair"), talk(253, "Kay Moss"), talk(256, "Omar Haddad"), talk(258, "Dana Whitfield"),
] });
const onAir = async (desk) => {
  await key(desk, "F2", "TX");
  await desk.to(now);
};
const emergency = (...more) => metro({ steps: [at(247, "Jo Lindqvist", "panic"), ...more] });
const rest = () => metro();

/**
 * name: of its pictures. shows: what is on the page then. begin: the scenario; second: where
 * it stands still; targets: what the push-to-talk keys beside EMS DISP; open: how the page is opened, see prepare in stage.mjs. live: at the service. reach and leave: what a
 * dispatcher does. phone: it is a phone's. cards: whose state each card is a picture of.
 */
export const states = [
  // What goes on, on cards and in the bar.
  { name: "rest", about: "nothing is said", begin: rest, shows: [inState("BCSO DISP", "idle"), inState("PARKS", "idle", "[data-monitored=false]"), ptt("IDLE"), ".calm"],
    cards: { idle: "BCSO DISP", "not monitored": "PARKS", "PTT target": "CALLING" } },
  { name: "focus", about: "the focus is on a card", goesOn: true, shows: [".card .select:focus-visible"], reach: async (desk) => {
    await desk.page.locator(`${cardOf("PARKS")} [data-part=select]`).focus();
    await press(desk, "Shift");
  }, leave: (desk) => desk.page.evaluate(() => document.activeElement.blur()) },
  { name: "requested", about: "the radio has not answered yet", goesOn: true, reach: async (desk) => {
    await desk.unanswered();
    await desk.page.keyboard.down("F2");
  }, shows: [inState("EMS DISP", "wait"), ptt("REQUESTED")], cards: { requested: "EMS DISP" } },
  { name: "denied", about: "and it never does", goesOn: true, shows: [inState("EMS DISP", "denied"), ptt("DENIED")], leave: async (desk) => {
    await desk.page.keyboard.up("F2");
    await desk.answered();
  }, cards: { denied: "EMS DISP" } },
  { name: "latched", about: "one press keys, the next releases", goesOn: true, reach: async (desk) => {
    await click(desk, "[data-part=latch]");
    await click(desk, "[data-part=ptt]");
  }, shows: [ptt("LATCHED")], leave: async (desk) => {
    await click(desk, "[data-part=ptt]");
    await click(desk, "[data-part=latch]");
  } },
  // Dialogs, menus and modes.
  { name: "settings", about: "of this desk", goesOn: true, reach: (desk) => click(desk, "[data-part=status-bar] > button:last-child"), shows: ["[data-part=dialog][data-state=settings]"], leave: (desk) => escape(desk) },
  { name: "keys", about: "the keys of the console", goesOn: true, reach: (desk) => press(desk, "?"), shows: ["[data-part=dialog][data-state=keys]"], leave: (desk) => escape(desk) },
  { name: "palette", about: "commands by name", goesOn: true, reach: async (desk) => {
    await press(desk, "Control+k");
    await desk.page.locator("[data-part=palette] input").fill("ana");
  }, shows: ["[data-part=palette] [role=option]"], leave: (desk) => escape(desk) },
  { name: "new-patch", about: "channels that are patched", goesOn: true, reach: (desk) => click(desk, "[data-part=new-patch]"), shows: ["[data-part=dialog][data-state=patch]"], leave: (desk) => escape(desk) },
  { name: "broadcast", about: "a message to everybody", goesOn: true, reach: (desk) => click(desk, "[data-part=broadcast]"), shows: ["[data-part=dialog][data-state=broadcast]"], leave: (desk) => escape(desk) },
  { name: "unit", about: "what can be done with a unit", goesOn: true, reach: (desk) => click(desk, `[data-part=unit][aria-label^="Ana Ruiz"]`), shows: ["[data-part=dialog][data-state=unit]"], leave: (desk) => escape(desk) },
  { name: "account", about: "the menu of who is signed in", goesOn: true, reach: (desk) => click(desk, ".me"), shows: ["[role=menu]"], leave: (desk) => escape(desk, "[role=menu]") },
  { name: "replay-menu", about: "how much is replayed", goesOn: true, reach: (desk) => desk.page.locator(`${cardOf("PARKS")} [data-part=replay]`).click({ button: "right" }), shows: ["[role=menu]"], leave: (desk) => escape(desk, "[role=menu]") },
  { name: "layouts", about: "layouts and the size of cards", goesOn: true, reach: (desk) => click(desk, "[data-part=layout]"), shows: [".layout-menu"], leave: (desk) => escape(desk, ".layout-menu") },
  { name: "edit-layout", about: "cards are moved", goesOn: true, reach: async (desk) => {
    await click(desk, "[data-part=layout]");
    await click(desk, ".layout-menu > .use:last-of-type");
  }, shows: [".grip", ".edit-hint"], leave: (desk) => press(desk, "Escape") },
  { name: "overridden", about: "another dispatcher talks over this desk", goesOn: true, reach: async (desk) => {
    await key(desk, "F2", "TX");
    await desk.to(now + 3);
    await desk.deed({ do: "talk", for: 600, on: "EMS DISP", override: true }, other);
  }, shows: [inState("EMS DISP", "overridden")], cards: { overridden: "EMS DISP" } },

  // A busy shift.
  { name: "traffic", about: "a busy shift: voice, an emergency, one that is open, an alert, a patch, and this desk on the air", begin: traffic, second: 254, reach: onAir,
    shows: [inState("LSPD DISP", "rx"), inState("LSPD TRUNK", "off"), inState("FIREGROUND", "busy"), inState("EMS DISP", "tx"), inState("FIRE DISP", "em"), inState("EMS TAC", "ack"), inState("STATEWIDE", "idle", "[data-alert=true]"), ptt("TX"), slot("acknowledged"), slot("unacknowledged")],
    cards: { RX: "LSPD DISP", "talk, not monitored": "LSPD TRUNK", busy: "FIREGROUND", "on the air": "EMS DISP", emergency: "FIRE DISP", "open emergency": "EMS TAC", alert: "STATEWIDE", patched: "LSPD TAC 1" } },
  { name: "heard", about: "muted, followed, with priority, automatically monitored; a target where somebody talks", begin: () => emergency(talk(250, "Priya Nair"), talk(252, "Ranger 3"), talk(251, "Kay Moss"), talk(254, "Marcus Bell")),
    open: { kept: kept({ levels: { [frequency("LSPD DISP")]: { volume: 1, pan: 0, muted: true } } }) },
    reach: async (desk) => {
      await click(desk, `[data-part=unit][aria-label^="Ranger 3"]`);
      await desk.button("Follow").click();
      await escape(desk);
      await desk.page.locator(`${cardOf("BCSO DISP")} [data-part=select]`).focus();
      await press(desk, "p");
      await press(desk, "p");
      await desk.page.evaluate(() => document.activeElement.blur());
    },
    shows: [inState("LSPD DISP", "off", "[data-muted=true]"), inState("PARKS", "rx"), `${cardOf("PARKS")} [data-part=following]`, `${cardOf("FIRE DISP")} .auto`, "[data-part=ptt-target][data-state=heard]"],
    cards: { muted: "LSPD DISP", followed: "PARKS" } },
  { name: "override", about: "this desk talks over another", begin: () => metro({ steps: [talk(253, "Kay Moss")] }), targets: [], reach: async (desk) => {
    await spaceOn(desk, "FIREGROUND");
    await desk.page.locator(inState("FIREGROUND", "busy")).waitFor();
    await desk.page.keyboard.up("Space");
    await desk.page.keyboard.down("Space");
  }, shows: [inState("FIREGROUND", "over"), ptt("TX")], cards: { override: "FIREGROUND" } },
  { name: "tail", about: "released, and the last syllable is still sent", begin: () => metro({ radio: { pttReleaseDelay: 600_000 } }), reach: async (desk) => {
    await key(desk, "F2", "TX");
    await desk.page.keyboard.up("F2");
  }, shows: [ptt("TAIL")] },
  { name: "no-microphone", about: "the console only listens", live: true, open: { microphone: false }, shows: [ptt("NOMIC"), "[data-part=instant-tx]:disabled"] },
  { name: "no-link", about: "what is shown is the last that is known", begin: () => metro({ steps: [talk(250, "Priya Nair"), at(9, "Sam Ortega", "panic"), at(22, other, "acknowledge", { who: id("Sam Ortega") })] }), reach: (desk) => desk.deed({ do: "link", down: 600 }),
    shows: [inState("LSPD DISP", "link"), ptt("NOLINK"), "[data-part=link-strip]"], cards: { "no link": "LSPD DISP" } },
  { name: "no-audio", about: "somebody talks and nothing arrives", begin: () => metro({ steps: [at(240, "Priya Nair", "mute"), talk(250, "Priya Nair"), talk(252, "Dana Whitfield")] }), reach: async (desk) => {
    await desk.run();
    await desk.page.locator(inState("LSPD DISP", "noaudio")).waitFor();
    await desk.hold();
  }, shows: [inState("LSPD DISP", "noaudio"), inState("BCSO DISP", "rx")], cards: { "no audio": "LSPD DISP" } },

  // Emergencies.
  { name: "emergency", about: "raised", begin: () => emergency(talk(250, "Jo Lindqvist")), shows: [slot("unacknowledged"), inState("FIRE DISP", "em")] },
  { name: "answered", about: "the channel is the only target, and the earlier ones can come back", goesOn: true, reach: (desk) => press(desk, "F9"), shows: [slot("acknowledged"), "[data-part=restore]"] },
  { name: "close-form", about: "how an emergency ended", goesOn: true, reach: (desk) => click(desk, "[data-part=emergency-slot] [data-part=close-emergency]"), shows: ["[data-part=drawer][data-state=close] [type=radio]"] },
  { name: "closed", about: "for a minute the card says so", goesOn: true, reach: async (desk) => {
    const form = desk.page.locator("[data-part=drawer]");
    await form.getByRole("radio").first().check();
    await form.locator("[type=submit]").click();
    await desk.deed({ do: "release" }, id("Jo Lindqvist"));
  }, shows: [inState("FIRE DISP", "idle"), `${cardOf("FIRE DISP")} .sub`], cards: { closed: "FIRE DISP" } },
  { name: "not-acknowledged", about: "for 30 seconds", begin: () => metro({ steps: [at(225, "Jo Lindqvist", "panic")] }), shows: [`${slot("unacknowledged")} [data-overdue=true]`] },
  { name: "emergencies", about: "several; those without a slot are in the list", begin: () => metro({ steps: [at(9, "Sam Ortega", "panic"), at(22, other, "acknowledge", { who: id("Sam Ortega") }), at(200, "Dana Whitfield", "panic"), at(247, "Jo Lindqvist", "panic"), at(250, "Ana Ruiz", "panic")] }),
    shows: ["[data-part=emergency-more]:enabled"] },
  { name: "emergency-list", about: "all of them", goesOn: true, reach: (desk) => click(desk, "[data-part=emergency-more]"), shows: ["#all-emergencies li:nth-child(4)"], leave: (desk) => press(desk, "Escape") },
  { name: "ended", about: "the four words for an emergency that is over and not acknowledged", begin: () => metro({ radio: { panicTimeout: 30_000 }, steps: [
    at(200, "Dana Whitfield", "panic"), at(240, "Jo Lindqvist", "panic"), at(245, "Jo Lindqvist", "calm"), at(241, "Ana Ruiz", "panic"), { at: 246, do: "end", who: id("Ana Ruiz") }, at(242, "Sam Ortega", "panic"), at(247, "Sam Ortega", "quit"),
  ] }), shows: [slot("ended"), inState("BCSO DISP", "ended"), inState("FIRE DISP", "ended"), inState("LSPD DISP", "ended"), inState("EMS TAC", "ended")],
    cards: { "ended by a timeout": "BCSO DISP", "ended by the unit": "FIRE DISP", "ended by a script": "LSPD DISP", "the unit left": "EMS TAC" } },

  // The rail.
  { name: "alert", about: "an alert that nobody has acknowledged", begin: () => metro({ steps: [patched, alert] }), shows: ["[data-part=acknowledge-alerts]", `${cardOf("STATEWIDE")} [data-part=alert]`, "[data-part=patch-tag]"] },
  { name: "patches", about: "a patch", goesOn: true, reach: (desk) => tab(desk, "patches"), shows: ["[data-part=patch]"] },
  { name: "groups", about: "a group, as PTT target", goesOn: true, reach: async (desk) => {
    await tab(desk, "groups");
    await click(desk, "[data-part=group] .pt");
  }, shows: ["[data-part=group][data-target=true]"], leave: (desk) => click(desk, "[data-part=group] .pt") },
  { name: "tones-unchosen", about: "no channel is chosen for tones", goesOn: true, reach: (desk) => tab(desk, "tones"), shows: ["[data-part=tone]:disabled"] },
  { name: "tones", about: "a channel is chosen", goesOn: true, reach: (desk) => desk.page.locator(`${rail} select`).selectOption(frequency("FIRE DISP")), shows: ["[data-part=tone]:enabled"] },
  { name: "log-no-match", about: "nothing in the log is as it is searched for", goesOn: true, reach: (desk) => desk.page.locator("[data-part=log] [type=search]").fill("zebra"), shows: ["[data-part=log] .nothing"], leave: (desk) => desk.page.locator("[data-part=log] [type=search]").fill("") },
  { name: "recall-empty", about: "nothing is replayed", goesOn: true, reach: (desk) => tab(desk, "recall"), shows: ["#pane-recall .nothing"], leave: (desk) => tab(desk, "log") },
  { name: "drawer", about: "the other controls of a channel", goesOn: true, reach: async (desk) => {
    await tab(desk, "units");
    await click(desk, `${cardOf("STATEWIDE")} [data-part=more]`);
  }, shows: ["[data-part=drawer][data-state=channel] [data-part=tone]"], leave: (desk) => escape(desk, "[data-part=drawer]") },
  { name: "move", about: "where a unit is moved to", goesOn: true, reach: async (desk) => {
    await desk.page.locator(`[data-part=unit][aria-label^="Ana Ruiz"]`).focus();
    await press(desk, "m");
  }, shows: ["[data-part=move-menu]"], leave: (desk) => escape(desk, "[data-part=move-menu]") },
  { name: "notices", about: "a message, and a move that can be undone", goesOn: true, reach: async (desk) => {
    await desk.deed({ do: "broadcast", message: "Radio check at 15:00 on all channels." }, other);
    await desk.page.locator(`[data-part=unit][aria-label^="Ana Ruiz"]`).focus();
    await press(desk, "m");
    await desk.page.locator("[data-part=move-menu] [role=option], [data-part=move-menu] button").filter({ hasText: "CALLING" }).first().click();
  }, shows: ["[data-part=notice]", "[data-part=undo]"] },
  { name: "recall", about: "what was said is replayed", begin: () => metro({ steps: [talk(260, "Priya Nair", 3), talk(260, "Dana Whitfield", 4)] }), reach: async (desk) => {
    await desk.run();
    await desk.page.waitForFunction(() => globalThis.simulation.view.elapsed > 265_000);
    await desk.hold();
    await click(desk, `${cardOf("LSPD DISP")} [data-part=replay]`);
  }, shows: ["[data-part=recall-player] ol li"] },

  // Without anything.
  { name: "nothing-monitored", about: "Mine is empty", begin: () => metro({ desk: { joined: null, scans: [] } }), open: { kept: kept({ filter: "mine" }) }, targets: [], shows: [".empty button"] },
  { name: "quiet", about: "nobody is on the air and nothing was said", begin: () => metro({ before: [], units: [] }), shows: ["[data-part=log] .nothing"] },
  { name: "quiet-patches", about: "no patch", goesOn: true, reach: (desk) => tab(desk, "patches"), shows: ["#pane-patches .nothing"] },
  { name: "no-channels", about: "the radio has none", begin: () => metro({ before: [], units: [], desk: { joined: null, scans: [] }, radio: { zones: [], announcementGroups: [] } }), targets: [], shows: [".empty"] },

  // The way in.
  { name: "first-microphone", about: "the first run", begin: () => ({ ...rest(), desk: { callsign: "D-1" } }), targets: [], open: { kept: { first: 0 } }, shows: ["[data-part=onboarding][data-step='0'] [data-part=first-verdict]"] },
  { name: "first-key", about: "its second step", goesOn: true, reach: (desk) => click(desk, "[data-part=next]"), shows: ["[data-part=onboarding][data-step='1']"] },
  { name: "first-channels", about: "its third step", goesOn: true, reach: (desk) => click(desk, "[data-part=next]"), shows: ["[data-part=onboarding][data-step='2'] select"] },
  { name: "login", about: "before anything else", signedOut: true, shows: ["[data-part=login] input"] },
  { name: "simulation", about: "the bar of a practice", begin: traffic, open: { bar: true }, shows: ["[data-part=simulation-bar] [data-part=simulated-elapsed]"] },
  { name: "simulation-units", about: "who is on the air in it", goesOn: true, reach: (desk) => desk.bar.button("More").click(), shows: ["[data-part=simulation-sheet]"] },

  // On a phone.
  { name: "phone", about: "channels", phone: true, begin: traffic, second: 254, reach: onAir, shows: [slot("unacknowledged"), ptt("TX"), ".phone-nav"] },
  { name: "phone-rest", about: "nothing is said", phone: true, begin: rest, shows: [".calm", ".phone-nav"] },
  { name: "phone-sheet", about: "the controls of a channel", phone: true, goesOn: true, reach: (desk) => click(desk, `${cardOf("LSPD DISP")} [data-part=band]`), shows: ["[data-part=drawer] [data-part=target]"], leave: (desk) => escape(desk, "[data-part=drawer]") },
  ...["log", "units", "more"].map((name, i) => ({ name: `phone-${name}`, about: `its tab ${name}`, phone: true, goesOn: true, reach: (desk) => desk.page.locator(".phone-nav button").nth(i + 1).click(), shows: [`[data-tab=${name}]`] })),
  { name: "phone-no-link", about: "no link", phone: true, goesOn: true, reach: async (desk) => {
    await desk.page.locator(".phone-nav button").first().click();
    await desk.deed({ do: "link", down: 600 });
  }, shows: [ptt("NOLINK")] },
  { name: "phone-open", about: "an emergency that is open", phone: true, begin: () => metro({ steps: [at(9, "Sam Ortega", "panic"), at(22, other, "acknowledge", { who: id("Sam Ortega") }), alert] }), shows: [slot("acknowledged")] },
];

/** Desk and phone, unless something else is asked for. */
const windows = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** The states of that name, each with those before it on its page. Without names: all of them. */
export function pages(names = []) {
  const all = [];
  for (const s of states) {
    if (s.goesOn) all.at(-1).push(s);
    else all.push([s]);
  }
  if (names.length === 0) return all;
  const cut = (page) => page.slice(0, 1 + page.findLastIndex((s) => names.includes(s.name)));
  return all.map(cut).filter((page) => page.length > 0);
}

/** Opens the page on which a state begins. settings: look, density and language; size: of the window. */
export async function begin(stage, state, { settings = {}, size = windows[state.phone ? "phone" : "desk"], ...context } = {}) {
  const { kept: own = kept(), ...open } = state.open ?? {};
  const how = { ...open, kept: { ...own, settings: { ...own.settings, ...settings } }, context: { viewport: size, reducedMotion: "reduce", ...context } };
  if (state.signedOut) return stage.signedOut(how);
  if (state.live) return stage.live(how);
  const desk = await stage.play(state.begin(), how);
  await desk.to(state.second ?? now);
  // What is fetched right after the console is there, too. A theme may hide it.
  await desk.page.locator("[data-part=clock]").waitFor({ state: "attached" });
  await desk.page.evaluate((all) => all.forEach((f) => document.querySelector(`[data-frequency="${f}"] [data-part=target]`)?.click()), (state.targets ?? (size.width > 640 ? ["CALLING", "FIREGROUND"] : ["LSPD TAC 1", "FIRE DISP"])).map(frequency));
  if (size.width > 640) await desk.page.locator("[data-part=desk] [role=tab]").first().waitFor({ state: "attached" });
  return desk;
}

/** Brings a page, on which a state has begun, into it. */
export async function reach(desk, state) {
  await state.reach?.(desk);
  for (const what of state.shows) await desk.page.locator(what).first().waitFor({ state: "attached" });
}
