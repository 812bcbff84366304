// A picture with fewer colours is a smaller file: screenshots have few, and soft edges of
// letters that nobody tells apart.
import { crc32, deflateSync, inflateSync } from "node:zlib";

/** A PNG of 8-bit colours, as browsers make them, with a palette of at most 256 colours. */
export function smaller(png) {
  const { width, height, pixels } = read(png);
  const { palette, indices } = quantised(pixels, width * height);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) indices.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8); // 8 bits, palette
  return Buffer.concat([png.subarray(0, 8), chunk("IHDR", head), chunk("PLTE", Buffer.from(palette.flat())), chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, "latin1");
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

/** Its pixels, three bytes each. */
function read(png) {
  let at = 8, width = 0, height = 0, size = 0;
  const parts = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      if (data[8] !== 8 || ![2, 6].includes(data[9]) || data[12] !== 0) throw new Error("not a PNG of 8-bit colours");
      size = data[9] === 6 ? 4 : 3;
    }
    if (type === "IDAT") parts.push(data);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * size;
  const lines = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x++) {
      const left = x >= size ? lines[y * line + x - size] : 0;
      const up = y > 0 ? lines[(y - 1) * line + x] : 0;
      const corner = x >= size && y > 0 ? lines[(y - 1) * line + x - size] : 0;
      lines[y * line + x] = raw[y * (line + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
    }
  }
  const pixels = Buffer.alloc(width * height * 3);
  for (let i = 0; i < width * height; i++) lines.copy(pixels, i * 3, i * size, i * size + 3);
  return { width, height, pixels };
}

function paeth(a, b, c) {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** The palette, and each pixel's place in it: the commonest colours as they are, all others as the nearest of those. */
function quantised(pixels, count) {
  const seen = new Map();
  const key = (i) => (pixels[3 * i] << 16) | (pixels[3 * i + 1] << 8) | pixels[3 * i + 2];
  for (let i = 0; i < count; i++) seen.set(key(i), (seen.get(key(i)) ?? 0) + 1);
  const split = (k) => [k >> 16, (k >> 8) & 255, k & 255];
  const palette = [];
  // A colour is taken if it is common and none that is taken is like it.
  for (let near = 48; near >= 0 && palette.length < 256; near -= 12)
    for (const [k] of [...seen].sort((a, b) => b[1] - a[1])) {
      if (palette.length === 256) break;
      const c = split(k);
      if (palette.every((p) => far(p, c) > near)) palette.push(c);
    }
  const nearest = new Map();
  const indices = Buffer.alloc(count);
  for (let i = 0; i < count; i++) {
    const k = key(i);
    let n = nearest.get(k);
    if (n === undefined) {
      const c = split(k);
      n = palette.reduce((best, p, j) => (far(p, c) < far(palette[best], c) ? j : best), 0);
      nearest.set(k, n);
    }
    indices[i] = n;
  }
  return { palette, indices };
}

const far = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]);
