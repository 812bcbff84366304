// Every state of the console, as themes have to draw it. A scene is a pure function over
// the demo radio: nothing is behind it.

import type { Text } from "../../simulation/text";
import type { DialogName, State } from "../../state/state";
import { ago, at, county, me, moment, nothing, other, unit, withChannels } from "./county";
import {
  alert, all, type Change, denied, desk, emergency, emergencyId, keys, level, monitored, notice, onAir, patch, screen, session, silence, sound, talker, talks,
  targets, voice,
} from "./deeds";

/** The sections of the lab, in its order. */
export const groups = ["cards", "ptt", "emergency", "alert", "link", "rail", "dialog", "amount", "start", "phone"] as const;
export type Group = (typeof groups)[number];

export interface Scene {
  /** Of its address and its link. */
  readonly name: string;
  readonly group: Group;
  /** What it shows. */
  readonly about: Text;
  /** It is a phone's: its frame is as narrow as one. */
  readonly phone?: true;
  /** Whether nothing asks for attention: what is colourful then says something that is not so. */
  readonly rest?: true;
  readonly make: Change;
}

const scene = (group: Group, name: string, en: string, de: string, ...changes: Change[]): Scene => ({ group, name, about: { en, de }, make: all(...changes) });

const onEmsDisp = onAir(["EMS DISP"], 7);
const patched = patch("Patch 1", ["LSPD TAC 1", "BCSO TAC"]);
const traffic = all(
  emergency("Sam Ortega", { raised: 252, acknowledged: 239 }), patched, alert("STATEWIDE", "SIGNAL 3"), emergency("Jo Lindqvist", { raised: 14 }),
  talks("Jo Lindqvist", 13), talks("Priya Nair", 12), talks("Kay Moss", 8), talks("Omar Haddad", 5), talks("Dana Whitfield", 3),
);
const lost = session({ connected: false, health: "disconnected", roundTrip: null });

