// The µ-law of ITU-T G.711 on samples of -1..1: a byte a sample, 38 dB over its
// noise however loud, which is better than what came over the air.

/** What G.711 adds before it takes the logarithm, and the most that it can hold, of 32768. */
const bias = 132;
const most = 32_635;

export function encode(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const level = Math.min(most, Math.abs(sample) * 32_768) + bias;
  const exponent = 24 - Math.clz32(level);
  const mantissa = (level >> (exponent + 3)) & 15;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

const levels = Float32Array.from({ length: 256 }, (_, byte) => {
  const code = ~byte & 0xff;
  const level = ((((code & 15) << 3) + bias) << ((code >> 4) & 7)) - bias;
  return (code & 0x80 ? -level : level) / 32_768;
});

/** decode writes the samples of bytes into out, from an index on. */
export function decode(bytes: Uint8Array, out: Float32Array, at = 0): void {
  for (let i = 0; i < bytes.length; i++) out[at + i] = levels[bytes[i]!]!;
}
