// Frames between the host and a VM: msgpack, by the packer of bios/msgpack.lua. Bytes of a
// payload pass through the host unread; what the host does read becomes plain JS values.

/** Float keeps a number a float on its way into Lua, where 25.0 is not 25. */
export class Float {
  constructor(value) {
    this.value = value;
  }
}

/** Reference is a function of a VM, or of the host, that crossed a border. */
export class Reference {
  constructor(name) {
    this.name = name;
  }
}

export class Vector3 {
  constructor(x, y, z) {
    Object.assign(this, { x, y, z });
  }
}

/** Packed is msgpack already. */
export class Packed {
  constructor(bytes) {
    this.bytes = bytes;
  }
}

export const NIL = Buffer.from([0xc0]);
const EXT_REFERENCE = 10;
const EXT_VECTOR3 = 21;

const big = (size, n, write) => {
  const b = Buffer.allocUnsafe(size);
  b[0] = n;
  write(b);
  return b;
};
const integer = (n) => {
  if (n >= 0) {
    if (n < 128) return Buffer.from([n]);
    if (n < 256) return Buffer.from([0xcc, n]);
    if (n < 65536) return big(3, 0xcd, (b) => b.writeUInt16BE(n, 1));
    if (n < 2 ** 32) return big(5, 0xce, (b) => b.writeUInt32BE(n, 1));
    return big(9, 0xcf, (b) => b.writeBigUInt64BE(BigInt(n), 1));
  }
  if (n >= -32) return Buffer.from([256 + n]);
  if (n >= -128) return big(2, 0xd0, (b) => b.writeInt8(n, 1));
  if (n >= -32768) return big(3, 0xd1, (b) => b.writeInt16BE(n, 1));
  if (n >= -(2 ** 31)) return big(5, 0xd2, (b) => b.writeInt32BE(n, 1));
  return big(9, 0xd3, (b) => b.writeBigInt64BE(BigInt(n), 1));
};
const float = (n) => big(9, 0xcb, (b) => b.writeDoubleBE(n, 1));
const head = (n, small, l16, l32) => {
  if (n < 16) return Buffer.from([small | n]);
  if (n < 65536) return big(3, l16, (b) => b.writeUInt16BE(n, 1));
  return big(5, l32, (b) => b.writeUInt32BE(n, 1));
};
const text = (bytes) => {
  if (bytes.length < 32) return [Buffer.from([0xa0 | bytes.length]), bytes];
  if (bytes.length < 65536) return [big(3, 0xda, (b) => b.writeUInt16BE(bytes.length, 1)), bytes];
  return [big(5, 0xdb, (b) => b.writeUInt32BE(bytes.length, 1)), bytes];
};
const ext = (kind, data) => [Buffer.from([0xc7, data.length, kind]), data];

function put(v, out) {
  if (v === null || v === undefined) out.push(NIL);
  else if (v === true || v === false) out.push(Buffer.from([v ? 0xc3 : 0xc2]));
  else if (typeof v === "number") out.push(Number.isSafeInteger(v) ? integer(v) : float(v));
  else if (typeof v === "string") out.push(...text(Buffer.from(v)));
  else if (v instanceof Packed) out.push(v.bytes);
  else if (v instanceof Float) out.push(float(v.value));
  else if (v instanceof Uint8Array) out.push(...text(v)); // a Lua string of any bytes
  else if (v instanceof Reference) out.push(...ext(EXT_REFERENCE, Buffer.from(v.name)));
  else if (v instanceof Vector3) {
    const data = Buffer.allocUnsafe(12);
    [v.x, v.y, v.z].forEach((n, i) => data.writeFloatLE(n, i * 4));
    out.push(...ext(EXT_VECTOR3, data));
  } else if (Array.isArray(v)) {
    out.push(head(v.length, 0x90, 0xdc, 0xdd));
    for (const each of v) put(each, out);
  } else if (v instanceof Map) {
    out.push(head(v.size, 0x80, 0xde, 0xdf));
    for (const [k, each] of v) put(k, out), put(each, out);
  } else if (typeof v === "object") {
    const entries = Object.entries(v).filter(([, each]) => each !== undefined);
    out.push(head(entries.length, 0x80, 0xde, 0xdf));
    for (const [k, each] of entries) put(k, out), put(each, out);
  } else throw new TypeError(`${typeof v} cannot be sent to a VM`);
}

