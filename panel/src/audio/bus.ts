// The effects. They are on buses that channels share, because filters are expensive;
// each channel has only a gain and a pan of its own.

import type { ChannelKind } from "./api";

/** Band of a conventional voice channel in Hz (TIA-603, 300 to 3000; receivers reach a little higher). */
const band = { low: 300, high: 3400 };
/** How hard the soft clip bites: 1 is off. */
const drive = 2;

export interface Bus {
  input: AudioNode;
  output: AudioNode;
  /** 0 leaves the voice as it is, 1 is the whole effect. */
  setLevel(level: number): void;
}

export function makeBus(context: BaseAudioContext, kind: ChannelKind): Bus {
  if (kind === "conventional") return conventional(context);
  // Trunked systems are known by their grant beep, digital ones by the vocoder that
  // the service has applied: the voice is left alone.
  const through = context.createGain();
  return { input: through, output: through, setLevel: () => undefined };
}

function conventional(context: BaseAudioContext): Bus {
  const input = context.createGain();
  const output = context.createGain();
  const dry = context.createGain();
  const wet = context.createGain();
  const low = new BiquadFilterNode(context, { type: "highpass", frequency: band.low, Q: Math.SQRT1_2 });
  const high = new BiquadFilterNode(context, { type: "lowpass", frequency: band.high, Q: Math.SQRT1_2 });
  const clip = new WaveShaperNode(context, { curve: softClip() });
  input.connect(dry).connect(output);
  input.connect(low).connect(high).connect(clip).connect(wet).connect(output);
  const setLevel = (level: number) => {
    wet.gain.value = level;
    dry.gain.value = 1 - level;
  };
  setLevel(1);
  return { input, output, setLevel };
}

/** softClip is a tanh that leaves quiet voice at its level. */
export function softClip(): Float32Array<ArrayBuffer> {
  const curve = new Float32Array(1025);
  for (let i = 0; i < curve.length; i++) {
    curve[i] = Math.tanh(drive * ((2 * i) / (curve.length - 1) - 1)) / drive;
  }
  return curve;
}
