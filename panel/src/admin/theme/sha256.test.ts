import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "./sha256";

test("hashes as everybody does", () => {
  const texts = ["", "abc", "ä€\u{1f4fb}\ufeff", "x".repeat(1_000_003)];
  for (let n = 50; n < 70; n++) texts.push("y".repeat(n)); // around the end of a block
  for (const text of texts) expect(sha256(text), text.slice(0, 80)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
});
