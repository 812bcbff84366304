// SHA-256 (FIPS 180-4). The browser's own is missing on pages without TLS, and this
// page must know the hash of exactly what it showed wherever it is opened.

const primes: number[] = [];
for (let x = 2; primes.length < 64; x++) if (primes.every((p) => x % p !== 0)) primes.push(x);
const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) | 0;
const K = primes.map((p) => fraction(Math.cbrt(p)));
const start = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));

/** sha256 is the hash of a text's UTF-8, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // The text, a one bit, zeros, and how many bits the text has, in blocks of 64 bytes.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const hash = Int32Array.from(start);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + i * 4);
    mix(hash, words);
  }
  return [...hash].map((h) => (h >>> 0).toString(16).padStart(8, "0")).join("");
}

const turn = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

/** mix takes one block into the hash; words has its first 16 words. */
function mix(hash: Int32Array, words: Int32Array): void {
  const w = (i: number): number => words[i] as number;
  for (let i = 16; i < 64; i++) {
    const [x, y] = [w(i - 15), w(i - 2)];
    words[i] = w(i - 16) + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + w(i - 7) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (K[i] as number) + w(i)) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [i, x] of [a, b, c, d, e, f, g, h].entries()) hash[i] = (hash[i] as number) + x;
}
