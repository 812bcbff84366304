import { refusal } from "../action/registry";
import type { Args } from "../action/schema";
import type { Ports } from "../ports";
import type { Language } from "../state/desk";
import { openEmergencies } from "../state/emergency";
import { best, plain, type Things } from "./find";
import { labelOf } from "./label";
import { begin, fill } from "./sentence";
import { type Verb, verbs } from "./verbs";

/** One line of the palette. */
export interface Suggestion {
  label: string;
  action: string;
  args: Args;
  /** What to write into the field, because something is still to be chosen; null: it can be done. */
  more: string | null;
}

interface Ranked extends Suggestion {
  rank: number;
}

/** How many lines the palette shows, and how many a verb may fill. */
const most = 12;
const ofVerb = 6;

/** What the dispatcher may mean, the likeliest first. */
export function suggest(p: Ports, things: Things, typed: string): Suggestion[] {
  const text = typed.normalize("NFC").trimStart();
  const found = plain(text).trim() === "" ? usual(p) : [...ofVerbs(p, things, text), ...ofThings(p, things, plain(text).trim()), ...ofLabels(p, plain(text).trim())];
  const seen = new Set<string>();
  const out: Suggestion[] = [];
  for (const { rank: _, ...s } of found.sort((a, b) => b.rank - a.rank)) {
    const key = JSON.stringify([s.action, s.args]);
    if (seen.has(key) || (s.more === null && refusal(p, s.action, s.args))) continue;
    seen.add(key);
    out.push(s);
    if (out.length === most) break;
  }
  return out;
}

const suggestion = (p: Ports, action: string, args: Args, rank: number, more: string | null = null): Ranked => ({
  label: labelOf(p, action, args), action, args, more, rank,
});

/** Sentences that begin with a verb, or in German end with it. */
function ofVerbs(p: Ports, things: Things, text: string): Ranked[] {
  return verbs.flatMap((verb, order) =>
    heard(verb, text, p.store.now.desk.settings.language).flatMap(({ said, language, rest, whole }) =>
      fill(verb, { text: said, language }, rest, things)
        .slice(0, ofVerb)
        .map((f, i) => {
          // A verb that was said in full comes before one that may yet be meant.
          const rank = (whole ? 1000 + said.length : 300) + f.rank - (f.more === null ? 0 : 20) - i / 10 - order / 1000;
          return suggestion(p, verb.action, { ...verb.args, ...f.args }, rank, f.more);
        }),
    ),
  );
}

interface Heard {
  /** As the palette writes it. */
  said: string;
  language: Language;
  rest: string;
  /** The verb was said in full. */
  whole: boolean;
}

/** How the sentence says this verb; the longest way counts, and of two equal ones that in the dispatcher's language. */
function heard(verb: Verb, text: string, own: Language): Heard[] {
  const low = plain(text);
  const ways: Heard[] = [];
  const all = (Object.keys(verb.said) as Language[]).sort((a, b) => Number(b === own) - Number(a === own));
  for (const { said, language } of all.flatMap((language) => verb.said[language].map((said) => ({ said, language })))) {
    const v = plain(said);
    if (low === v || low.startsWith(v.endsWith(":") ? v : `${v} `)) ways.push({ said, language, rest: text.slice(v.length), whole: true });
    else if (low.trimEnd().length > 1 && v.startsWith(low.trimEnd())) ways.push({ said, language, rest: "", whole: false });
    else if (low.trimEnd().endsWith(` ${v}`)) ways.push({ said, language, rest: text.trimEnd().slice(0, -v.length), whole: true });
  }
  const whole = ways.filter((w) => w.whole).sort((a, b) => b.said.length - a.said.length);
  return (whole.length > 0 ? whole : ways).slice(0, 1);
}

/** What can be done with a channel, a unit or a zone that was named. */
function ofThings(p: Ports, things: Things, text: string): Ranked[] {
  const { desk } = p.store.now;
  const channels = best(things.channel ?? [], text, most).flatMap(({ thing, rank }, i) => {
    const channel = thing.value as string;
    const all = [suggestion(p, "channel.show", { channel }, 400 + rank), suggestion(p, "talk.here", { channel }, 399 + rank)];
    if (i > 0) return all.slice(0, rank >= 50 ? 2 : 1);
    return [
      ...all,
      suggestion(p, channel in desk.scans ? "monitor.off" : "monitor.on", { channel }, 398 + rank),
      suggestion(p, "target.add", { channel }, 397 + rank),
      suggestion(p, "recall.play", { channel }, 396 + rank),
      suggestion(p, "channel.drawer", { channel }, 395 + rank),
    ];
  });
  const units = best(things.unit ?? [], text, most).flatMap(({ thing, rank }) => {
    const unit = thing.value as number;
    return [
      suggestion(p, "unit.open", { unit }, 399 + rank),
      suggestion(p, "unit.move", { unit }, 398 + rank, beginning(p, "unit.move", thing.name)),
      suggestion(p, "unit.text", { unit }, 397 + rank, beginning(p, "unit.text", thing.name)),
      suggestion(p, desk.follows.includes(unit) ? "unit.unfollow" : "unit.follow", { unit }, 396 + rank),
    ].slice(0, rank >= 50 ? 4 : 1);
  });
  const zones = best(things.zone ?? [], text, 3).map(({ thing, rank }) => suggestion(p, "zone.show", { zone: thing.value }, 380 + rank));
  const layouts = best(things.layout ?? [], text, 3).map(({ thing, rank }) => suggestion(p, "layout.use", { layout: thing.value }, 380 + rank));
  return [...channels, ...units, ...zones, ...layouts];
}

/** A sentence of that action about something that was named, as far as it is clear. */
function beginning(p: Ports, action: string, name: string): string | null {
  const verb = verbs.find((v) => v.action === action);
  return verb ? begin(verb, p.store.now.desk.settings.language, name) : null;
}

/** Actions whose own words were typed, as the palette shows them. */
function ofLabels(p: Ports, text: string): Ranked[] {
  const words = text.split(" ");
  return verbs.flatMap((verb) => {
    const label = plain(labelOf(p, verb.action, verb.args));
    if (!words.every((w) => label.includes(w))) return [];
    const needs = verb.slots.some((s) => !s.optional);
    return [suggestion(p, verb.action, verb.args ?? {}, 200, needs ? begin(verb, p.store.now.desk.settings.language) : null)];
  });
}

/** What is shown before anything is typed. */
function usual(p: Ports): Ranked[] {
  const ids = [
    ...(openEmergencies(p.store.now.radio).length > 0 ? ["emergency.answer", "emergency.acknowledge"] : []),
    "alert.acknowledge-all", "talk.here", "monitor.on", "unit.move", "unit.text", "alert.raise", "tone.send", "patch.create", "broadcast.open", "settings.open", "keys.open", "logout",
  ];
  return ids.flatMap((id, i) => {
    const verb = verbs.find((v) => v.action === id);
    if (!verb) return [];
    const needs = verb.slots.some((s) => !s.optional);
    return [suggestion(p, id, verb.args ?? {}, 100 - i, needs ? begin(verb, p.store.now.desk.settings.language) : null)];
  });
}
