// WAV files of 16 bits, one channel: every program plays them.

const header = 44;

export function wav(samples: Float32Array, rate: number): Uint8Array<ArrayBuffer> {
  const bytes = samples.length * 2;
  const out = new DataView(new ArrayBuffer(header + bytes));
  const text = (at: number, s: string): void => [...s].forEach((c, i) => out.setUint8(at + i, c.charCodeAt(0)));
  text(0, "RIFF");
  out.setUint32(4, header - 8 + bytes, true);
  text(8, "WAVEfmt ");
  out.setUint32(16, 16, true);
  out.setUint16(20, 1, true); // PCM
  out.setUint16(22, 1, true);
  out.setUint32(24, rate, true);
  out.setUint32(28, rate * 2, true);
  out.setUint16(32, 2, true);
  out.setUint16(34, 16, true);
  text(36, "data");
  out.setUint32(40, bytes, true);
  samples.forEach((x, i) => out.setInt16(header + 2 * i, Math.round(Math.max(-1, Math.min(1, x)) * 32_767), true));
  return new Uint8Array(out.buffer);
}

/** Bytes of a file of so many samples. */
export const wavSize = (samples: number): number => header + 2 * Math.ceil(samples);
