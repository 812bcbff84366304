// The audio engine in a browser: what api.ts promises, and what the voice link
// needs beyond it.

import type { AudioEngine, ChannelAudio, Device, Devices, EffectLevels, MasterAudio, SignalEffect, ToneFile } from "./api";
import { Microphone, type MicrophoneOptions } from "./microphone";
import { Mixer } from "./mixer";
import { TapeRecall } from "./recall/recall";
import processors from "./processors.worklet.ts?worker&url";
import { FrameSource, TrackSource, type Source } from "./source";
import type { Space } from "./space";
import { Tonebox } from "./tonebox";
import { seedOf } from "./weak";

/** Hz. This is Opus's own rate, so that nothing has to be converted. */
const rate = 48_000;

type Sinkable = { setSinkId?: (id: string) => Promise<void> };

export class Engine implements AudioEngine {
  readonly mixer: Mixer;
  readonly microphone: Microphone;
  readonly recall: TapeRecall;
  readonly #tones: Tonebox;
  readonly #sources = new Set<Source>();
  readonly #listeners = new Set<() => void>();
  /** Where voices come from places. Null: nowhere, all are on their channel's strip. */
  space: Space | null = null;
  #signal: SignalEffect | null = null;
  #aside: { element: HTMLAudioElement; node: MediaStreamAudioDestinationNode } | null = null;

  private constructor(
    readonly context: AudioContext,
    options: MicrophoneOptions,
  ) {
    this.mixer = new Mixer(context);
    this.microphone = new Microphone(context, options);
    this.recall = new TapeRecall(this.mixer, () => this.#changed());
    this.#tones = new Tonebox(context);
    context.onstatechange = () => {
      if (this.state === "suspended") this.#start(); // the system took it away, and may give it back at once
      this.#changed();
    };
    this.microphone.onchange = () => {
      this.#start(); // some browsers take permission for the microphone as permission to play
      this.#changed();
    };
    navigator.mediaDevices?.addEventListener("devicechange", this.#plugged);
  }

  /** plugged: a missing microphone may be there now. */
  readonly #plugged = (): void => {
    const { missing, wanted } = this.microphone;
    if (wanted && (missing === "missing" || missing === "lost" || missing === "busy")) void this.microphone.take();
    this.#start(); // an output may be there now
    this.#changed();
  };

  /** open makes an engine; its context waits for a gesture if the browser wants one. */
  static async open(options: MicrophoneOptions = { processing: true }): Promise<Engine> {
    const context = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
    await context.audioWorklet.addModule(processors);
    return new Engine(context, options);
  }

  get state(): AudioEngine["state"] {
    return this.context.state === "running" || this.context.state === "closed" ? this.context.state : "suspended";
  }

  async resume(): Promise<void> {
    await this.context.resume();
  }

  /** start tries without a gesture; if that is not allowed, nothing happens before one. */
  #start(): void {
    if (this.state === "suspended") void this.context.resume().catch(() => undefined);
  }