export function pack(v) {
  const out = [];
  put(v, out);
  return out.length === 1 ? out[0] : Buffer.concat(out);
}

const binary = (bytes) => {
  if (bytes.length < 256) return Buffer.concat([Buffer.from([0xc4, bytes.length]), bytes]);
  return Buffer.concat([big(5, 0xc6, (b) => b.writeUInt32BE(bytes.length, 1)), bytes]);
};

/** entry is a frame for bios/entry.lua. */
export const entry = (op, clock, payload = Buffer.alloc(0), ...args) =>
  Buffer.concat([head(3 + args.length, 0x90, 0xdc, 0xdd), pack(op), pack(clock), binary(payload), ...args.map(pack)]);

/**
 * unpack reads what a VM packed. An array stays one, a map becomes an object whose keys
 * are text (`{[12]=true}` has the key "12"), binary data (0xc4…) a Buffer.
 */
export function unpack(b) {
  let p = 0;
  const need = (n) => {
    if (p + n > b.length) throw new RangeError("a frame ends too early");
    p += n;
    return p - n;
  };
  const str = (n) => b.toString("utf8", need(n), p);
  const bin = (n) => Buffer.from(b.subarray(need(n), p));
  const arr = (n) => Array.from({ length: n }, get);
  const map = (n) => {
    const o = {};
    for (let i = 0; i < n; i++) {
      const k = get();
      o[k] = get();
    }
    return o;
  };
  const extension = (n) => {
    const kind = b[need(1)];
    const data = bin(n);
    if (kind === EXT_REFERENCE) return new Reference(data.toString());
    if (kind === EXT_VECTOR3) return new Vector3(data.readFloatLE(0), data.readFloatLE(4), data.readFloatLE(8));
    return { extension: kind, data };
  };
  const fixed = {
    0xc0: () => null,
    0xc2: () => false,
    0xc3: () => true,
    0xc4: () => bin(b[need(1)]),
    0xc6: () => bin(b.readUInt32BE(need(4))),
    0xc7: () => extension(b[need(1)]),
    0xc8: () => extension(b.readUInt16BE(need(2))),
    0xcb: () => b.readDoubleBE(need(8)),
    0xcc: () => b[need(1)],
    0xcd: () => b.readUInt16BE(need(2)),
    0xce: () => b.readUInt32BE(need(4)),
    0xcf: () => Number(b.readBigUInt64BE(need(8))),
    0xd0: () => b.readInt8(need(1)),
    0xd1: () => b.readInt16BE(need(2)),
    0xd2: () => b.readInt32BE(need(4)),
    0xd3: () => Number(b.readBigInt64BE(need(8))),
    0xda: () => str(b.readUInt16BE(need(2))),
    0xdb: () => str(b.readUInt32BE(need(4))),
    0xdc: () => arr(b.readUInt16BE(need(2))),
    0xdd: () => arr(b.readUInt32BE(need(4))),
    0xde: () => map(b.readUInt16BE(need(2))),
    0xdf: () => map(b.readUInt32BE(need(4))),
  };
  function get() {
    const t = b[need(1)];
    if (t < 0x80) return t;
    if (t >= 0xe0) return t - 256;
    if (t < 0x90) return map(t & 15);
    if (t < 0xa0) return arr(t & 15);
    if (t < 0xc0) return str(t & 31);
    const read = fixed[t];
    if (!read) throw new RangeError(`frame byte 0x${t.toString(16)}`);
    return read();
  }
  return get();
}
