// Plays tones: the configuration's files if they can be fetched, else those made
// here.

import type { ToneFile } from "./api";
import { isMade, render, type MadeTone } from "./score";

export class Tonebox {
  readonly #files = new Map<string, ToneFile>();
  readonly #buffers = new Map<string, Promise<AudioBuffer>>();

  constructor(readonly context: AudioContext) {}

  setTones(tones: readonly ToneFile[]): void {
    this.#files.clear();
    for (const t of tones) {
      if (t.url !== undefined || t.load !== undefined) this.#files.set(t.name, t);
      if (t.load !== undefined) this.#buffers.delete(t.name); // another file may be behind the name now
    }
  }

  /** play resolves at the tone's end. level is an amplitude. */
  async play(name: string, to: AudioNode, level = 1): Promise<void> {
    const buffer = await this.#buffer(name);
    const gain = new GainNode(this.context, { gain: level });
    const source = new AudioBufferSourceNode(this.context, { buffer });
    source.connect(gain).connect(to);
    await new Promise<void>((done) => {
      source.onended = () => done();
      source.start();
    });
    gain.disconnect();
  }

  #buffer(name: string): Promise<AudioBuffer> {
    const file = this.#files.get(name);
    const key = file?.url ?? name;
    let buffer = this.#buffers.get(key);
    if (buffer === undefined) {
      const spare: MadeTone = isMade(name) ? name : "BEEP";
      buffer =
        file === undefined
          ? Promise.resolve(this.#make(spare))
          : this.#load(file).catch(() => {
              this.#buffers.delete(key); // fetch it again next time
              return this.#make(spare);
            });
      this.#buffers.set(key, buffer);
    }
    return buffer;
  }

  async #load({ url, load }: ToneFile): Promise<AudioBuffer> {
    if (load !== undefined) return this.context.decodeAudioData(await load());
    const answer = await fetch(url!);
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return this.context.decodeAudioData(await answer.arrayBuffer());
  }

  #make(name: MadeTone): AudioBuffer {
    const samples = render(name, this.context.sampleRate);
    const buffer = this.context.createBuffer(1, samples.length, this.context.sampleRate);
    buffer.copyToChannel(samples, 0);
    return buffer;
  }
}
