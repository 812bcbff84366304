// How dispatchers say what they want, in English and German: a verb, and what it is
// about. Both languages are always understood.

import type { Language } from "../state/desk";

/** What a blank in a sentence is filled with. */
export type Slot = "channel" | "channels" | "unit" | "alert" | "tone" | "group" | "patch" | "zone" | "layout" | "theme" | "emergency" | "text" | "seconds" | "percent" | "choice";

export interface Verb {
  action: string;
  /** Beginnings of the sentence, in lower case; they may also be its end, as in German. The palette writes the first. */
  said: Record<Language, readonly string[]>;
  /** The blanks, in the order in which they are said. Each is an argument of that name. */
  slots: readonly { slot: Slot; arg: string; optional?: true }[];
  /** Words between two blanks, or before one. The palette writes the first. */
  joins?: Record<Language, readonly string[]>;
  /** Arguments that the verb itself says. */
  args?: Record<string, unknown>;
  /** Choices: what is said for each word, beside the word itself. */
  words?: Record<string, readonly string[]>;
}

const channel = { slot: "channel", arg: "channel" } as const;
const unit = { slot: "unit", arg: "unit" } as const;
const text = { slot: "text", arg: "text" } as const;
const emergency = { slot: "emergency", arg: "emergency" } as const;
const on = { en: ["on", "to", "for"], de: ["auf", "an", "für", "zu", "in"] };
const of = { en: ["of", "on", "to", "for"], de: ["von", "auf", "für", "an", ":"] };
const to = { en: ["to", "→", "->"], de: ["auf", "nach", "zu", "in"] };
const from = { en: ["of", "from"], de: ["notruf von", "von"] };

