import type { Agenda, Entry } from "./agenda";
import type { Scenario } from "./api";
import type { Dice } from "../dice";
import type { Picture } from "./picture";
import type { Unit } from "./unit";

/**
 * What units say to each other when all is calm. Nothing in it asks the dispatcher
 * for anything: that would be a call which nobody answers.
 */
const exchanges: readonly (readonly [call: string, answer: string])[] = [
  ["Are you still at the car wash?", "Just leaving, ten minutes."],
  ["Your left tail light is out.", "Thanks, I'll write it up."],
  ["Meet me for the paperwork at end of shift?", "Will do."],
  ["How does my radio sound now?", "Loud and clear."],
  ["Traffic is backed up on the freeway.", "Copy, taking the surface streets."],
  ["Did you get the keys for the gate?", "Hanging on the board."],
  ["Finished with the report?", "Two more pages."],
  ["I'll take the north side.", "Copy, I have the south."],
  ["Coffee after this one?", "Best idea today."],
  ["Fuel pump two is working again.", "Good to know."],
  ["Weather is moving in from the coast.", "Saw it. Getting my jacket."],
  ["Who has the spare battery?", "It's in my trunk."],
  ["Road works on Alta again, go around.", "Around it is."],
  ["That was you at the lights?", "That was me. Nice wave."],
  ["I'm out of gloves.", "Two boxes in the back of mine."],
  ["Is the small lift at the garage free?", "Until four."],
  ["Fog at the pier, drive slowly.", "Thanks, slowing down."],
  ["You left your cup on my roof.", "Keep driving carefully, then."],
  ["The new kid starts on Monday.", "Then we have somebody to wash the car."],
  ["What was the number of that street?", "Thirty-one. Yellow house."],
  ["My mirror is loose again.", "Tape is in the glove box."],
  ["Parade is over, streets are open.", "Finally."],
  ["Can you see the balloon from there?", "Right over me."],
  ["I'm parked behind you.", "I see you."],
];

/** Seconds between a call and its answer. */
const answerAfter: [number, number] = [0.6, 1.6];

/** Small talk between units. Never on a channel that is busy, waited for, or in an emergency. */
export class Chatter {
  #next: Entry | null = null;
  #unsaid: (readonly [string, string])[] = [];

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
  #words(): readonly [string, string] {
    if (this.#unsaid.length === 0) this.#unsaid = [...exchanges];
    const words = this.dice.pick(this.#unsaid) as readonly [string, string];
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

  #say(u: Unit, says: string, now: number, then?: (now: number) => void): Promise<void> {
    const seconds = this.dice.between(...this.script.lasting);
    return u.talk({ do: "talk", for: seconds, says }, now, false, { ended: (t, silent) => silent === null && then?.(t) });
  }
}
