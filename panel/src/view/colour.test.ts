import { expect, test } from "vitest";
import { readable } from "./colour";

test("every configured colour gets a text colour that can be read on it", () => {
  for (let i = 0; i < 4096; i++) {
    const { back, text } = readable(`#${i.toString(16).padStart(3, "0")}`);
    const [a, b] = [light(back), light(text)].sort((x, y) => y - x) as [number, number];
    expect((a + 0.05) / (b + 0.05), back).toBeGreaterThanOrEqual(4.5);
  }
});

test("an invalid colour gets a plain one", () => {
  for (const odd of ["", "red;background:url(x)", "#12", 5, null, undefined]) expect(readable(odd)).toEqual(readable(undefined));
  expect(readable("#d01c1c80").back).toBe("#d01c1c");
});

function light(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
