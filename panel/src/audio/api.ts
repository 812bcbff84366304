// What the rest of the panel may ask of the audio engine. Nothing here uses the
// browser; only the engine does.

import type { Priority } from "../state/desk";
import type { OneSaid, RecallState } from "../state/recall";

/** How a channel sounds; chooses its bus of effects. */
export type ChannelKind = "conventional" | "trunked" | "digital";

/** A channel's strip. A change may leave out fields; these stay as they were. */
export interface ChannelAudio {
  /** 0..1 */
  volume: number;
  /** -1 left .. 1 right */
  pan: number;
  muted: boolean;
  /** The selected channels are loud, the others 9 dB quieter. */
  selected: boolean;
  priority: Priority;
  /** There is a panic or an emergency alert on it: everything else goes 24 dB down. */
  emergency: boolean;
  kind: ChannelKind;
  /** The channel under which it is recalled: a working frequency's talkgroup; "": its own frequency. */
  home: string;
}

/** Effect levels of the configuration (radioFx), each 0..1; 0 is off. */
export type EffectLevels = Partial<Record<ChannelKind, number>>;

/** How a weak signal sounds: levels of the configuration (signal), each 0..1. */
export interface SignalEffect {
  noise: number;
  dropouts: number;
}

export interface MasterAudio {
  /** 0..1 */
  voiceVolume: number;
  /** 0..1 */
  sfxVolume: number;
}

/** A device that the browser offers. The label is empty until the user has allowed a microphone. */
export interface Device {
  id: string;
  label: string;
}

export interface Devices {
  microphones: Device[];
  /** Empty if the browser cannot choose an output. */
  outputs: Device[];
}

/** A tone by name: one that the panel makes itself, or one of the configuration's files. */
export interface ToneFile {
  name: string;
  /** Its address; undefined: the panel makes the tone. */
  url?: string;
  /** Fetches the file where it has no address that the page may load. */
  load?: () => Promise<ArrayBuffer>;
}

/** A burst on the tape: who began to talk where, and when (ms since the epoch). */
export interface Taped {
  readonly channel: string;
  readonly talker: number;
  readonly at: number;
}

/** Instant recall: the last traffic again, while live voice goes on. */
export interface Recall {
  /** Null: nothing is shown. */
  readonly state: RecallState | null;
  /** How much of it was played, 0..1, for one animation-frame loop. */
  readonly progress: number;
  /**
   * Plays the last seconds of what was said on a channel, or on all (null), at most
   * 60; what was playing stops. Nothing plays while an emergency is being heard.
   */
  play(channel: string | null, seconds: number): void;
  /** What is on the tape, the oldest first. */
  readonly taped: readonly Taped[];
  /** Plays what a unit said on a channel between two moments (ms since the epoch), from the tape; what was playing stops. */
  playOne(what: OneSaid, from: number, to: number): void;
  /** Decodes a recording. Rejects if the browser cannot. */
  open(file: ArrayBuffer): Promise<AudioBuffer>;
  /** Plays a recording by the same rules; peaks are its picture, and are measured if there are none. */
  playFile(what: OneSaid, sound: AudioBuffer, peaks: readonly number[]): void;
  /** Plays on from another moment of what is shown, 0..1. */
  seek(to: number): void;
  /** Plays on from one of the bursts in the state. */
  from(index: number): void;
  /** Stops, and hides what was shown. */
  stop(): void;
}

export interface AudioEngine {
  readonly recall: Recall;
  /**
   * "suspended" until the user has touched the page (autoplay rule), without a sound
   * output, and while the system has taken the sound away; call resume() from a
   * gesture. Meanwhile nothing is heard, and nothing is sent from the microphone.
   */
  readonly state: "suspended" | "running" | "closed";
  /** Resolves when sound is running; never, as long as it is not allowed. */
  resume(): Promise<void>;
  onchange(listener: () => void): () => void;

  setChannel(frequency: string, change: Partial<ChannelAudio>): void;
  removeChannel(frequency: string): void;
  setMaster(change: Partial<MasterAudio>): void;
  setEffects(levels: EffectLevels): void;
  /** Null: a weak signal sounds like a good one. */
  setSignal(effect: SignalEffect | null): void;

  /** Peak of the decoded samples of a channel, 0..1, falling; for one animation-frame loop. */
  meter(frequency: string): number;
  /** Peak of the microphone, 0..1. */
  microphoneMeter(): number;

  /** The configuration's tones; they win over built-in ones of the same name. */
  setTones(tones: ToneFile[]): void;
  /**
   * Plays a tone at the volume for tones, on the channel's strip if a frequency is
   * given. The promise resolves at the tone's end; an unknown name plays BEEP. level
   * is an amplitude.
   */
  playTone(name: string, frequency?: string, level?: number): Promise<void>;
  /** With a frequency: in the style of that channel (trunked ones give three pips). */
  permit(frequency?: string): void;
  busy(): void;
  linkLost(): void;
  linkRestored(): void;

  devices(): Promise<Devices>;
  /** Output of the selected channels and tones ("" = the system's), and of the unselected ones. */
  setOutputs(selected: string, unselected: string): Promise<void>;
  /** The microphone to use from now on ("" = the system's). Rejects with a reason to show. */
  setMicrophone(id: string): Promise<void>;
  /** 0..2; 1 leaves it as it is. */
  setMicrophoneGain(gain: number): void;

  close(): Promise<void>;
}
