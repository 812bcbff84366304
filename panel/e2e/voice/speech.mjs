// The speech that the browser's microphone hears.
import { readFileSync } from "node:fs";

const folder = new URL("../../../sfu/imbe/testdata/", import.meta.url);
const rate = 48_000;

/** pcm reads 8 kHz samples. */
function pcm(name) {
  const b = readFileSync(new URL(name, folder));
  return new Int16Array(b.buffer, b.byteOffset, b.length / 2);
}

/** Butterworth's fourth order is two filters of the second, of these qualities. */
const qualities = [0.5412, 1.3066];

/**
 * withoutRumble takes out what is below 100 Hz: one reader breathes on the microphone, a
 * rumble at 10 Hz that is louder than some syllables. Opus filters it out of speech as well
 * (RFC 6716, section 5, figure 20), so a comparison would miss it in what is heard.
 */
function withoutRumble(samples) {
  const w = (2 * Math.PI * 100) / 8000;
  return qualities.reduce((given, q) => {
    const alpha = Math.sin(w) / (2 * q);
    const [b, a0, a1, a2] = [(1 + Math.cos(w)) / 2, 1 + alpha, -2 * Math.cos(w), 1 - alpha];
    let [x1, x2, y1, y2] = [0, 0, 0, 0];
    return Float32Array.from(given, (x) => {
      const y = (b * (x - 2 * x1 + x2) - a1 * y1 - a2 * y2) / a0;
      [x2, x1, y2, y1] = [x1, x, y1, y];
      return y;
    });
  }, samples);
}

/** voiced cuts pauses down to so many frames. */
function voiced(samples, pause) {
  const frame = 160; // 20 ms
  const kept = [];
  let quiet = 0;
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const f = samples.subarray(at, at + frame);
    quiet = f.reduce((sum, v) => sum + v * v, 0) / frame > 500 ** 2 ? 0 : quiet + 1;
    if (quiet <= pause) kept.push(...f);
  }
  return kept;
}

/** taps of the interpolation to six times the rate: a windowed sinc (Hann) of 16 samples. */
const up = rate / 8000;
const reach = 8;
const taps = Array.from({ length: up }, (_, phase) =>
  Array.from({ length: 2 * reach }, (_, k) => {
    const x = k - reach + 1 - phase / up;
    return (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * (0.5 + 0.5 * Math.cos((Math.PI * x) / reach));
  }),
);

/**
 * speech is a WAV (RFC 2361, 16-bit PCM) of real readers at 48 kHz. Their pauses are at
 * most that long, in frames of 20 ms, so that a key pressed at any moment catches speech.
 */
export function speech(pause = 3) {
  const low = [...voiced(withoutRumble(pcm("speech_a.pcm")), pause), ...voiced(withoutRumble(pcm("woman.pcm")), pause)];
  const data = Buffer.alloc(low.length * up * 2);
  for (let i = 0; i < low.length; i++) {
    for (let phase = 0; phase < up; phase++) {
      let v = 0;
      for (let k = 0; k < 2 * reach; k++) v += taps[phase][k] * (low[i + k - reach + 1] ?? 0);
      data.writeInt16LE(Math.max(-32768, Math.min(32767, Math.round(v))), (i * up + phase) * 2);
    }
  }
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // mono
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
