import { expect, it } from "vitest";
import { chordOf } from "./chord";

type Event = Parameters<typeof chordOf>[0];
const press = (key: string, code: string, more: Partial<Event> = {}): string =>
  chordOf({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

it("a letter is what is printed on it, a combination with Alt or Ctrl where it lies", () => {
  expect(press("x", "KeyX")).toBe("X");
  expect(press("R", "KeyR", { shiftKey: true })).toBe("Shift+R");
  expect(press("k", "KeyK", { ctrlKey: true })).toBe("Ctrl+K");
  expect(press("k", "KeyK", { metaKey: true })).toBe("Ctrl+K");
  expect(press("å", "KeyA", { altKey: true })).toBe("Alt+A"); // a Mac
  expect(press("¡", "Digit1", { altKey: true })).toBe("Alt+1");
});

it("signs are what they are, however they are typed", () => {
  expect(press("?", "Slash", { shiftKey: true })).toBe("?");
  expect(press("?", "Minus", { shiftKey: true })).toBe("?"); // a German keyboard
  expect(press("+", "Equal", { shiftKey: true })).toBe("+");
  expect(press("+", "BracketRight")).toBe("+");
  expect(press(".", "Period")).toBe(".");
});

it("digits are found on keyboards that type them with Shift, and above signs", () => {
  expect(press("1", "Digit1")).toBe("1");
  expect(press("&", "Digit1")).toBe("1"); // a French keyboard
  expect(press("1", "Digit1", { shiftKey: true })).toBe("1");
  expect(press("!", "Digit1", { shiftKey: true })).toBe("!");
});

it("AltGr is not Alt", () => {
  expect(press("@", "KeyQ", { ctrlKey: true, altKey: true })).toBe("Ctrl+Alt+Q");
});

it("other keys have their own names", () => {
  expect(press("F6", "F6", { shiftKey: true })).toBe("Shift+F6");
  expect(press("ArrowUp", "ArrowUp")).toBe("ArrowUp");
});
