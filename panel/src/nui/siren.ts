// The own siren as others hear it behind the voice: on the roof, through closed windows.
// A wail: two seconds up, two down.

/** Hz at both ends of a wail, and the seconds of one (as wide as those of common sirens, SAE J1849). */
const wail = { low: 620, high: 1500, seconds: 4 };
/** Amplitude at the microphone, under the voice: about -30 dBFS. */
const level = 0.03;
/** What a car's body lets through, Hz. */
const muffle = 1800;
/** Time constant of its coming and going, seconds. */
const fade = 0.12;

export class Siren {
  readonly #gain: GainNode;
  #tone: OscillatorNode | null = null;

  constructor(
    readonly context: AudioContext,
    behind: AudioNode,
  ) {
    this.#gain = new GainNode(context, { gain: 0 });
    this.#gain.connect(behind);
  }

  set(on: boolean): void {
    if (on === (this.#tone !== null)) return;
    const { currentTime } = this.context;
    this.#gain.gain.setTargetAtTime(on ? level : 0, currentTime, fade);
    if (on) this.#start();
    else {
      this.#tone!.stop(currentTime + 5 * fade);
      this.#tone = null;
    }
  }

  #start(): void {
    const { context } = this;
    const tone = new OscillatorNode(context, { type: "sawtooth", frequency: (wail.low + wail.high) / 2 });
    const sweep = new OscillatorNode(context, { type: "triangle", frequency: 1 / wail.seconds });
    const swing = new GainNode(context, { gain: (wail.high - wail.low) / 2 });
    const body = new BiquadFilterNode(context, { type: "lowpass", frequency: muffle, Q: Math.SQRT1_2 });
    sweep.connect(swing).connect(tone.frequency);
    tone.connect(body).connect(this.#gain);
    tone.onended = () => {
      sweep.stop();
      body.disconnect();
    };
    tone.start();
    sweep.start();
    this.#tone = tone;
  }
}
