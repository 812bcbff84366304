// A zip file of stored entries (PKWARE's APPNOTE.TXT 6.3.3): voice would not become smaller.

/** Without zip64, that many entries and bytes fit. */
export const mostEntries = 65_535;
export const mostBytes = 2 ** 32 - 1;

const utf8 = 1 << 11;
/** Version 2.0, the one of plain files. */
const version = 20;

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

export function crc32(data: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of data) c = table[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
}

/** A moment as DOS writes it, in UTC: two bytes of time, two of date; it knows no year before 1980 or after 2107. */
function dosTime(at: number): [time: number, date: number] {
  const d = new Date(Math.min(Math.max(at, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  return [
    (d.getUTCHours() << 11) | (d.getUTCMinutes() << 5) | (d.getUTCSeconds() >> 1),
    ((d.getUTCFullYear() - 1980) << 9) | ((d.getUTCMonth() + 1) << 5) | d.getUTCDate(),
  ];
}

/** The numbers of a record, one after the other: [value, bytes]. */
function record(...fields: [value: number, bytes: 2 | 4][]): Uint8Array {
  const out = new DataView(new ArrayBuffer(fields.reduce((sum, [, n]) => sum + n, 0)));
  let at = 0;
  for (const [value, bytes] of fields) {
    if (bytes === 2) out.setUint16(at, value, true);
    else out.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(out.buffer);
}

/** ZipWriter puts files into one zip file. */
export class ZipWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #directory: Uint8Array[] = [];
  #size = 0;
  #directorySize = 0;

  /** Bytes so far. */
  get size(): number {
    return this.#size + this.#directorySize;
  }

  /** add appends a file; at: ms since the epoch. It throws when the file does not fit. */
  add(name: string, data: Uint8Array, at: number): void {
    const named = new TextEncoder().encode(name);
    if (this.#directory.length / 2 >= mostEntries) throw new RangeError(`a zip file has at most ${mostEntries} files`);
    if (this.size + data.length + 2 * named.length + 200 > mostBytes) throw new RangeError(`a zip file has at most ${mostBytes} bytes`);
    const [time, date] = dosTime(at);
    const common: [number, 2 | 4][] = [[version, 2], [utf8, 2], [0, 2], [time, 2], [date, 2], [crc32(data), 4], [data.length, 4], [data.length, 4], [named.length, 2], [0, 2]];
    const entry = record([0x02014b50, 4], [version, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [this.#size, 4]);
    this.#directory.push(entry, named);
    this.#directorySize += entry.length + named.length;
    for (const part of [record([0x04034b50, 4], ...common), named, data]) {
      this.#parts.push(part);
      this.#size += part.length;
    }
  }

  text(name: string, text: string, at: number): void {
    this.add(name, new TextEncoder().encode(text), at);
  }

  /** The whole file. */
  end(): Blob {
    const files = this.#directory.length / 2;
    const end = record([0x06054b50, 4], [0, 2], [0, 2], [files, 2], [files, 2], [this.#directorySize, 4], [this.#size, 4], [0, 2]);
    return new Blob([...this.#parts, ...this.#directory, end] as BlobPart[], { type: "application/zip" });
  }
}