/** All of them, in the order of their sections. */
export const allScenes: readonly Scene[] = [
  { ...scene("cards", "rest", "Nothing is said", "Nichts wird gesagt"), rest: true },
  scene("cards", "cards", "Every state of a card, one beside the other", "Alle Zustände einer Karte nebeneinander",
    talks("Priya Nair", 12), talks("Omar Haddad", 5), talks("Dana Whitfield", 3), sound({ faults: [{ serverId: unit("Dana Whitfield").id, frequency: at["BCSO DISP"], since: ago(2) }] }),
    emergency("Jo Lindqvist", { raised: 14 }), emergency("Kay Moss", { raised: 252, acknowledged: 239 }), emergency("Sam Ortega", { raised: 90, ended: ["unit", 30] }),
    talks("Lee Park", 9), talks("Air 1", 11),
    targets("EMS DISP", "BCSO TAC", "CALLING", "STATEWIDE", "AIR SUPPORT", "PARKS"),
    onAir(["EMS DISP", "CALLING", "AIR SUPPORT"], 7, { override: true, asked: [at["PARKS"]], denials: [denied("BCSO TAC", "busy", unit("Lee Park").id), denied("STATEWIDE", "No permission")] }),
    talks("Engine 7", 2),
  ),
  scene("cards", "traffic", "A busy shift: voice, an emergency, one that is open, an alert, a patch, and this desk on the air",
    "Viel los: Sprache, ein Notruf, ein offener, ein Alarm, eine Schaltung, und dieser Platz sendet", traffic, onAir(["EMS DISP", "CALLING"], 7, { denials: [denied("FIREGROUND", "busy", unit("Kay Moss").id)] })),
  scene("cards", "marks", "Marks: priority, muted, followed, patched, alert, automatically monitored, listen only",
    "Merkmale: Vorrang, stumm, verfolgt, geschaltet, Alarm, automatisch mitgehört, nur hören",
    monitored("BCSO DISP", 1), monitored("LSPD TAC 1", 2), level("LSPD DISP", { muted: true }), talks("Priya Nair", 12), desk({ follows: [unit("Ranger 3").id] }), talks("Ranger 3", 6),
    patched, alert("STATEWIDE", "SIGNAL 3"), emergency("Jo Lindqvist", { raised: 120, acknowledged: 60 }), monitored("WEATHER", 0)),

  scene("ptt", "requested", "Asked for, not yet answered", "Angefordert, noch keine Antwort", keys({ state: "REQUESTED", asked: [at["EMS DISP"], at["CALLING"], at["FIREGROUND"]] })),
  scene("ptt", "tx", "On the air on all targets", "Auf Sendung auf allen Zielen", onAir(["EMS DISP", "CALLING", "FIREGROUND"], 7)),
  scene("ptt", "partly", "On the air on two of three, the third is busy", "Auf Sendung auf zwei von drei, der dritte ist besetzt",
    talks("Kay Moss", 20), onAir(["EMS DISP", "CALLING"], 7, { denials: [denied("FIREGROUND", "busy", unit("Kay Moss").id)] })),
  scene("ptt", "tail", "Released, and the last syllable is still sent", "Losgelassen, die letzte Silbe wird noch gesendet", onAir(["EMS DISP"], 7, { state: "TAIL" }), targets("EMS DISP")),
  scene("ptt", "denied", "Denied: no answer, and no permission", "Abgelehnt: keine Antwort, und keine Erlaubnis",
    keys({ state: "DENIED", denials: [denied("EMS DISP", "no answer"), denied("CALLING", "No permission")] }), targets("EMS DISP", "CALLING")),
  scene("ptt", "busy", "Busy: somebody else talks", "Besetzt: jemand anderes spricht", talks("Kay Moss", 20), targets("FIREGROUND"),
    keys({ state: "DENIED", denials: [denied("FIREGROUND", "busy", unit("Kay Moss").id)] })),
  scene("ptt", "latched", "One press keys, the next releases", "Ein Druck schaltet ein, der nächste aus", (s) => desk({ settings: { ...s.desk.settings, latch: true } })(s), onAir(["EMS DISP"], 67, { latched: true }), targets("EMS DISP")),
  scene("ptt", "override", "This desk talks over another", "Dieser Platz spricht über einen anderen", talks("Kay Moss", 20), onAir(["FIREGROUND"], 4, { override: true, target: { kind: "channel", frequency: at["FIREGROUND"] } })),
  scene("ptt", "overridden", "Another dispatcher talks over this desk", "Ein anderer Platz spricht über diesen", onEmsDisp, talker(other, "EMS DISP", 2), targets("EMS DISP")),
  scene("ptt", "group", "An announcement group takes the targets' place", "Eine Durchsagegruppe tritt an die Stelle der Ziele", desk({ group: "all" }), screen({ desk: "groups" })),
  scene("ptt", "patched", "On the air on a patch: each of its channels has a chip", "Auf Sendung auf einer Schaltung: jeder ihrer Kanäle hat ein Feld",
    patched, targets("LSPD TAC 1"), onAir(["LSPD TAC 1"], 7), talker(me, "BCSO TAC", 7)),
  scene("ptt", "no-target", "Nothing is keyed", "Kein Ziel gewählt", targets()),
  scene("ptt", "no-microphone", "No microphone: the console only listens", "Kein Mikrofon: es wird nur gehört", voice({ micReady: false, noMicrophone: "missing" })),

  scene("emergency", "emergency", "Raised", "Ausgelöst", emergency("Jo Lindqvist", { raised: 14 }), talks("Jo Lindqvist", 12), sound({ alarm: "on" })),
  scene("emergency", "not-acknowledged", "Nobody has acknowledged it for 30 seconds", "30 Sekunden lang nicht quittiert", emergency("Jo Lindqvist", { raised: 36 }), sound({ alarm: "loud" })),
  scene("emergency", "acknowledged", "Acknowledged, and open", "Quittiert, und offen", emergency("Jo Lindqvist", { raised: 90, acknowledged: 70 })),
  scene("emergency", "answered", "Answered: its channel is the only target, and the earlier ones can come back", "Angenommen: ihr Kanal ist das einzige Ziel, die früheren können zurückkommen",
    emergency("Jo Lindqvist", { raised: 90, acknowledged: 70 }), targets("FIRE DISP"), desk({ restore: { targets: [at["EMS DISP"], at["CALLING"], at["FIREGROUND"]], group: null } })),
  ...([["unit", "by the unit", "von der Einheit"], ["timeout", "by a timeout", "durch Zeitablauf"], ["script", "by a script", "durch ein Skript"], ["disconnect", "because the unit has left", "weil die Einheit gegangen ist"]] as const).map(([by, en, de]) =>
    scene("emergency", `ended-${by}`, `Ended ${en}, and not acknowledged`, `Beendet ${de}, und nicht quittiert`, emergency("Jo Lindqvist", { raised: 90, ended: [by, 20] }), sound({ alarm: "loud" }))),
  scene("emergency", "two", "Two: each in its place in the lane", "Zwei: jeder an seinem Platz in der Leiste", emergency("Sam Ortega", { raised: 252, acknowledged: 239 }), emergency("Jo Lindqvist", { raised: 14 }), sound({ alarm: "on" })),
  scene("emergency", "many", "More than the lane has room for", "Mehr, als die Leiste Platz hat", emergency("Sam Ortega", { raised: 252, acknowledged: 239 }), emergency("Dana Whitfield", { raised: 61, ended: ["unit", 9] }),
    emergency("Jo Lindqvist", { raised: 14 }), emergency("Ana Ruiz", { raised: 11 }), emergency("Ranger 3", { raised: 5 }), sound({ alarm: "loud" })),
  scene("emergency", "close", "How an emergency ended is asked", "Gefragt wird, wie ein Notruf endete", emergency("Jo Lindqvist", { raised: 90, acknowledged: 70 }), screen({ drawer: { kind: "close", emergency: emergencyId("Jo Lindqvist") } })),
  scene("emergency", "closed", "For a minute the card says that its emergency was closed", "Eine Minute lang sagt die Karte, dass ihr Notruf abgeschlossen ist", emergency("Jo Lindqvist", { raised: 90, acknowledged: 70, closed: 12 })),

  scene("alert", "alerts", "Every alert of this radio, in its colour; one of them acknowledged", "Alle Alarme dieses Funks, in ihrer Farbe; einer davon quittiert",
    alert("LSPD DISP", "SIGNAL 100"), alert("BCSO DISP", "HOLD THE AIR"), alert("FIRE DISP", "EVACUATE"), alert("CALLING", "NO COLOUR"), alert("STATEWIDE", "SIGNAL 3", true), alert("PARKS", "SIGNAL 3")),
  scene("alert", "alert", "One alert that nobody has acknowledged", "Ein Alarm, den niemand quittiert hat", alert("STATEWIDE", "SIGNAL 3")),
  scene("alert", "notices", "Notices: a message, an alert that passes, one to a unit, an acknowledgement, a fault, and a move that can be undone",
    "Meldungen: eine Nachricht, ein Alarm, der vergeht, eine an eine Einheit, eine Quittung, ein Fehler, und eine Umsetzung, die zurückgenommen werden kann",
    notice("broadcast", "General Alert", "Radio check at 15:00 on all channels."), notice("oneshot", "Ping", "", { frequency: at["LSPD DISP"], color: "#0049d1" }),
    notice("user", "Ana Ruiz", "Call the desk.", { frequency: at["LSPD DISP"] }), notice("info", "Jo Lindqvist", "acknowledged", { frequency: at["FIRE DISP"] }), notice("fault", "CALLING", "No permission", { by: "" }),
    screen({ undo: { unit: unit("Ana Ruiz").id, to: at["CALLING"], from: at["LSPD DISP"] } })),

  scene("link", "no-link", "No link: what is shown is the last that is known", "Keine Verbindung: gezeigt wird, was zuletzt bekannt war", talks("Priya Nair", 12), emergency("Sam Ortega", { raised: 252, acknowledged: 239 }), lost),
  scene("link", "no-link-emergency", "No link, and an emergency that nobody has acknowledged", "Keine Verbindung, und ein Notruf, den niemand quittiert hat", emergency("Jo Lindqvist", { raised: 14 }), sound({ alarm: "on" }), lost),
  scene("link", "stale", "The service has not answered for five seconds", "Der Dienst hat fünf Sekunden lang nicht geantwortet", session({ health: "stale" })),
  scene("link", "barred", "The service refuses this console", "Der Dienst lässt diesen Platz nicht zu", lost, session({ barred: { code: "full", error: "The radio is full", until: moment + 60_000 } })),
  scene("link", "degraded", "The service cannot store anything", "Der Dienst kann nichts speichern", session({ degraded: "no space left on device" })),
  scene("link", "no-audio", "Somebody talks and nothing arrives; for another there is no room", "Jemand spricht und nichts kommt an; für einen anderen ist kein Platz", talks("Priya Nair", 12), talks("Dana Whitfield", 3), talks("Kay Moss", 4),
    sound({ faults: [{ serverId: unit("Priya Nair").id, frequency: at["LSPD DISP"], since: ago(10) }], waiting: [{ serverId: unit("Kay Moss").id, frequency: at["FIREGROUND"] }] })),
  scene("link", "sound-off", "Sound is off until the page is touched", "Der Ton ist aus, bis die Seite berührt wird", talks("Priya Nair", 12), sound({ off: "click", unsent: true })),
  scene("link", "voice-socket", "Voice takes the way around, and some of it is lost", "Die Sprache nimmt den Umweg, und manches geht verloren", talks("Priya Nair", 12), voice({ plane: "socket", reason: "blocked", loss: 0.04 })),
  scene("link", "voice-none", "There is no way for voice", "Es gibt keinen Weg für Sprache", talks("Priya Nair", 12), voice({ plane: "none", reason: "no-codec" })),

  scene("rail", "patches", "Patches", "Schaltungen", patched, patch("Fire and medics", ["FIREGROUND", "EMS TAC", "EMS DISP"]), screen({ desk: "patches" })),
  scene("rail", "tones", "Tones, and the channel that they are sent on", "Töne, und der Kanal, auf dem sie gesendet werden", screen({ desk: "tones", toneOn: at["FIRE DISP"] })),
  scene("rail", "tones-unchosen", "No channel is chosen for tones", "Für Töne ist kein Kanal gewählt", screen({ desk: "tones" })),
  scene("rail", "log", "Every kind of entry in the log", "Jede Art von Eintrag im Protokoll", traffic, emergency("Ana Ruiz", { raised: 200, acknowledged: 190, ended: ["script", 180], closed: 120 }), (s) => ({
    ...s,
    radio: { ...s.radio, entries: [
      { id: "text-15", what: "text", at: ago(20), serverId: unit("Ana Ruiz").id, name: "Ana Ruiz", frequency: at["LSPD DISP"], by: me, byName: "D-1", detail: "Call the desk." },
      { id: "broadcast", what: "broadcast", at: ago(25), serverId: null, name: "", frequency: null, by: other, byName: "D-2", detail: "Radio check at 15:00." },
      { id: "patch-on", what: "patchOn", at: ago(62), serverId: null, name: "Patch 1", frequency: null, by: other, byName: "D-2", detail: `${at["LSPD TAC 1"]} ${at["BCSO TAC"]}` },
      { id: "gone-30", what: "disconnected", at: ago(66), serverId: 30, name: "Max Ode", frequency: null, by: 0, byName: "", detail: "" },
      ...s.radio.entries,
    ] },
  }), onEmsDisp),
  scene("rail", "log-no-match", "Nothing in the log is as it is searched for", "Nichts im Protokoll passt zur Suche", screen({ filter: "zebra" })),
  scene("rail", "drawer", "The other controls of a channel", "Die übrigen Bedienelemente eines Kanals", alert("STATEWIDE", "SIGNAL 3"), screen({ drawer: { kind: "channel", frequency: at["STATEWIDE"] } })),
  scene("rail", "recall", "What was said is replayed", "Gesagtes wird wiedergegeben", screen({ rail: "recall" }), sound({ recall: {
    channel: at["LSPD DISP"], seconds: 30, index: 1, first: 0, playing: true, interrupted: false,
    bursts: [
      { channel: at["LSPD DISP"], talker: unit("Ana Ruiz").id, at: ago(29), length: 4 },
      { channel: at["LSPD DISP"], talker: unit("Priya Nair").id, at: ago(24), length: 3 },
      { channel: at["LSPD DISP"], talker: unit("Ana Ruiz").id, at: ago(20), length: 2 },
    ],
  } })),
  scene("rail", "recall-empty", "Nothing is replayed", "Nichts wird wiedergegeben", silence, screen({ rail: "recall" })),

  ...([
    ["settings", "Settings", "Einstellungen", {}], ["keys", "The keys of the console", "Die Tasten der Konsole", {}], ["palette", "Commands by name", "Befehle beim Namen", {}],
    ["patch", "Channels that are patched", "Kanäle, die zusammengeschaltet werden", {}], ["broadcast", "A message to everybody", "Eine Nachricht an alle", {}],
    ["unit", "What can be done with a unit", "Was mit einer Einheit getan werden kann", { id: unit("Ana Ruiz").id }],
  ] as [DialogName, string, string, object][]).map(([name, en, de, about]) =>
    scene("dialog", name, en, de, patched, screen({ dialog: { name, ...about } }))),

  scene("amount", "no-channels", "The radio has none", "Der Funk hat keine", (s) => withChannels(s, 0)),
  scene("amount", "one-channel", "One channel", "Ein Kanal", (s) => withChannels(s, 1)),
  scene("amount", "many-channels", "160 channels in eight zones, on 24 of which somebody talks", "160 Kanäle in acht Zonen, auf 24 wird gesprochen", crowd),
  scene("amount", "nothing-monitored", "Nothing is monitored, and only that is asked for", "Nichts wird mitgehört, und nur danach ist gefragt", desk({ joined: null, selected: [], scans: {}, filter: "mine" })),
  scene("amount", "quiet", "Nobody is on the air, and nothing was said", "Niemand ist da, und nichts wurde gesagt", silence, (s) => ({ ...s, radio: { ...s.radio, live: {}, users: {} } })),
  scene("amount", "long-names", "Names as long as they may be", "So lange Namen wie erlaubt", long, talks("Priya Nair", 754), emergency("Jo Lindqvist", { raised: 14 }), onAir(["EMS DISP"], 3671)),
  scene("amount", "edit-layout", "Cards are moved", "Karten werden verschoben", (s) => screen({ editing: s.radio.zones.flatMap((z) => z.channels.map((c) => c.frequency)) })(s)),

  scene("start", "first-microphone", "The first run: microphone", "Der erste Start: Mikrofon", firstRun(0)),
  scene("start", "first-key", "The first run: push-to-talk", "Der erste Start: Sprechtaste", firstRun(1)),
  scene("start", "first-channels", "The first run: channels", "Der erste Start: Kanäle", firstRun(2)),
  scene("start", "login", "Before anything else", "Vor allem anderen", (s) => ({ ...nothing, desk: s.desk, session: { ...nothing.session, phase: "login", serverName: s.session.serverName, error: "" } })),
  scene("start", "login-refused", "An access code that is wrong", "Ein falscher Zugangscode", (s) => ({ ...nothing, desk: s.desk, session: { ...nothing.session, phase: "login", serverName: s.session.serverName, error: "Wrong access code" } })),

  ...([
    ["phone", "A busy shift on a phone", "Viel los am Telefon", traffic, onEmsDisp],
    ["phone-rest", "A phone on which nothing is said", "Ein Telefon, auf dem nichts gesagt wird"],
    ["phone-sheet", "The controls of a channel on a phone", "Die Bedienelemente eines Kanals am Telefon", screen({ drawer: { kind: "channel", frequency: at["LSPD DISP"] } })],
    ["phone-log", "The log on a phone", "Das Protokoll am Telefon", screen({ tab: "log" })],
    ["phone-units", "The units on a phone", "Die Einheiten am Telefon", screen({ tab: "units" })],
    ["phone-more", "More, on a phone", "Mehr, am Telefon", screen({ tab: "more" })],
    ["phone-no-link", "No link on a phone", "Keine Verbindung am Telefon", lost],
  ] as [string, string, string, ...Change[]][]).map(([name, en, de, ...changes]) => ({ ...scene("phone", name, en, de, ...changes), phone: true as const })),
];

