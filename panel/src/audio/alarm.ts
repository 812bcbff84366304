// The alarm of emergencies that nobody has acknowledged: two tones every three
// seconds, until it is stopped.

import { amplitude } from "./ducking";
import { render } from "./score";

/** How loud it sounds. */
export type AlarmLevel = "off" | "on" | "loud";

/** Length of a cycle, in seconds. */
const cycle = 3;
/** How much louder it is when nobody has acknowledged for too long, and how much quieter beside an emergency's voice, dB. */
export const change = { loud: 6, voice: -12 } as const;
/** The alarm is never below this volume, however low tones are set, 0..1. */
export const least = 0.3;
/** Time constant of every change of its volume, in seconds. */
const glide = 0.015;

/** The gain of the alarm: volume is that of tones, voice whether an emergency's voice is heard. */
export function gainOf(level: AlarmLevel, volume: number, voice: boolean): number {
  if (level === "off") return 0;
  return Math.max(least, volume) * amplitude((level === "loud" ? change.loud : 0) + (voice ? change.voice : 0));
}

/** The one alarm of a console. */
export class Alarm {
  #playing: { source: AudioBufferSourceNode; gain: GainNode } | null = null;

  constructor(readonly context: AudioContext) {}

  /** Starts it, stops it, or sets how loud it is. It stops at once. */
  set(gain: number): void {
    if (gain <= 0) return this.#stop();
    if (this.#playing) this.#playing.gain.gain.setTargetAtTime(gain, this.context.currentTime, glide);
    else this.#start(gain);
  }

  get playing(): boolean {
    return this.#playing !== null;
  }

  #start(level: number): void {
    const { context } = this;
    const samples = render("ALARM", context.sampleRate);
    const buffer = context.createBuffer(1, cycle * context.sampleRate, context.sampleRate);
    buffer.copyToChannel(samples, 0);
    const source = new AudioBufferSourceNode(context, { buffer, loop: true });
    const gain = new GainNode(context, { gain: level });
    source.connect(gain).connect(context.destination);
    source.start();
    this.#playing = { source, gain };
  }

  #stop(): void {
    const playing = this.#playing;
    if (!playing) return;
    this.#playing = null;
    playing.source.stop();
    playing.gain.disconnect();
  }
}
