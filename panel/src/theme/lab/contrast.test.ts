import { expect, test } from "vitest";
import { chroma, type Colour, coloursIn, faded, hex, hue, isLarge, isLine, layersOf, over, type Paint, ratio, rgb, worst } from "./contrast";

const black: Colour = [0, 0, 0];
const white: Colour = [255, 255, 255];

test("the ratio is that of WCAG, whichever of the two is the text", () => {
  expect(ratio(black, white)).toBeCloseTo(21, 5);
  expect(ratio(white, black)).toBeCloseTo(21, 5);
  expect(ratio(white, white)).toBe(1);
  expect(ratio([0x77, 0x77, 0x77], white)).toBeCloseTo(4.48, 2); // the best known grey that is just not enough
  expect(ratio([0x76, 0x76, 0x76], white)).toBeCloseTo(4.54, 2);
});

test("what is half there is seen on what is behind it", () => {
  expect(over([255, 255, 255, 0.5], black)).toEqual([127.5, 127.5, 127.5]);
  expect(faded([1, 2, 3, 0.5], 0.5)).toEqual([1, 2, 3, 0.25]);
});

test("large text begins at 24 px, bold at 18.66", () => {
  expect([isLarge(24, 400), isLarge(23.9, 400), isLarge(18.66, 700), isLarge(18.66, 600), isLarge(18, 900)]).toEqual([true, false, true, false, false]);
});

test("colours as computed values write them", () => {
  expect(rgb("rgb(1, 2, 3)")).toEqual([1, 2, 3, 1]);
  expect(rgb("rgba(1, 2, 3, 0.25)")).toEqual([1, 2, 3, 0.25]);
  expect(rgb("rgb(1 2 3 / 0.25)")).toEqual([1, 2, 3, 0.25]);
  expect(rgb("transparent")).toEqual([0, 0, 0, 0]);
  expect(rgb("color(srgb 1 0 0)")).toBeNull();
  expect(rgb("oklch(0.5 0.2 30)")).toBeNull();
  expect(coloursIn("repeating-linear-gradient(45deg, rgb(1, 2, 3) 0px, color(srgb 0 0 0 / 0.2) 4px, transparent 8px)")).toEqual(["rgb(1, 2, 3)", "color(srgb 0 0 0 / 0.2)", "transparent"]);
  expect(coloursIn("none")).toEqual([]);
  expect(hex([0, 127.6, 255])).toBe("#0080ff");
});

test("the layers of a background", () => {
  expect(layersOf("linear-gradient(90deg, rgb(1, 2, 3) 55%, rgba(0, 0, 0, 0) 0px), none")).toEqual(["linear-gradient(90deg, rgb(1, 2, 3) 55%, rgba(0, 0, 0, 0) 0px)", "none"]);
  expect(layersOf("12px 2px, auto")).toEqual(["12px 2px", "auto"]);
});

test("lines and dots are no ground", () => {
  const plain = "linear-gradient(90deg, rgb(1, 2, 3) 55%, rgba(0, 0, 0, 0) 0px)";
  expect([isLine(plain, "12px 2px"), isLine(plain, "12px 20px"), isLine(plain, "auto")]).toEqual([true, false, false]);
  const dot = "radial-gradient(circle at 8px 8px, rgb(1, 2, 3) 0px, rgb(1, 2, 3) 2px, rgba(0, 0, 0, 0) 2.5px)";
  expect(isLine(dot, "auto")).toBe(true);
  expect(isLine(dot.replace("2.5px", "25px"), "auto")).toBe(false);
  expect(isLine(dot.replace("rgba(0, 0, 0, 0)", "rgb(9, 9, 9)"), "auto")).toBe(false); // what is around the dot is filled too
  expect(isLine("radial-gradient(circle at 35% 30%, rgb(1, 2, 3), rgba(0, 0, 0, 0) 45%)", "auto")).toBe(false);
});

test("of several grounds the worst counts", () => {
  const text: Paint = [255, 255, 255, 1];
  const found = worst(text, [black, [200, 200, 200], [90, 90, 90]]);
  expect(found.ground).toEqual([200, 200, 200]);
  expect(found.ratio).toBeCloseTo(ratio(white, [200, 200, 200]), 5);
});

test("hue and how colourful", () => {
  expect([hue([255, 0, 0]), hue([0, 255, 0]), hue([0, 0, 255]), hue([5, 5, 5])]).toEqual([0, 120, 240, 0]);
  expect(chroma([255, 0, 0])).toBe(1);
  expect(chroma([20, 20, 20])).toBe(0);
});
