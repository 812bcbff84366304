import { expect, test } from "vitest";
import { MicrophoneCheck } from "./verdict";

/** What the check says after these levels, each 50 ms long. */
function after(...levels: number[]): string {
  const check = new MicrophoneCheck();
  let said = "";
  for (const level of levels) said = check.hear(level, 50);
  return said;
}
const times = (n: number, level: number): number[] => Array.from({ length: n }, () => level);

test("a voice is good as soon as a syllable was loud enough, and stays so", () => {
  expect(after(...times(4, 0.3))).toBe("listening");
  expect(after(...times(5, 0.3))).toBe("good");
  expect(after(...times(5, 0.3), ...times(200, 0))).toBe("good");
});

test("a voice with pauses counts together", () => {
  expect(after(0.2, 0, 0, 0.2, 0, 0.2, 0.2, 0, 0.2)).toBe("good");
});

test("who is not loud enough is too quiet, until they are", () => {
  expect(after(...times(79, 0.05))).toBe("listening");
  expect(after(...times(80, 0.05))).toBe("quiet");
  expect(after(...times(80, 0.05), ...times(5, 0.2))).toBe("good");
});
