import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 as nodes } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { crc32, mostBytes, mostEntries, ZipWriter } from "./zip";

const folder = mkdtempSync(join(tmpdir(), "squelch-zip-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = Date.UTC(2026, 2, 14, 14, 28, 6);
/** Other people's programs read what was written. */
async function unpacked(zip: ZipWriter): Promise<string> {
  const file = join(folder, "x.zip");
  writeFileSync(file, new Uint8Array(await zip.end().arrayBuffer()));
  execFileSync("python3", ["-c", `
import sys, zipfile, json, os
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    z.extractall(sys.argv[2])
    json.dump([[i.filename, i.file_size, list(i.date_time)] for i in z.infolist()], open(os.path.join(sys.argv[2], "list.json"), "w"))
`, file, join(folder, "out")]);
  return join(folder, "out");
}

it("is read by another implementation: names, times and bytes", async () => {
  const zip = new ZipWriter();
  const voice = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7919) & 0xff);
  zip.add("audio/Müller – Süd.wav", voice, at);
  zip.text("timeline.json", "[]\n", at);
  zip.add("empty", new Uint8Array(), at);
  const out = await unpacked(zip);
  expect(JSON.parse(readFileSync(join(out, "list.json"), "utf8"))).toEqual([
    ["audio/Müller – Süd.wav", 70_000, [2026, 3, 14, 14, 28, 6]],
    ["timeline.json", 3, [2026, 3, 14, 14, 28, 6]],
    ["empty", 0, [2026, 3, 14, 14, 28, 6]],
  ]);
  expect(new Uint8Array(readFileSync(join(out, "audio/Müller – Süd.wav")))).toEqual(voice);
  expect(readFileSync(join(out, "timeline.json"), "utf8")).toBe("[]\n");
});

it("a zip without files is one, too", async () => {
  expect(JSON.parse(readFileSync(join(await unpacked(new ZipWriter()), "list.json"), "utf8"))).toEqual([]);
});

it("has the checksum of everybody else", () => {
  for (const text of ["", "a", "123456789", "Notruf – Dispatch"]) expect(crc32(new TextEncoder().encode(text))).toBe(nodes(text));
});

it("knows its size, and refuses what does not fit", async () => {
  const zip = new ZipWriter();
  zip.text("a", "b", at);
  expect((await zip.end().arrayBuffer()).byteLength).toBe(zip.size + 22);
  expect(() => zip.add("large", { length: mostBytes } as Uint8Array, at)).toThrow("at most 4294967295 bytes");
  const many = new ZipWriter();
  for (let i = 0; i < mostEntries; i++) many.add("", new Uint8Array(), at);
  expect(() => many.add("", new Uint8Array(), at)).toThrow("at most 65535 files");
});

it("a moment that DOS cannot write becomes the nearest", async () => {
  const zip = new ZipWriter();
  zip.text("a", "", 0);
  const [[, , time]] = JSON.parse(readFileSync(join(await unpacked(zip), "list.json"), "utf8"));
  expect(time.slice(0, 3)).toEqual([1980, 1, 1]);
});
