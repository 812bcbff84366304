// A tone's file over a connection that carries only events: in pieces, one asked for
// after the other.

import { fromBase64 } from "../link/voice/codec";

/** The largest file that is taken, bytes: the service serves no larger tones. */
const largest = 16 << 20;

/** What is asked for: the stretch of a tone's file from an offset. */
export interface Ask {
  /** The tone's. */
  name: string;
  offset: number;
}

/** A piece, as the service answers; an error instead of it: there is no such file. */
interface Piece {
  data?: string;
  offset?: number;
  size?: number;
  error?: string;
}

/** fetchFile returns the whole file. It rejects if a piece is missing, or not where it belongs. */
export async function fetchFile(ask: (a: Ask) => Promise<unknown>, name: string): Promise<ArrayBuffer> {
  let whole: Uint8Array<ArrayBuffer> | null = null;
  for (let offset = 0; ; ) {
    const p = ((await ask({ name, offset })) ?? {}) as Piece;
    if (p.error !== undefined) throw new Error(`${name}: ${p.error}`);
    const bytes = typeof p.data === "string" ? fromBase64(p.data) : null;
    const size = p.size ?? 0;
    if (bytes === null || bytes.length === 0 || p.offset !== offset || size > largest || offset + bytes.length > size)
      throw new Error(`${name}: the piece at ${offset} is not one of it`);
    whole ??= new Uint8Array(size);
    if (whole.length !== size) throw new Error(`${name}: it changed meanwhile`);
    whole.set(bytes, offset);
    offset += bytes.length;
    if (offset === size) return whole.buffer;
  }
}
