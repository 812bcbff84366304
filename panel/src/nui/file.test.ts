import { expect, it } from "vitest";
import { toBase64 } from "../link/voice/codec";
import { fetchFile, type Ask } from "./file";

const file = Uint8Array.from({ length: 40 }, (_, i) => i);
const piece = ({ offset }: Ask, size = 16) => ({ data: toBase64(file.subarray(offset, offset + size)), offset, size: file.length, type: "audio/ogg" });

it("puts a file together from its pieces", async () => {
  const asked: Ask[] = [];
  const got = await fetchFile(async (a) => (asked.push(a), piece(a)), "panic.ogg");
  expect(new Uint8Array(got)).toEqual(file);
  expect(asked.map((a) => a.offset)).toEqual([0, 16, 32]);
});

it.each([
  ["a refusal", () => ({ error: "no such tone" })],
  ["no answer", () => undefined],
  ["no bytes", () => ({ data: "", offset: 0, size: 40 })],
  ["no base64", () => ({ data: "%%", offset: 0, size: 40 })],
  ["another place", (a: Ask) => ({ ...piece(a), offset: 3 })],
  ["more than the file", (a: Ask) => ({ ...piece(a, 40), size: 8 })],
  ["a file without end", (a: Ask) => ({ ...piece(a), size: 1e9 })],
  ["a file that changes", (a: Ask) => ({ ...piece(a), size: 40 + a.offset })],
])("rejects %s", async (_, answer: (a: Ask) => unknown) => {
  await expect(fetchFile(async (a) => answer(a), "x.ogg")).rejects.toThrow("x.ogg");
});
