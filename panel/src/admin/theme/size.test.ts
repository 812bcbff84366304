import { expect, test } from "vitest";
import { size } from "./size";

test("sizes are short, and in the reader's language", () => {
  expect([0, 1, 999, 1000, 12_345, 999_999, 5_308_416, 12_400_000_000].map((b) => size("en", b))).toEqual(["0 bytes", "1 byte", "999 bytes", "1 kB", "12.3 kB", "1,000 kB", "5.3 MB", "12.4 GB"]);
  expect([1, 12_345, 5_308_416].map((b) => size("de", b).replace("\u00a0", " "))).toEqual(["1 Byte", "12,3 kB", "5,3 MB"]);
});
