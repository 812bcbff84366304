import { afterEach, expect, test, vi } from "vitest";
import { place } from "./place";

afterEach(() => void vi.unstubAllGlobals());

/** Where a popover of 200 × 150 px comes in a window of 800 × 600 px. */
function placed(by: { top: number; bottom: number; right: number }, height = 150): { top: number; left: number } {
  vi.stubGlobal("innerHeight", 600);
  vi.stubGlobal("innerWidth", 800);
  const style = { top: "", left: "" };
  const popover = { offsetHeight: height, offsetWidth: 200, showPopover: () => undefined, style };
  place(popover as unknown as HTMLElement, { getBoundingClientRect: () => by } as unknown as HTMLElement);
  return { top: Number.parseFloat(style.top), left: Number.parseFloat(style.left) };
}

test("a popover comes below its button, and keeps to the window", () => {
  expect(placed({ top: 10, bottom: 40, right: 500 })).toEqual({ top: 42, left: 300 });
  expect(placed({ top: 10, bottom: 40, right: 100 })).toEqual({ top: 42, left: 0 });
  expect(placed({ top: 10, bottom: 40, right: 900 })).toEqual({ top: 42, left: 600 });
});

test("where there is no room below, it comes above, and does not cover its button", () => {
  expect(placed({ top: 560, bottom: 590, right: 790 })).toEqual({ top: 408, left: 590 });
  expect(placed({ top: 420, bottom: 449, right: 790 }).top).toBe(268);
  expect(placed({ top: 420, bottom: 448, right: 790 }).top).toBe(450);
});

test("where there is room on neither side, it is seen whole", () => {
  expect(placed({ top: 280, bottom: 310, right: 790 }, 400).top).toBe(200);
  expect(placed({ top: 280, bottom: 310, right: 790 }, 700).top).toBe(0);
});
