// What a page plays, measured where it leaves the page.

/** To be called before a page is opened: everything that goes to the loudspeakers can be measured. */
export function earsOn(page) {
  return page.addInitScript(() => {
    const connect = AudioNode.prototype.connect;
    const ears = new Map();
    AudioNode.prototype.connect = function (to, ...rest) {
      if (to instanceof AudioDestinationNode) {
        if (!ears.has(to.context)) ears.set(to.context, new AnalyserNode(to.context, { fftSize: 32768 }));
        connect.call(this, ears.get(to.context));
      }
      return connect.call(this, to, ...rest);
    };
    /** Root mean square of the last 0.7 s, 0 to 1. */
    globalThis.loudness = () => {
      let most = 0;
      for (const ear of ears.values()) {
        const samples = new Float32Array(ear.fftSize);
        ear.getFloatTimeDomainData(samples);
        most = Math.max(most, Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length));
      }
      return most;
    };
  });
}

/** How loud the page is now. */
export const loudness = (page) => page.evaluate(() => globalThis.loudness());