export const sceneOf = (name: string): Scene | undefined => allScenes.find((s) => s.name === name);

/** The county as a scene shows it. */
export const stateOf = (scene: Scene, settings: Partial<State["desk"]["settings"]>): State =>
  scene.make({ ...county, desk: { ...county.desk, settings: { ...county.desk.settings, ...settings } } });

function firstRun(first: 0 | 1 | 2): Change {
  return desk({ joined: null, selected: [], scans: {}, first });
}

function crowd(s: State): State {
  const there = withChannels(s, 160);
  const live = { ...there.radio.live };
  const users = { ...there.radio.users };
  Object.values(live).filter((_, i) => i % 7 === 3).slice(0, 24).forEach((l, i) => {
    const id = 100 + i;
    users[id] = { id, name: `Unit ${i + 1}`, nacId: null, unitId: `U-${i + 1}`, callsign: null };
    live[l.frequency] = { ...l, speakers: [...l.speakers, id], talkers: [{ id, since: ago(4 + i) }] };
  });
  return { ...there, radio: { ...there.radio, live, users } };
}

/** A radio whose people and channels have long names. */
function long(s: State): State {
  const channels = Object.fromEntries(Object.entries(s.radio.channels).map(([f, c]) => [f, { ...c, name: `${c.name} – mutual aid and special events` }]));
  const users = Object.fromEntries(Object.entries(s.radio.users).map(([id, u]) => [id, { ...u, name: `${u.name}-Featherstonehaugh of Los Santos`, unitId: u.unitId && `${u.unitId}-SPECIAL` }]));
  const zones = s.radio.zones.map((z) => ({ ...z, name: `${z.name} and its surroundings`, channels: z.channels.map((c) => channels[c.frequency]!) }));
  return { ...s, radio: { ...s.radio, channels, users, zones } };
}
