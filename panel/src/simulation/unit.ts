import type { Message } from "../link/wasm";
import type { DispatchNotification } from "../wire.gen";
import type { Told, UnitScript, UnitState } from "./api";
import type { Dice } from "../dice";
import { arrival, departure, type Plain, requestOf, send } from "./request";
import { radioOff, Talk, type TalkDeed, type TalkHooks, type World } from "./talk";
import { tidingsOf } from "./tidings";

/** A virtual radio: a unit in the game, or another dispatcher. It knows only what it has heard. */
export class Unit {
  on = false;
  /** Its microphone fails. */
  muted = false;
  /** It is being switched on: the present state is not news. */
  #arriving = false;
  #talk: Talk | null = null;
  #told = "";
  #toldAs: Told = "";
  #toldAt = -1;
  #hears: readonly number[] = [];
  #heardFor = 0; // ms
  #hearsSince = 0;

  constructor(
    readonly script: UnitScript,
    private readonly world: World,
    private readonly dice: Dice,
  ) {}

  get id(): number {
    return this.script.id;
  }

  /** Where it may be talked to; in a talkgroup the working frequency. */
  get channel(): string | null {
    return this.on ? this.world.picture.channelOf(this.id) : null;
  }

  /** Whether it talks, or wants to. */
  get engaged(): boolean {
    return this.#talk !== null;
  }

  waitsOn(frequency: string): boolean {
    return this.#talk?.waitsOn(frequency) ?? false;
  }

  /** Connects and tunes in. Throws what the radio says if it refuses. */
  async switchOn(): Promise<void> {
    if (this.on) return;
    this.on = this.#arriving = true;
    try {
      for (const r of arrival(this.script, (named) => this.#frequency(named))) {
        await send(this.world.air, r).catch((e: unknown) => {
          if ("event" in r.what && r.what.event === "connect") this.on = false;
          throw e;
        });
      }
    } finally {
      this.#arriving = false;
    }
  }

  async switchOff(now: number, quits = false): Promise<void> {
    if (!this.on) return;
    await this.#talk?.end(now);
    this.on = false;
    for (const r of departure(this.id, quits)) await send(this.world.air, r);
  }

  /** Talks; one that is not patient does not wait for a busy channel. Breaks off its earlier talk. */
  async talk(deed: TalkDeed, now: number, patient: boolean, hooks: TalkHooks): Promise<void> {
    if (!this.on) {
      hooks.ended?.(now, radioOff());
      return;
    }
    await this.#talk?.end(now);
    const talk: Talk = new Talk({ id: this.id, name: this.script.callsign ?? this.script.name }, deed, this.world, this.dice, {
      began: (t) => hooks.began?.(t),
      ended: (t, silent) => {
        if (this.#talk === talk) this.#talk = null;
        hooks.ended?.(t, silent);
      },
    });
    this.#talk = talk;
    await talk.start(now, patient);
  }

  async release(now: number): Promise<void> {
    await this.#talk?.end(now);
  }

  /** Throws what the radio says if it refuses. */
  async do(deed: Plain): Promise<void> {
    await send(this.world.air, requestOf(deed, this.id, this.world.air, this.world.picture));
  }

  #frequency(named: string): string {
    return this.world.air.channel(named) ?? named; // the radio answers that there is none
  }

  /** A message of the radio, after the picture has heard it. */
  hear(m: Message, now: number): void {
    if (!this.on) return;
    this.#talk?.hear(m, now);
    const news = this.#arriving ? null : tidingsOf(m, this.id);
    // The tone that comes with an alert or a text does not replace it.
    if (news && !(news.as === "tone" && now === this.#toldAt)) {
      this.#told = news.told;
      this.#toldAs = news.as;
      this.#toldAt = now;
    }
    if (m.name !== "dispatchNotification") return;
    const n = m.payload as DispatchNotification;
    if (n.type === "userDisconnected" && n.serverId === this.id) {
      this.on = false;
      this.#talk?.drop(now);
    }
  }

  /** The talkers whom it hears may have changed. */
  hears(talkers: readonly number[], now: number): void {
    this.#heardFor = this.#heardUntil(now);
    this.#hearsSince = now;
    this.#hears = talkers;
  }

  #heardUntil(now: number): number {
    return this.#heardFor + (this.#hears.length > 0 ? now - this.#hearsSince : 0);
  }

  state(now: number): UnitState {
    const { picture } = this.world;
    return {
      id: this.id,
      name: this.script.name,
      on: this.on,
      channel: this.channel === null ? null : picture.baseOf(this.channel),
      scans: this.on ? picture.scansOf(this.id) : [],
      talking: this.#talk?.onAir ?? false,
      panic: picture.inPanic(this.id),
      hears: [...this.#hears].sort((a, b) => a - b),
      heardFor: this.#heardUntil(now) / 1000,
      told: this.#told,
      toldAs: this.#toldAs,
    };
  }
}
