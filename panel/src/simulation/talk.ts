import type { Message } from "../link/wasm";
import type { PTTDenied, TalkingState } from "../wire.gen";
import type { Agenda, Entry } from "./agenda";
import type { Air, Caption, Deed } from "./api";
import type { Dice } from "../dice";
import type { Picture } from "./picture";

/** What units share. */
export interface World {
  readonly air: Air;
  readonly picture: Picture;
  readonly agenda: Agenda;
  say(c: Caption): void;
}

/** How long a unit tries to get the floor, ms. Nobody waits longer with something that matters. */
const patience = 30_000;
/** ms between a channel's becoming free and the next try: people do not press at once, nor all together. */
const pause: [number, number] = [300, 1_500];
/** How often a talk is kept alive, ms: a talker from whom nothing comes for talkLease (2 s) may lose the floor. */
const keepAlive = 1_000;

export type TalkDeed = Extract<Deed, { do: "talk" }>;

export interface TalkHooks {
  /** It has the floor. */
  began?(now: number): void;
  /** It is over; silent says why it was never on the air, null: it was. */
  ended?(now: number, silent: Silent | null): void;
}

/** Why somebody could not talk, in the radio's own words if it refused. */
export class Silent extends Error {
  constructor(
    message: string,
    readonly refused = false,
  ) {
    super(message);
  }
}

const busy = (): Silent => new Silent("The channel is busy");
export const radioOff = (): Silent => new Silent("The radio is off");

/** One talk of a unit, from the first press of its button to the release. */
export class Talk {
  /** The frequency whose floor it has. */
  #held: string | null = null;
  /** The one that was busy. */
  #busy: string | null = null;
  #givesUp = 0;
  #over = false;
  #due: Entry | null = null;
  #keep: Entry | null = null;

  constructor(
    private readonly unit: { id: number; name: string },
    private readonly deed: TalkDeed,
    private readonly world: World,
    private readonly dice: Dice,
    private readonly hooks: TalkHooks,
  ) {}

  get onAir(): boolean {
    return this.#held !== null;
  }

  /** It wants the floor and has been denied it. */
  waitsOn(frequency: string): boolean {
    return !this.#over && this.#busy === frequency;
  }

  /** Asks for the floor; a patient one waits for it if the channel is busy. */
  async start(now: number, patient: boolean): Promise<void> {
    this.#givesUp = patient ? now + patience : now;
    await this.#ask(now);
  }

  async #ask(now: number): Promise<void> {
    const { deed, world } = this;
    const on = deed.on === undefined ? undefined : world.air.channel(deed.on);
    const answer = await this.#key({ state: true, ...(on ? { frequency: on } : {}), ...(deed.override ? { override: true } : {}) });
    if (this.#over) return;
    if (answer.error) return this.#finish(now, new Silent(answer.error.message, true));
    const mine = answer.messages.find((m) => isTalk(m, this.unit.id, true));
    if (mine) return this.#begin(now, (mine.payload as TalkingState).frequency);
    const denied = answer.messages.find((m) => m.name === "ptt:denied")?.payload as PTTDenied | undefined;
    this.#busy = denied?.frequency ?? null;
    if (now >= this.#givesUp) return this.#finish(now, busy());
    this.#wait(now);
  }

  #key(payload: { state: boolean; frequency?: string; override?: boolean }): ReturnType<Air["ask"]> {
    return this.world.air.ask({ user: this.unit.id }, { event: "setTalking" }, payload);
  }

  #begin(now: number, frequency: string): void {
    const { agenda } = this.world;
    this.#held = frequency;
    this.#busy = null;
    if (this.deed.says) this.world.say({ unit: this.unit.id, name: this.unit.name, frequency, says: this.deed.says, at: now });
    this.hooks.began?.(now);
    this.#due = agenda.put(now + Math.round(this.deed.for * 1000), (t) => this.end(t));
    this.#stayAlive(now);
  }

  #stayAlive(now: number): void {
    this.#keep = this.world.agenda.put(now + keepAlive, async (t) => {
      await this.#key({ state: true, ...(this.#held ? { frequency: this.#held } : {}) });
      if (!this.#over) this.#stayAlive(t);
    }, true);
  }

  /** Listens until the channel is free, and a little longer. */
  #wait(now: number): void {
    const { agenda, picture } = this.world;
    agenda.drop(this.#due);
    const taken = this.#busy !== null && picture.busy(this.#busy, this.unit.id);
    const at = taken ? this.#givesUp : Math.min(this.#givesUp, Math.round(now + this.dice.between(...pause)));
    this.#due = agenda.put(at, (t) => {
      const stillBusy = this.#busy !== null && picture.busy(this.#busy, this.unit.id);
      if (stillBusy && t >= this.#givesUp) return this.#finish(t, busy());
      return stillBusy ? this.#wait(t) : this.#ask(t);
    });
  }

  /** A message of the radio, after the picture has heard it. */
  hear(m: Message, now: number): void {
    if (this.#over) return;
    const { picture, agenda } = this.world;
    if (this.#held !== null && isTalk(m, this.unit.id, false) && (m.payload as TalkingState).frequency === this.#held) {
      // Taken away: by the time-out timer, a move, or switching off. The button is
      // released all the same.
      agenda.drop(this.#due);
      agenda.drop(this.#keep);
      this.#due = agenda.put(now, (t) => this.end(t));
    }
    if (this.#busy !== null && m.name === "talkingState" && !picture.busy(this.#busy, this.unit.id)) {
      const t = m.payload as TalkingState;
      if (!t.state && t.frequency === this.#busy) this.#wait(now);
    }
  }

  /** Releases the button. */
  async end(now: number): Promise<void> {
    if (this.#over) return;
    const held = this.#held;
    if (held === null) return this.#finish(now, busy());
    this.#forget();
    await this.#key({ state: false, frequency: held });
    this.hooks.ended?.(now, null);
  }

  /** The radio is off or gone: nothing can be sent any more. */
  drop(now: number): void {
    if (this.#over) return;
    const held = this.#held !== null;
    this.#forget();
    this.hooks.ended?.(now, held ? null : radioOff());
  }

  #finish(now: number, silent: Silent): void {
    this.#forget();
    this.hooks.ended?.(now, silent);
  }

  #forget(): void {
    this.#over = true;
    this.#held = null;
    this.world.agenda.drop(this.#due);
    this.world.agenda.drop(this.#keep);
  }
}

function isTalk(m: Message, id: number, state: boolean): boolean {
  if (m.name !== "talkingState") return false;
  const t = m.payload as TalkingState;
  return t.serverId === id && t.state === state;
}
