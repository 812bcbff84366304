// Instant recall: the tape, its recording, and its playing.

import type { Recall, Taped } from "../api";
import type { RecallState } from "../../state/recall";
import type { Mixer } from "../mixer";
import type { Source } from "../source";
import { Player } from "./player";
import { type Excerpt, longest, newBurst, Tape, tapeRate } from "./tape";

export class TapeRecall implements Recall {
  readonly tape = new Tape();
  /** The radio's time in ms since the epoch: a simulated one has its own. */
  now: () => number = Date.now;
  #state: RecallState | null = null;
  #excerpts: readonly Excerpt[] = [];
  #player: Player | null = null;

  constructor(
    readonly mixer: Mixer,
    readonly onchange: () => void,
  ) {
    mixer.onalarm = () => {
      if (this.#player !== null) this.#halt(true);
    };
  }

  get state(): RecallState | null {
    return this.#state;
  }

  get progress(): number {
    return this.#player?.progress ?? 0;
  }

  /** follow records what a source says, from the moment that it is routed to a channel. */
  follow(source: Source): void {
    const { frequency, talker, near } = source;
    if (frequency === null || talker === null || near) return source.keep(null);
    const burst = newBurst(this.mixer.channel(frequency).home || frequency, talker, this.now());
    source.keep((voice) => this.tape.add(burst, voice));
  }

  play(channel: string | null, seconds: number): void {
    this.#begin(channel, seconds, this.tape.last(channel, Math.min(seconds, longest)));
  }

  get taped(): readonly Taped[] {
    return this.tape.bursts();
  }

  playOne(channel: string, talker: number, from: number, to: number): void {
    const said = this.tape.bursts().filter((b) => b.channel === channel && b.talker === talker && b.at >= from && b.at <= to);
    this.#begin(channel, 0, said.map((burst) => ({ burst, blocks: [...burst.blocks], length: burst.length })));
  }

  #begin(channel: string | null, seconds: number, excerpts: readonly Excerpt[]): void {
    this.#excerpts = excerpts;
    const bursts = this.#excerpts.map(({ burst, length }) => ({
      channel: burst.channel,
      talker: burst.talker,
      at: burst.at,
      length: length / tapeRate,
    }));
    this.#state = { channel, seconds, bursts, index: 0, first: 0, playing: false, interrupted: false };
    this.from(0);
  }

  from(index: number): void {
    this.#player?.stop();
    this.#player = null;
    const excerpts = this.#excerpts.slice(index);
    if (excerpts.length === 0) return this.#become({ playing: false });
    if (this.mixer.alarmed) return this.#halt(true);
    this.#player = new Player(this.mixer.context, this.mixer.side("selected"), excerpts, {
      next: (i) => this.#become({ index: index + i }),
      ended: () => this.#halt(),
    });
    this.mixer.recalling(true);
    this.#become({ index, first: index, playing: true, interrupted: false });
  }

  stop(): void {
    this.#halt();
    this.#state = null;
    this.#excerpts = [];
    this.onchange();
  }

  /** At the end of the session: nothing that was said is kept. */
  close(): void {
    this.stop();
    this.tape.clear();
  }

  /** halt stops playing; what was played stays shown. */
  #halt(interrupted = false): void {
    this.#player?.stop();
    this.#player = null;
    this.#become({ playing: false, interrupted });
  }

  #become(change: Partial<RecallState>): void {
    if (this.#player === null) this.mixer.recalling(false);
    if (this.#state === null) return;
    this.#state = { ...this.#state, ...change };
    this.onchange();
  }
}
