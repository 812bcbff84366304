/**
 * The Opus packets of an Ogg Opus file (RFC 3533, RFC 7845), without its two headers. It
 * throws a RangeError that names the place if the file is something else.
 *
 * The radio takes mono packets of 20 ms; `ffmpeg -i in.wav -ac 1 -c:a libopus -b:a 24k
 * -frame_duration 20 out.ogg` makes such a file.
 */
export function opusPackets(file: Uint8Array): Uint8Array[] {
  const packets: Uint8Array[] = [];
  let open: Uint8Array[] = []; // pieces of a packet that has not ended
  for (let at = 0; at < file.length; ) {
    const segments = file[at + 26];
    if (segments === undefined || text(file, at, 4) !== "OggS") throw new RangeError(`byte ${at}: no Ogg page, expected "OggS"`);
    const table = at + 27;
    let piece = table + segments;
    let length = 0;
    for (let i = 0; i < segments; i++) {
      const lace = file[table + i] ?? 0;
      length += lace;
      if (lace === 255 && i < segments - 1) continue;
      if (piece + length > file.length) throw new RangeError(`byte ${piece}: the page ends after byte ${file.length}, where the file ends`);
      open.push(file.subarray(piece, piece + length));
      piece += length;
      length = 0;
      if (lace === 255) continue; // goes on in the next page
      packets.push(joined(open));
      open = [];
    }
    at = piece;
  }
  const head = packets.shift();
  if (!head || text(head, 0, 8) !== "OpusHead") throw new RangeError('the file has no Opus stream, expected "OpusHead" in its first packet');
  if (!packets.length || text(packets.shift()!, 0, 8) !== "OpusTags") throw new RangeError('expected "OpusTags" in the second packet of the file');
  return packets.filter((p) => p.length > 0);
}

function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

function joined(pieces: Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const out = new Uint8Array(pieces.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const p of pieces) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}
