// The microphone: asked for once, kept open, and muted by a gate, so that a key-up
// loses nothing while a device starts.

import type { NoMicrophone } from "../state/voice";
import { Source } from "./source";

/** Ramp of the gate as a time constant in seconds: 3 of them are under a frame. */
const ramp = 0.003;

/** reasonOf says why getUserMedia failed (Media Capture and Streams, section 10.2). */
export function reasonOf(error: unknown): NoMicrophone {
  switch (error instanceof Error ? error.name : "") {
    case "NotAllowedError":
    case "SecurityError":
      return "denied";
    case "NotFoundError":
    case "OverconstrainedError":
      return "missing";
    case "NotReadableError":
    case "AbortError":
      return "busy";
    default:
      return "unsupported";
  }
}

export interface MicrophoneOptions {
  /** The browser's echo cancellation, noise suppression and automatic gain. */
  processing: boolean;
}

export class Microphone {
  readonly #gain: GainNode;
  readonly #gate: GainNode;
  readonly #meter: Source;
  readonly #capture: AudioWorkletNode;
  readonly #out: MediaStreamAudioDestinationNode;
  #stream: MediaStream | null = null;
  #source: MediaStreamAudioSourceNode | null = null;
  #id = "";
  #open = false;
  #asked = 0;
  #wanted = false;
  /** Null: there is a microphone. */
  missing: NoMicrophone | null = "missing";
  /** Called when the microphone came or went. */
  onchange: () => void = () => undefined;

  constructor(
    readonly context: AudioContext,
    readonly options: MicrophoneOptions,
  ) {
    this.#gain = context.createGain();
    this.#gate = new GainNode(context, { gain: 0 });
    this.#out = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
    this.#meter = new Source(new AudioWorkletNode(context, "squelch-meter", { outputChannelCount: [1] }));
    this.#capture = new AudioWorkletNode(context, "squelch-capture", { numberOfOutputs: 1, channelCount: 1 });
    this.#gain.connect(this.#meter.node).connect(this.#gate).connect(this.#out);
    // A node runs only while it leads to the loudspeaker; this one is silent.
    this.#gate.connect(this.#capture).connect(context.destination);
  }

  /** The track that the service gets: silence while the gate is closed. */
  get track(): MediaStreamTrack {
    return this.#out.stream.getAudioTracks()[0]!;
  }

  get meter(): number {
    return this.#meter.meter;
  }

  /** A microphone was asked for, and not given back. */
  get wanted(): boolean {
    return this.#wanted;
  }

  /** What is heard behind the voice: it goes through the gate, but is no part of the meter. */
  get behind(): AudioNode {
    return this.#gate;
  }

  /** What passes the gate. */
  get passed(): AudioNode {
    return this.#gate;
  }

  get open(): boolean {
    return this.#open;
  }

  setGain(gain: number): void {
    this.#gain.gain.setTargetAtTime(Math.min(2, Math.max(0, gain)), this.context.currentTime, ramp);
  }

  /** gate opens or closes the gate. */
  gate(open: boolean): void {
    this.#open = open;
    this.#gate.gain.cancelScheduledValues(this.context.currentTime);
    this.#gate.gain.setTargetAtTime(open ? 1 : 0, this.context.currentTime, ramp);
  }

  /** frames gives the listener 20 ms frames of what passes the gate, until it is set to null. */
  frames(listener: ((samples: Float32Array<ArrayBuffer>) => void) | null): void {
    this.#capture.port.onmessage = listener === null ? null : (e: MessageEvent<Float32Array<ArrayBuffer>>) => listener(e.data);
    this.#capture.port.postMessage(listener !== null);
  }

  /** inject sends a sound to the service instead of the microphone, starting at a time of the context. */
  inject(samples: Float32Array<ArrayBuffer>, when: number): void {
    const buffer = this.context.createBuffer(1, samples.length, this.context.sampleRate);
    buffer.copyToChannel(samples, 0);
    const source = new AudioBufferSourceNode(this.context, { buffer });
    source.connect(this.#out);
    source.connect(this.#capture);
    source.start(when);
  }

  /** take asks for a microphone; id "" is the system's. The result is in missing. */
  async take(id = this.#id): Promise<void> {
    this.#id = id;
    this.#wanted = true;
    const asked = ++this.#asked;
    if (!window.isSecureContext) return this.#lacks("insecure");
    if (navigator.mediaDevices?.getUserMedia === undefined) return this.#lacks("unsupported");
    const on = this.options.processing;
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: {
          ...(id === "" ? {} : { deviceId: { exact: id } }),
          echoCancellation: on,
          noiseSuppression: on,
          autoGainControl: on,
          channelCount: 1,
        },
      });
      if (asked === this.#asked) this.#use(stream);
      else for (const t of stream.getTracks()) t.stop(); // another one was asked for, or none any more
    } catch (error) {
      if (asked === this.#asked) this.#lacks(reasonOf(error));
    }
  }

  #use(stream: MediaStream): void {
    this.#drop();
    this.#stream = stream;
    const track = stream.getAudioTracks()[0];
    if (track === undefined) return this.#lacks("missing");
    this.#source = this.context.createMediaStreamSource(stream);
    this.#source.connect(this.#gain);
    track.onended = () => this.#lacks("lost");
    this.missing = null;
    this.onchange();
  }

  #lacks(why: NoMicrophone): void {
    this.#drop();
    this.missing = why;
    this.onchange();
  }

  /** release gives the device back, even one that is still being asked for. */
  release(): void {
    this.#asked++;
    this.#wanted = false;
    this.missing = "missing";
    this.#drop();
  }

  #drop(): void {
    this.#source?.disconnect();
    for (const t of this.#stream?.getTracks() ?? []) {
      t.onended = null;
      t.stop();
    }
    this.#source = null;
    this.#stream = null;
  }
}