  onchange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const l of this.#listeners) l();
  }

  setChannel(frequency: string, change: Partial<ChannelAudio>): void {
    this.mixer.setChannel(frequency, change);
  }

  removeChannel(frequency: string): void {
    this.mixer.removeChannel(frequency);
  }

  setMaster(change: Partial<MasterAudio>): void {
    this.mixer.setMaster(change);
  }

  setEffects(levels: EffectLevels): void {
    this.mixer.setEffects(levels);
  }

  setSignal(effect: SignalEffect | null): void {
    this.#signal = effect;
    for (const s of this.#sources) this.#weaken(s);
  }

  meter(frequency: string): number {
    let peak = 0;
    for (const s of this.#sources) if (s.joined === frequency) peak = Math.max(peak, s.meter);
    return peak;
  }

  microphoneMeter(): number {
    return this.microphone.meter;
  }

  setTones(tones: ToneFile[]): void {
    this.#tones.setTones(tones);
  }

  playTone(name: string, frequency?: string, level = 1): Promise<void> {
    return this.#tones.play(name, frequency === undefined ? this.mixer.sfx : this.mixer.strip(frequency), level);
  }

  permit(frequency?: string): void {
    const trunked = frequency !== undefined && this.mixer.channel(frequency).kind === "trunked";
    void this.playTone(trunked ? "GRANT" : "PERMIT");
  }

  busy(): void {
    void this.playTone("BUSY");
  }

  linkLost(): void {
    void this.playTone("LINK_LOST");
  }

  linkRestored(): void {
    void this.playTone("LINK_RESTORED");
  }

  /** Everything that can be heard now: slots in their order, then decoded talkers. */
  get sources(): readonly Source[] {
    return [...this.#sources];
  }

  /** addTrack plays a remote track; it is silent until it is routed. */
  addTrack(track: MediaStreamTrack): TrackSource {
    return this.#add(new TrackSource(this.context, track));
  }

  /** addFrames plays frames that are pushed. */
  addFrames(): FrameSource {
    return this.#add(new FrameSource(this.context));
  }

  #add<S extends Source>(source: S): S {
    this.#sources.add(source);
    return source;
  }

  remove(source: Source): void {
    this.route(source, null);
    this.#sources.delete(source);
    source.close();
    source.strip = null;
  }

  /**
   * route says on which channel a source is heard from now on, and whose voice it is;
   * without a talker (the own voice coming back) it cannot be recalled. A frequency
   * of null means that the burst is over: the source stays on its strip, because its
   * buffer still holds the last syllable. A voice overheard on a radio nearby comes
   * from a place, if there is a space for it: it is on no strip, ducks nobody, and is
   * not recalled.
   */
  route(source: Source, frequency: string | null, talker: number | null = null, overheard = false): void {
    const near = overheard && frequency !== null && talker !== null && this.space !== null;
    if (source.frequency === frequency && source.talker === talker && source.near === near) return;
    const before = source.near ? null : source.frequency;
    const after = near ? null : frequency;
    source.frequency = frequency;
    source.talker = talker;
    source.near = near;
    source.signal = 100;
    if (frequency !== null) source.seed = seedOf(talker ?? 0, frequency, ++source.talks);
    this.#weaken(source);
    this.recall.follow(source);
    if (near) this.space!.join(source, talker);
    if (before === after) return;
    if (before !== null) {
      this.mixer.live(before, -1);
      this.#tail(before);
    }
    if (after !== null) {
      this.mixer.join(source, after);
      this.mixer.live(after, 1);
    }
  }

  /** strength says how well the voice of a source arrives from now on, 0..100 (if it is not said, 100); route begins with 100. */
  strength(source: Source, signal: number | null | undefined): void {
    const now = signal ?? 100;
    if (source.signal === now) return;
    source.signal = now;
    this.#weaken(source);
  }

  #weaken(source: Source): void {
    const { frequency, signal, seed } = source;
    const weak = this.#signal !== null && frequency !== null && signal < 100;
    source.weaken(weak ? { ...this.#signal!, signal, seed, digital: this.mixer.channel(frequency).kind === "digital" } : null);
  }

  /** tail plays the noise of a squelch that closes after a burst. */
  #tail(frequency: string): void {
    const { kind } = this.mixer.channel(frequency);
    const level = this.mixer.effect(kind);
    if (kind === "conventional" && level > 0) void this.#tones.play("TAIL", this.mixer.strip(frequency), level);
  }

  async devices(): Promise<Devices> {
    const all = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    const of = (kind: MediaDeviceKind): Device[] =>
      all.filter((d) => d.kind === kind && d.deviceId !== "").map((d) => ({ id: d.deviceId, label: d.label }));
    const outputs = (this.context as Sinkable).setSinkId === undefined ? [] : of("audiooutput");
    return { microphones: of("audioinput"), outputs };
  }

  async setOutputs(selected: string, unselected: string): Promise<void> {
    const context = this.context as Sinkable;
    if (context.setSinkId === undefined) {
      if (selected === "" && unselected === "") return;
      throw new Error("this browser plays only on the system's default output");
    }
    await context.setSinkId(selected);
    const side = this.mixer.side("unselected");
    if (this.#aside !== null) {
      this.#aside.element.pause();
      side.disconnect();
      side.connect(this.context.destination);
      this.#aside = null;
    }
    if (unselected === selected) return;
    const node = this.context.createMediaStreamDestination();
    const element = new Audio();
    element.srcObject = node.stream;
    await (element as unknown as Required<Sinkable>).setSinkId(unselected);
    await element.play();
    side.disconnect();
    side.connect(node);
    this.#aside = { element, node };
  }

  async setMicrophone(id: string): Promise<void> {
    await this.microphone.take(id);
    if (this.microphone.missing !== null) throw new Error(this.microphone.missing);
  }

  setMicrophoneGain(gain: number): void {
    this.microphone.setGain(gain);
  }

  async close(): Promise<void> {
    navigator.mediaDevices?.removeEventListener("devicechange", this.#plugged);
    this.microphone.release();
    this.recall.close();
    for (const s of [...this.#sources]) this.remove(s);
    this.#aside?.element.pause();
    await this.context.close();
  }
}