/** The order is the order in which equal results are shown. */
export const verbs: readonly Verb[] = [
  { action: "emergency.answer", said: { en: ["answer", "take emergency"], de: ["notruf annehmen", "annehmen", "antworte"] }, slots: [{ ...emergency, optional: true }], joins: from },
  { action: "emergency.acknowledge", said: { en: ["acknowledge emergency", "ack"], de: ["notruf quittieren", "quittieren", "quittiere"] }, slots: [{ ...emergency, optional: true }], joins: from },
  { action: "emergency.list", said: { en: ["emergencies", "open emergencies", "show all open emergencies"], de: ["notrufe", "offene notrufe", "alle offenen notrufe anzeigen"] }, slots: [] },
  { action: "emergency.ask-close", said: { en: ["close emergency", "close"], de: ["notruf abschließen", "abschließen", "notruf schließen"] }, slots: [emergency], joins: from },
  { action: "talk.here", said: { en: ["talk", "speak", "talk here"], de: ["sprich", "sprechen", "rede"] }, slots: [channel], joins: on },
  { action: "channel.show", said: { en: ["show", "go", "go to", "find"], de: ["zeige", "zeigen", "gehe"] }, slots: [channel], joins: on },
  { action: "monitor.on", said: { en: ["monitor", "listen", "scan"], de: ["mithören", "höre", "hören"] }, slots: [channel], joins: on },
  { action: "monitor.off", said: { en: ["stop monitoring", "unmonitor", "stop listening"], de: ["nicht mithören", "nicht mehr mithören"] }, slots: [channel], joins: on },
  { action: "monitor.priority", said: { en: ["priority"], de: ["priorität"] }, slots: [channel, { slot: "choice", arg: "priority", optional: true }], joins: of },
  { action: "target.add", said: { en: ["add target", "add"], de: ["sprechziel", "als sprechziel hinzufügen", "als sprechziel", "ziel"] }, slots: [channel], joins: on },
  { action: "target.remove", said: { en: ["remove target", "remove"], de: ["entferne", "aus sprechzielen entfernen", "entfernen"] }, slots: [channel], joins: { en: ["from"], de: ["aus"] } },
  { action: "target.clear", said: { en: ["clear targets"], de: ["sprechziele löschen", "keine sprechziele"] }, slots: [] },
  { action: "channel.mute", said: { en: ["mute"], de: ["stumm", "stumm schalten", "stummschalten"] }, slots: [channel], args: { muted: true } },
  { action: "channel.mute", said: { en: ["unmute"], de: ["nicht stumm", "nicht mehr stumm schalten", "laut"] }, slots: [channel], args: { muted: false } },
  { action: "channel.volume", said: { en: ["volume"], de: ["lautstärke"] }, slots: [channel, { slot: "percent", arg: "percent" }], joins: of },
  { action: "channel.drawer", said: { en: ["controls", "more"], de: ["funktionen", "bedienung", "mehr"] }, slots: [channel], joins: of },
  { action: "recall.play", said: { en: ["replay", "recall"], de: ["nachhören", "wiederhole", "wiederholen"] }, slots: [{ ...channel, optional: true }, { slot: "seconds", arg: "seconds", optional: true }], joins: { en: ["last", ...on.en], de: ["letzte", "letzten funkspruch auf", ...on.de] } },
  { action: "recall.stop", said: { en: ["stop replay"], de: ["nachhören beenden"] }, slots: [] },
  { action: "unit.move", said: { en: ["move", "switch", "send"], de: ["schalte", "schalten", "umschalten", "verlege", "verlegen", "verschiebe", "verschieben", "schicke"] }, slots: [unit, channel], joins: to },
  { action: "unit.text", said: { en: ["text", "message", "tell"], de: ["schreibe", "schreiben", "nachricht", "sage"] }, slots: [unit, text], joins: { en: [":"], de: [":"] } },
  { action: "unit.open", said: { en: ["unit", "open"], de: ["einheit", "öffne"] }, slots: [unit] },
  { action: "unit.follow", said: { en: ["follow"], de: ["folge", "folgen"] }, slots: [unit] },
  { action: "unit.unfollow", said: { en: ["unfollow", "stop following"], de: ["nicht folgen", "nicht mehr folgen"] }, slots: [unit] },
  { action: "unit.callsign", said: { en: ["rename", "callsign of"], de: ["rufname von", "umbenennen"] }, slots: [unit, { slot: "text", arg: "callsign" }], joins: { en: ["to", ":", "as"], de: [":", "in", "als"] } },
  { action: "unit.panic", said: { en: ["raise emergency", "emergency for", "panic"], de: ["notruf auslösen", "notruf für"] }, slots: [unit], joins: { en: ["for"], de: ["für"] } },
  { action: "unit.disconnect", said: { en: ["disconnect", "kick"], de: ["trenne", "trennen"] }, slots: [unit] },
  { action: "alert.raise", said: { en: ["alert", "raise"], de: ["alarm", "alarmiere", "auslösen"] }, slots: [{ slot: "alert", arg: "alert" }, channel], joins: on },
  { action: "alert.clear", said: { en: ["clear alert", "clear"], de: ["alarm aufheben", "aufheben", "alarm beenden", "entwarnung"] }, slots: [channel], joins: { en: on.en, de: [...on.de, "alarm auf"] } },
  { action: "alert.acknowledge-all", said: { en: ["acknowledge all", "acknowledge all alerts", "acknowledge alerts"], de: ["alle alarme quittieren", "alarme quittieren"] }, slots: [] },
  { action: "tone.send", said: { en: ["tone", "page", "play tone"], de: ["ton", "tonruf", "sende", "senden"] }, slots: [{ slot: "tone", arg: "tone" }, channel], joins: on },
  { action: "patch.create", said: { en: ["patch", "connect", "join"], de: ["kopple", "koppeln", "verbinde", "verbinden", "zusammenschalten"] }, slots: [{ slot: "channels", arg: "channels" }], joins: { en: ["and", "with", "to", "+", "&", ","], de: ["und", "mit"] } },
  { action: "patch.end", said: { en: ["end patch", "unpatch", "remove patch"], de: ["kopplung beenden", "beenden", "entkopple"] }, slots: [{ slot: "patch", arg: "patch" }], joins: { en: [], de: ["kopplung"] } },
  { action: "patch.open", said: { en: ["new patch"], de: ["neue kopplung"] }, slots: [] },
  { action: "group.arm", said: { en: ["group", "arm"], de: ["gruppe", "als sprechziel"] }, slots: [{ slot: "group", arg: "group" }], joins: { en: [], de: ["gruppe"] } },
  { action: "group.disarm", said: { en: ["disarm", "stop using group"], de: ["keine gruppe"] }, slots: [] },
  { action: "broadcast.open", said: { en: ["broadcast"], de: ["rundnachricht", "rundspruch", "rundruf"] }, slots: [{ ...channel, optional: true }], joins: on },
  { action: "broadcast.send", said: { en: ["broadcast:", "announce"], de: ["rundnachricht:", "rundspruch:", "rundruf:", "durchsage"] }, slots: [text] },
  { action: "zone.show", said: { en: ["zone"], de: ["zone"] }, slots: [{ slot: "zone", arg: "zone" }] },
  {
    action: "filter.set", said: { en: ["filter", "show"], de: ["filter", "zeige"] }, slots: [{ slot: "choice", arg: "filter" }],
    words: { mine: ["meine"], active: ["aktive"], all: ["all channels", "alle"] },
  },
  { action: "layout.use", said: { en: ["layout", "use layout"], de: ["layout"] }, slots: [{ slot: "layout", arg: "layout" }] },
  { action: "layout.save", said: { en: ["save layout"], de: ["layout speichern"] }, slots: [{ slot: "text", arg: "name" }], joins: { en: ["as"], de: ["als"] } },
  { action: "zoom.fit", said: { en: ["zoom fit", "fit to screen"], de: ["zoom anpassen", "an bildschirm anpassen"] }, slots: [] },
  { action: "zoom.larger", said: { en: ["larger", "zoom in"], de: ["vergrößern", "größer"] }, slots: [] },
  { action: "zoom.smaller", said: { en: ["smaller", "zoom out"], de: ["verkleinern", "kleiner"] }, slots: [] },
  { action: "zoom.set", said: { en: ["zoom"], de: ["zoom"] }, slots: [{ slot: "percent", arg: "percent" }] },
  { action: "emergency.restore", said: { en: ["return to targets", "restore targets"], de: ["zurück zu den sprechzielen"] }, slots: [] },
  { action: "latch.toggle", said: { en: ["latch"], de: ["einrasten", "sprechtaste einrasten"] }, slots: [] },
  { action: "look.set", said: { en: ["look"], de: ["farbschema", "aussehen"] }, slots: [{ slot: "choice", arg: "look" }], words: { night: ["nacht"], day: ["tag"], contrast: ["high contrast", "kontrast"], lcd: ["retro"] } },
  { action: "theme.set", said: { en: ["theme", "use theme"], de: ["theme", "thema"] }, slots: [{ slot: "theme", arg: "theme" }] },
  { action: "theme.set", said: { en: ["no theme", "without theme"], de: ["kein theme", "ohne theme"] }, slots: [], args: { theme: "" } },
  { action: "density.set", said: { en: ["density"], de: ["dichte"] }, slots: [{ slot: "choice", arg: "density" }], words: { comfortable: ["locker", "bequem"], compact: ["kompakt"], dense: ["dicht"] } },
  { action: "language.set", said: { en: ["language"], de: ["sprache"] }, slots: [{ slot: "choice", arg: "language" }], words: { en: ["english", "englisch"], de: ["german", "deutsch"] } },
  { action: "language.set", said: { en: ["english"], de: ["englisch"] }, slots: [], args: { language: "en" } },
  { action: "language.set", said: { en: ["german"], de: ["deutsch"] }, slots: [], args: { language: "de" } },
  { action: "callsign.set", said: { en: ["my callsign", "callsign"], de: ["mein rufname", "rufname"] }, slots: [{ slot: "text", arg: "callsign" }], joins: { en: [":", "is"], de: [":", "ist"] } },
  { action: "settings.open", said: { en: ["settings"], de: ["einstellungen"] }, slots: [] },
  { action: "incident.open", said: { en: ["incident review", "timeline", "export recordings", "recordings"], de: ["einsatz nachvollziehen", "zeitleiste", "aufzeichnungen", "nachvollziehen"] }, slots: [] },
  { action: "incident.close", said: { en: ["close incident review"], de: ["nachvollziehen beenden"] }, slots: [] },
  { action: "keys.open", said: { en: ["keyboard shortcuts", "shortcuts", "keys"], de: ["tastenbelegung", "tastenkürzel", "tasten", "hilfe"] }, slots: [] },
  { action: "logout", said: { en: ["sign out", "log out", "logout"], de: ["abmelden"] }, slots: [] },
];
