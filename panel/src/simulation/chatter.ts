import type { Agenda } from "./agenda";
import type { Scenario } from "./api";
import type { Dice } from "./dice";
import type { Picture } from "./picture";
import type { Unit } from "./unit";

/**
 * What units say to each other when nothing is the matter. Nothing of it asks
 * the dispatcher for anything: an unanswered call would be a missed one.
 */
const exchanges: readonly (readonly [call: string, answer: string])[] = [
  ["Are you still at the car wash?", "Just leaving, ten minutes."],
  ["Your left tail light is out.", "Thanks, I'll write it up."],
  ["Meet me for the paperwork at end of watch.", "Will do."],
  ["How does my radio sound now?", "Loud and clear."],
  ["Traffic is backed up on the freeway.", "Copy, taking the surface streets."],
  ["Did you get the keys for the gate?", "Hanging on the board."],
  ["Finished with the report?", "Two more pages."],
  ["I'll take the north side of the beat.", "Copy, I have the south."],
  ["Coffee after this one?", "Best idea today."],
  ["Fuel pump two is working again.", "Good to know."],
  ["Weather is moving in from the coast.", "Saw it. Getting my jacket."],
  ["Who has the spare battery?", "It's in my trunk."],
];

/** Seconds between a call and its answer. */
const answerAfter: [number, number] = [0.6, 1.6];

/** Small talk between units. Never on a channel that is busy, waited for, or in an emergency. */
export class Chatter {
  constructor(
    private readonly script: NonNullable<Scenario["chatter"]>,
    private readonly units: readonly Unit[],
    private readonly picture: Picture,
    private readonly agenda: Agenda,
    private readonly dice: Dice,
  ) {}

  begin(now: number): void {
    this.agenda.put(now + this.#ms(this.script.every), (t) => this.#speak(t));
  }

  #ms(seconds: [number, number]): number {
    return Math.round(this.dice.between(...seconds) * 1000);
  }

  async #speak(now: number): Promise<void> {
    this.begin(now);
    const unit = this.dice.pick(this.units.filter((u) => this.#free(u)));
    const words = this.dice.pick(exchanges);
    const channel = unit?.channel;
    if (!unit || !words || !channel) return;
    const answers = this.dice.pick(this.units.filter((u) => u !== unit && u.channel === channel && this.#free(u)));
    const wait = this.#ms(answerAfter);
    await this.#say(unit, words[0], now, (t) => {
      if (answers) this.agenda.put(t + wait, (later) => (answers.channel === channel && this.#free(answers) ? this.#say(answers, words[1], later) : undefined));
    });
  }

  /** May it talk just so? */
  #free(u: Unit): boolean {
    const { channel } = u;
    const mayChat = u.id > 0 && (this.script.units === undefined || this.script.units.includes(u.id));
    if (!mayChat || channel === null || u.engaged || this.picture.tense(channel)) return false;
    return !this.picture.busy(channel, u.id) && !this.units.some((other) => other.waitsOn(channel));
  }

  #say(u: Unit, says: string, now: number, then?: (now: number) => void): Promise<void> {
    const seconds = this.dice.between(...this.script.lasting);
    return u.talk({ do: "talk", for: seconds, says }, now, false, { ended: (t, refusal) => refusal === null && then?.(t) });
  }
}
