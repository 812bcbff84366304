import type { Agenda, Entry } from "./agenda";
import type { Scenario } from "./api";
import type { Dice } from "../dice";
import type { Picture } from "./picture";
import type { Text } from "./text";
import type { Unit } from "./unit";

type Exchange = readonly [call: Text, answer: Text];

/**
 * What units say to each other when all is calm. Nothing in it asks the dispatcher
 * for anything: that would be a call which nobody answers.
 */
const exchanges: readonly Exchange[] = [
  [{ en: "Are you still at the car wash?", de: "Bist du noch in der Waschanlage?" }, { en: "Just leaving, ten minutes.", de: "Fahre gerade los, zehn Minuten." }],
  [{ en: "Your left tail light is out.", de: "Dein linkes Rücklicht ist aus." }, { en: "Thanks, I'll write it up.", de: "Danke, ich melde es." }],
  [{ en: "Meet me for the paperwork at end of shift?", de: "Treffen wir uns zum Schichtende für den Papierkram?" }, { en: "Will do.", de: "Mache ich." }],
  [{ en: "How does my radio sound now?", de: "Wie klingt mein Funkgerät jetzt?" }, { en: "Loud and clear.", de: "Laut und deutlich." }],
  [{ en: "Traffic is backed up on the freeway.", de: "Auf der Autobahn staut es sich." }, { en: "Copy, taking the surface streets.", de: "Verstanden, ich fahre durch die Stadt." }],
  [{ en: "Did you get the keys for the gate?", de: "Hast du die Schlüssel fürs Tor?" }, { en: "Hanging on the board.", de: "Hängen am Brett." }],
  [{ en: "Finished with the report?", de: "Bist du mit dem Bericht fertig?" }, { en: "Two more pages.", de: "Noch zwei Seiten." }],
  [{ en: "I'll take the north side.", de: "Ich nehme die Nordseite." }, { en: "Copy, I have the south.", de: "Verstanden, ich habe den Süden." }],
  [{ en: "Coffee after this one?", de: "Danach einen Kaffee?" }, { en: "Best idea today.", de: "Beste Idee des Tages." }],
  [{ en: "Fuel pump two is working again.", de: "Zapfsäule zwei geht wieder." }, { en: "Good to know.", de: "Gut zu wissen." }],
  [{ en: "Weather is moving in from the coast.", de: "Von der Küste zieht Wetter auf." }, { en: "Saw it. Getting my jacket.", de: "Gesehen. Ich hole meine Jacke." }],
  [{ en: "Who has the spare battery?", de: "Wer hat den Ersatzakku?" }, { en: "It's in my trunk.", de: "Liegt bei mir im Kofferraum." }],
  [{ en: "Road works on Alta again, go around.", de: "Wieder Baustelle auf der Alta, fahr außen herum." }, { en: "Around it is.", de: "Dann außen herum." }],
  [{ en: "That was you at the lights?", de: "Warst du das an der Ampel?" }, { en: "That was me. Nice wave.", de: "War ich. Nett gewinkt." }],
  [{ en: "I'm out of gloves.", de: "Ich habe keine Handschuhe mehr." }, { en: "Two boxes in the back of mine.", de: "Zwei Kartons hinten bei mir." }],
  [{ en: "Is the small lift at the garage free?", de: "Ist die kleine Hebebühne in der Werkstatt frei?" }, { en: "Until four.", de: "Bis vier." }],
  [{ en: "Fog at the pier, drive slowly.", de: "Nebel am Pier, fahr langsam." }, { en: "Thanks, slowing down.", de: "Danke, ich fahre langsamer." }],
  [{ en: "You left your cup on my roof.", de: "Deine Tasse steht noch auf meinem Dach." }, { en: "Keep driving carefully, then.", de: "Dann fahr weiter vorsichtig." }],
  [{ en: "The new kid starts on Monday.", de: "Der Neue fängt am Montag an." }, { en: "Then we have somebody to wash the car.", de: "Dann haben wir jemanden zum Autowaschen." }],
  [{ en: "What was the number of that street?", de: "Welche Hausnummer war das?" }, { en: "Thirty-one. Yellow house.", de: "Einunddreißig. Gelbes Haus." }],
  [{ en: "My mirror is loose again.", de: "Mein Spiegel ist wieder locker." }, { en: "Tape is in the glove box.", de: "Klebeband liegt im Handschuhfach." }],
  [{ en: "Parade is over, streets are open.", de: "Die Parade ist vorbei, die Straßen sind frei." }, { en: "Finally.", de: "Endlich." }],
  [{ en: "Can you see the balloon from there?", de: "Siehst du den Ballon von dort?" }, { en: "Right over me.", de: "Direkt über mir." }],
  [{ en: "I'm parked behind you.", de: "Ich stehe hinter dir." }, { en: "I see you.", de: "Ich sehe dich." }],
];

/** Seconds between a call and its answer. */
const answerAfter: [number, number] = [0.6, 1.6];

/** Small talk between units. Never on a channel that is busy, waited for, or in an emergency. */
export class Chatter {
  #next: Entry | null = null;
  #unsaid: Exchange[] = [];

  constructor(
    private readonly script: NonNullable<Scenario["chatter"]>,
    private readonly units: readonly Unit[],
    private readonly picture: Picture,
    private readonly agenda: Agenda,
    private readonly dice: Dice,
  ) {}

  begin(now: number): void {
    this.#next = this.agenda.put(now + this.#ms(this.script.every), (t) => this.#speak(t));
  }

  /** Ends small talk; what is being said is finished. */
  stop(): void {
    this.agenda.drop(this.#next);
  }

  #ms(seconds: [number, number]): number {
    return Math.round(this.dice.between(...seconds) * 1000);
  }

  async #speak(now: number): Promise<void> {
    this.begin(now);
    const free = this.units.filter((u) => this.#free(u));
    const partners = (u: Unit): Unit[] => free.filter((other) => other !== u && other.channel === u.channel);
    const unit = this.dice.pick(free.filter((u) => partners(u).length > 0));
    if (!unit) return;
    const other = this.dice.pick(partners(unit));
    const { channel } = unit;
    const [call, answer] = this.#words();
    const wait = this.#ms(answerAfter);
    await this.#say(unit, call, now, (t) => {
      this.agenda.put(t + wait, (later) => {
        if (other && other.channel === channel && this.#free(other)) return this.#say(other, answer, later);
      });
    });
  }

  /** Repeats nothing until everything has been said. */
  #words(): Exchange {
    if (this.#unsaid.length === 0) this.#unsaid = [...exchanges];
    const words = this.dice.pick(this.#unsaid) as Exchange;
    this.#unsaid = this.#unsaid.filter((w) => w !== words);
    return words;
  }

  /** Whether the unit may make small talk now. */
  #free(u: Unit): boolean {
    const { channel } = u;
    const mayChat = u.id > 0 && (this.script.units === undefined || this.script.units.includes(u.id));
    if (!mayChat || channel === null || u.engaged || this.picture.tense(channel)) return false;
    return !this.picture.busy(channel, u.id) && !this.units.some((other) => other.waitsOn(channel));
  }

  #say(u: Unit, says: Text, now: number, then?: (now: number) => void): Promise<void> {
    const seconds = this.dice.between(...this.script.lasting);
    return u.talk({ do: "talk", for: seconds, says }, now, false, { ended: (t, silent) => silent === null && then?.(t) });
  }
}
