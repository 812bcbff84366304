// Themes of the browser tests: packed here, so that every test says what is in them,
// and a marketplace that offers them.
import { createHash } from "node:crypto";
import { createServer } from "node:https";
import { crc32 } from "node:zlib";
import { certificate } from "./nui/certificate.mjs";

/** One pixel. */
export const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

export const sha256 = (data) => createHash("sha256").update(data).digest("hex");

/** zip packs files, by name, without compression (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16). */
export function zip(files) {
  const parts = [];
  const index = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const [path, data] = [Buffer.from(name), Buffer.from(content)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version that is needed
    common.writeUInt16LE(0x0800, 2); // names are UTF-8
    common.writeUInt16LE(0x21, 8); // 1980-01-01
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    const local = [Buffer.from("PK\x03\x04"), common, path, data];
    index.push(Buffer.from("PK\x01\x02\x14\0"), common, rest, path);
    parts.push(...local);
    at += local.reduce((sum, b) => sum + b.length, 0);
  }
  const directory = Buffer.concat(index);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** theme packs a theme; js: the source of its script. */
export function theme({ css = ":root { --sq-accent: #7fd0ff; }\n", js, files = {}, ...manifest } = {}) {
  const about = { name: "Night Shift", slug: "night", version: "1.0", author: "Ana Ruiz", description: "Calm, for long nights", css: "style.css", ...manifest, ...(js === undefined ? {} : { js: "theme.js" }) };
  return zip({ "theme.json": JSON.stringify(about), "style.css": css, "preview.png": picture, ...(js === undefined ? {} : { "theme.js": js }), ...files });
}

/** A marketplace: a web server over TLS at 127.0.0.1, with a certificate that only who is told takes. */
export class Marketplace {
  /** The files that it has, by name; whatever else is asked for is not found. */
  files = {};
  /** The status of all answers, if it is not 200. */
  status = 200;
  #server;

  static async open() {
    const m = new Marketplace();
    const { key, cert } = certificate("127.0.0.1", "127.0.0.1");
    m.cert = cert;
    m.#server = createServer({ key, cert }, (request, response) => {
      const file = m.files[new URL(request.url, "https://x").pathname.slice(1)];
      response.writeHead(m.status !== 200 ? m.status : file === undefined ? 404 : 200);
      response.end(m.status === 200 ? file : "");
    });
    await new Promise((give) => m.#server.listen(0, "127.0.0.1", give));
    m.url = `https://127.0.0.1:${m.#server.address().port}/index.json`;
    return m;
  }

  /** Offers themes: each has what an index says of it, and its zip. */
  offer(...themes) {
    const list = themes.map(({ data, ...t }) => {
      const name = `${t.slug}-${t.version}.zip`;
      Object.assign(this.files, { [name]: data, [`${t.slug}.png`]: picture });
      return { name: "Night Shift", author: "Ana Ruiz", description: "Calm, for long nights", hasJs: false, ...t, zip: name, sha256: sha256(data), bytes: data.length, picture: `${t.slug}.png` };
    });
    this.files["index.json"] = JSON.stringify({ squelch: 1, themes: list });
  }

  close() {
    this.#server.closeAllConnections();
    return new Promise((give) => this.#server.close(give));
  }
}
