// Records two nodes in step, so that a lag between them is a number of samples.

/** Samples of the context to one that is kept: 8 kHz of 48, and the speech has no more. */
const keep = 6;
/** Kept samples in a message: 100 ms. */
const block = 800;

registerProcessor(
  "bench-recorder",
  class extends AudioWorkletProcessor {
    #frame = new Float32Array(2 * block);
    #at = 0;
    #sums = [0, 0];
    #count = 0;

    process(inputs: Float32Array[][]): boolean {
      for (let i = 0; i < 128; i++) {
        for (let n = 0; n < 2; n++) this.#sums[n]! += inputs[n]?.[0]?.[i] ?? 0;
        if (++this.#count < keep) continue;
        for (let n = 0; n < 2; n++) {
          this.#frame[n * block + this.#at] = this.#sums[n]! / keep;
          this.#sums[n] = 0;
        }
        this.#count = 0;
        if (++this.#at < block) continue;
        this.port.postMessage({ end: currentTime + (i + 1) / sampleRate, frame: this.#frame });
        this.#frame = new Float32Array(2 * block);
        this.#at = 0;
      }
      return true;
    }
  },
);
