// Instant recall: the tape, its recording, and its playing.

import type { Recall, Taped } from "../api";
import type { OneSaid, Recalled, RecallState } from "../../state/recall";
import type { Mixer } from "../mixer";
import type { Source } from "../source";
import { decode } from "./mulaw";
import { peaksOf } from "./peaks";
import { gap, Player } from "./player";
import { type Excerpt, longest, newBurst, Tape, tapeRate } from "./tape";

export class TapeRecall implements Recall {
  readonly tape = new Tape();
  /** The radio's time in ms since the epoch: a simulated one has its own. */
  now: () => number = Date.now;
  #state: RecallState | null = null;
  /** What plays, in its order; made when it does. */
  #sounds: readonly (() => AudioBuffer)[] = [];
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
    const excerpts = this.tape.last(channel, Math.min(seconds, longest));
    this.#begin({ channel, seconds }, excerpts.map(recalled), excerpts.map((e) => () => this.#sound(e)));
  }

  get taped(): readonly Taped[] {
    return this.tape.bursts();
  }

  playOne({ line, channel, talker }: OneSaid, from: number, to: number): void {
    const said = this.tape.bursts().filter((b) => b.channel === channel && b.talker === talker && b.at >= from && b.at <= to);
    const excerpts = said.map((burst) => ({ burst, blocks: [...burst.blocks], length: burst.length }));
    const peaks = excerpts.flatMap((e) => peaksOf(samplesOf(e)));
    this.#begin({ channel, seconds: 0, line, peaks }, excerpts.map(recalled), excerpts.map((e) => () => this.#sound(e)));
  }

  async open(file: ArrayBuffer): Promise<AudioBuffer> {
    return this.mixer.context.decodeAudioData(file);
  }

  playFile({ line, channel, talker, at }: OneSaid, sound: AudioBuffer, peaks: readonly number[]): void {
    const shown = peaks.length > 0 ? peaks : peaksOf(sound.getChannelData(0));
    this.#begin({ channel, seconds: 0, line, peaks: shown }, [{ channel, talker, at, length: sound.duration }], [() => sound]);
  }

  #begin(about: Pick<RecallState, "channel" | "seconds" | "line" | "peaks">, bursts: readonly Recalled[], sounds: readonly (() => AudioBuffer)[]): void {
    this.#sounds = sounds;
    this.#state = { ...about, bursts, index: 0, first: 0, playing: false, interrupted: false };
    this.from(0);
  }

  from(index: number): void {
    this.#start(index, 0);
  }

  seek(to: number): void {
    const bursts = this.#state?.bursts ?? [];
    const length = bursts.reduce((sum, b) => sum + b.length, 0) + gap * Math.max(0, bursts.length - 1);
    this.#start(0, Math.min(Math.max(0, to), 1) * length);
  }

  /** start plays from one of the bursts on, so many seconds after its beginning. */
  #start(index: number, offset: number): void {
    this.#player?.stop();
    this.#player = null;
    const sounds = this.#sounds.slice(index);
    if (sounds.length === 0) return this.#become({ playing: false });
    if (this.mixer.alarmed) return this.#halt(true);
    this.#player = new Player(this.mixer.context, this.mixer.side("selected"), sounds.map((make) => make()), {
      next: (i) => this.#become({ index: index + i }),
      ended: () => this.#halt(),
    }, offset);
    this.mixer.recalling(true);
    this.#become({ index, first: index, playing: true, interrupted: false });
  }

  #sound(e: Excerpt): AudioBuffer {
    const buffer = this.mixer.context.createBuffer(1, e.length, tapeRate);
    buffer.copyToChannel(samplesOf(e), 0);
    return buffer;
  }

  stop(): void {
    this.#halt();
    this.#state = null;
    this.#sounds = [];
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

const recalled = ({ burst, length }: Excerpt): Recalled => ({ channel: burst.channel, talker: burst.talker, at: burst.at, length: length / tapeRate });

function samplesOf(e: Excerpt): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(e.length);
  let at = 0;
  for (const block of e.blocks) {
    decode(block, samples, at);
    at += block.length;
  }
  return samples;
}
