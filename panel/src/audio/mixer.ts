// The mixer: a strip for each channel that has been heard, three buses of effects on
// each of two sides (selected and not), the volumes and the ducking.

import type { ChannelAudio, ChannelKind, EffectLevels, MasterAudio } from "./api";
import { makeBus, type Bus } from "./bus";
import { alarmed, amplitude, cut, ducked } from "./ducking";
import type { Source } from "./source";

/** Time constant of every change of a volume, in seconds: no click, and no noticeable delay. */
const glide = 0.015;

interface Strip {
  gain: GainNode;
  pan: StereoPannerNode;
  bus: Bus | null;
}

const silentChannel: ChannelAudio = {
  volume: 1,
  pan: 0,
  muted: false,
  selected: false,
  priority: 0,
  emergency: false,
  kind: "conventional",
  home: "",
};

type Side = "selected" | "unselected";

export class Mixer {
  readonly #channels = new Map<string, ChannelAudio>();
  readonly #strips = new Map<string, Strip>();
  readonly #buses = new Map<string, Bus>();
  readonly #live = new Map<string, number>();
  readonly #sides: Record<Side, GainNode>;
  /** The live voice of a side: it makes way for a recall. */
  readonly #voices: Record<Side, GainNode>;
  readonly #sfx: GainNode;
  /** Called when somebody begins to be heard on a channel with an emergency. */
  onalarm: () => void = () => undefined;
  #alarmed = false;
  #effects: EffectLevels = {};

  constructor(readonly context: AudioContext) {
    this.#sides = { selected: context.createGain(), unselected: context.createGain() };
    this.#voices = { selected: context.createGain(), unselected: context.createGain() };
    this.#sfx = context.createGain();
    this.#voices.selected.connect(this.#sides.selected);
    this.#voices.unselected.connect(this.#sides.unselected);
    this.#sides.selected.connect(context.destination);
    this.#sides.unselected.connect(context.destination);
    this.#sfx.connect(context.destination);
  }

  /** The output of a side; tones that belong to no channel go there. */
  side(side: Side): GainNode {
    return this.#sides[side];
  }

  /** recalling makes live voice quieter, or normal again. */
  recalling(on: boolean): void {
    for (const side of Object.values(this.#voices)) this.#glide(side.gain, on ? amplitude(cut.recall) : 1);
  }

  /** Somebody is heard on a channel with an emergency. */
  get alarmed(): boolean {
    return this.#alarmed;
  }

  get sfx(): AudioNode {
    return this.#sfx;
  }

  channel(frequency: string): ChannelAudio {
    return this.#channels.get(frequency) ?? silentChannel;
  }

  setChannel(frequency: string, change: Partial<ChannelAudio>): void {
    this.#channels.set(frequency, { ...this.channel(frequency), ...change });
    this.#apply();
  }

  removeChannel(frequency: string): void {
    this.#channels.delete(frequency);
    const strip = this.#strips.get(frequency);
    strip?.gain.disconnect();
    strip?.pan.disconnect();
    this.#strips.delete(frequency);
    this.#apply();
  }

  setMaster(change: Partial<MasterAudio>): void {
    if (change.voiceVolume !== undefined) {
      this.#glide(this.#sides.selected.gain, change.voiceVolume);
      this.#glide(this.#sides.unselected.gain, change.voiceVolume);
    }
    if (change.sfxVolume !== undefined) this.#glide(this.#sfx.gain, change.sfxVolume);
  }

  setEffects(levels: EffectLevels): void {
    this.#effects = levels;
    for (const [key, bus] of this.#buses) bus.setLevel(levels[key.split(" ")[0] as ChannelKind] ?? 1);
  }

  effect(kind: ChannelKind): number {
    return this.#effects[kind] ?? 1;
  }

  /** join plays a source on a channel's strip. */
  join(source: Source, frequency: string): void {
    const strip = this.strip(frequency);
    source.joined = frequency;
    if (source.strip === strip) return;
    if (source.strip !== null) source.node.disconnect(source.strip);
    source.node.connect(strip);
    source.strip = strip;
  }

  /** live counts who is heard on a channel, for the ducking. */
  live(frequency: string, by: 1 | -1): void {
    const n = (this.#live.get(frequency) ?? 0) + by;
    if (n > 0) this.#live.set(frequency, n);
    else this.#live.delete(frequency);
    this.#apply();
  }

  /** strip returns a channel's input, which it makes when first needed. */
  strip(frequency: string): AudioNode {
    let strip = this.#strips.get(frequency);
    if (strip === undefined) {
      strip = { gain: this.context.createGain(), pan: this.context.createStereoPanner(), bus: null };
      strip.gain.connect(strip.pan);
      this.#strips.set(frequency, strip);
      this.#apply(true);
    }
    return strip.gain;
  }

  #bus(kind: ChannelKind, side: Side): Bus {
    const key = `${kind} ${side}`;
    let bus = this.#buses.get(key);
    if (bus === undefined) {
      bus = makeBus(this.context, kind);
      bus.setLevel(this.effect(kind));
      bus.output.connect(this.#voices[side]);
      this.#buses.set(key, bus);
    }
    return bus;
  }

  #apply(atOnce = false): void {
    const now = new Map([...this.#channels].map(([f, c]) => [f, { ...c, live: this.#live.has(f) && !c.muted }]));
    const cuts = ducked(now);
    for (const [frequency, strip] of this.#strips) {
      const c = this.channel(frequency);
      const bus = this.#bus(c.kind, c.selected || c.emergency ? "selected" : "unselected");
      if (strip.bus !== bus) {
        strip.pan.disconnect();
        strip.pan.connect(bus.input);
        strip.bus = bus;
      }
      // Square law: the middle of a slider is half as loud, not nearly all.
      const level = c.muted ? 0 : c.volume ** 2 * amplitude(cuts.get(frequency) ?? 0);
      if (atOnce && strip.gain.gain.value === 1) strip.gain.gain.value = level;
      this.#glide(strip.gain.gain, level);
      this.#glide(strip.pan.pan, c.pan);
    }
    const before = this.#alarmed;
    this.#alarmed = alarmed(now);
    if (this.#alarmed && !before) this.onalarm();
  }

  #glide(param: AudioParam, to: number): void {
    param.setTargetAtTime(to, this.context.currentTime, glide);
  }
}
