// The recent traffic per channel, for instant recall. Pure.
//
// "The last 60 seconds" are 60 seconds of traffic, as on a voice logger: the tape
// runs only while somebody talks, however long ago that was.

import { blockLength } from "./reel";

/** Hz. Speech does not need more, and a byte is a sample. */
export const tapeRate = 16_000;
/** The longest that can be asked for, in s; a channel keeps that much of its own. */
export const longest = 60;
/**
 * The limit for everything together, in bytes: 17 minutes of speech. Otherwise a busy
 * county of 160 channels would fill 150 MB; the oldest goes first.
 */
export const capacity = 16 * 1024 * 1024;

/** One burst on the tape. It is dropped from its beginning. */
export interface Burst {
  /** The configured channel; for a working frequency its talkgroup. */
  readonly channel: string;
  readonly talker: number;
  /** ms since the epoch */
  readonly at: number;
  blocks: Uint8Array[];
  /** Bytes, which are samples. */
  length: number;
}

export function newBurst(channel: string, talker: number, at: number): Burst {
  return { channel, talker, at, blocks: [], length: 0 };
}

/** The last samples of one burst, as many as length says. */
export interface Excerpt {
  burst: Burst;
  blocks: readonly Uint8Array[];
  length: number;
}

/** Tape keeps the last traffic of every channel that was heard. */
export class Tape {
  readonly #channels = new Map<string, { bursts: Burst[]; length: number }>();
  #length = 0;

  /** most and perChannel in bytes */
  constructor(
    readonly most = capacity,
    readonly perChannel = longest * tapeRate,
  ) {}

  /** Bytes of voice that are kept. */
  get length(): number {
    return this.#length;
  }

  /** add appends a block to a burst; the oldest makes room for it. */
  add(burst: Burst, block: Uint8Array): void {
    let c = this.#channels.get(burst.channel);
    if (c === undefined) this.#channels.set(burst.channel, (c = { bursts: [], length: 0 }));
    if (burst.length === 0) c.bursts.push(burst);
    burst.blocks.push(block);
    burst.length += block.length;
    c.length += block.length;
    this.#length += block.length;
    // One block more than can be asked for, so that a whole minute is always there.
    while (c.length > this.perChannel + blockLength) this.#drop(burst.channel);
    while (this.#length > this.most) this.#drop(this.#oldest());
  }

  /**
   * last returns the last seconds of what was said on a channel, or on all (null),
   * burst by burst in the order in which they began.
   */
  last(channel: string | null, seconds: number): Excerpt[] {
    const bursts = channel === null ? [...this.#channels.values()].flatMap((c) => c.bursts) : (this.#channels.get(channel)?.bursts ?? []);
    const newest = [...bursts].reverse().sort((a, b) => b.at - a.at);
    const out: Excerpt[] = [];
    let left = Math.round(seconds * tapeRate);
    for (const burst of newest) {
      if (left <= 0) break;
      const length = Math.min(left, burst.length);
      out.unshift({ burst, blocks: ending(burst, length), length });
      left -= length;
    }
    return out;
  }

  /** bursts returns everything on the tape, the oldest first. */
  bursts(): Burst[] {
    return [...this.#channels.values()].flatMap((c) => c.bursts).sort((a, b) => a.at - b.at);
  }

  clear(): void {
    this.#channels.clear();
    this.#length = 0;
  }

  /** The channel with the oldest burst. */
  #oldest(): string {
    let oldest: Burst | null = null;
    for (const { bursts } of this.#channels.values()) {
      const first = bursts[0]!;
      if (oldest === null || first.at < oldest.at) oldest = first;
    }
    return oldest!.channel;
  }

  /** drop removes a channel's oldest block, and what is empty after that. */
  #drop(channel: string): void {
    const c = this.#channels.get(channel)!;
    const burst = c.bursts[0]!;
    const { length } = burst.blocks.shift()!;
    burst.length -= length;
    c.length -= length;
    this.#length -= length;
    if (burst.length > 0) return;
    c.bursts.shift();
    if (c.bursts.length === 0) this.#channels.delete(channel);
  }
}

/** ending returns the blocks with a burst's last samples; the first may be a part of a block. */
function ending(burst: Burst, length: number): Uint8Array[] {
  const out: Uint8Array[] = [];
  let left = length;
  for (let i = burst.blocks.length - 1; left > 0; i--) {
    const block = burst.blocks[i]!;
    out.unshift(block.length > left ? block.subarray(block.length - left) : block);
    left -= out[0]!.length;
  }
  return out;
}
