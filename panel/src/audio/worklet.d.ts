// The global scope of audio worklets, which TypeScript's DOM library leaves out
// (Web Audio API, section 1.32).

interface AudioWorkletProcessor {
  readonly port: MessagePort;
}

declare const AudioWorkletProcessor: {
  prototype: AudioWorkletProcessor;
  new (): AudioWorkletProcessor;
};

declare function registerProcessor(
  name: string,
  processor: new () => AudioWorkletProcessor & {
    process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
  },
): void;

/** Hz */
declare const sampleRate: number;
/** Seconds on the context's clock at the start of the block. */
declare const currentTime: number;
