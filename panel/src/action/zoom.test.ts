import { expect, test } from "vitest";
import { testPorts } from "./ports.testing";
import { columnsIn, draw, fit, fits, type Room, setZoom, toFit, zoomBy } from "./zoom";

/** The tokens of the night look; the window in px. */
const room = (width: number, height: number, more: Partial<Room> = {}): Room => ({
  width, height, rows: 2.75 + 4.25 + 2.75 + 5.25, rail: 22.5, padWidth: 1.25, padHeight: 1.125, gap: 0.625, cardWidth: 15.25, cardHeight: 10.5, ...more,
});
const low = { rows: 2.5 + 3.875 + 2.75 + 5, rail: 20 };

test.each([
  [1366, 768, 1, low],
  [1440, 900, 1, {}],
  [1920, 1080, 1.25, {}],
  [2560, 1440, 1.75, {}],
])("twelve channels fit %i × %i at %f", (width, height, zoom, more) => {
  expect(fit(12, room(width, height, more))).toBe(zoom);
  expect(fits(12, room(width, height, more), zoom)).toBe(true);
});

test("fewer channels are drawn larger, more of them smaller; what fits at no size stays as it is", () => {
  expect(fit(2, room(2560, 1440))).toBe(1.75);
  expect(fit(6, room(1920, 1080))).toBe(1.25);
  expect(fit(20, room(1920, 1080))).toBe(1);
  expect(fit(160, room(1440, 900))).toBe(1);
});

test.each([[800, 600], [1366, 768], [1440, 900], [1679, 1050], [1920, 1080], [2560, 1440], [3840, 2160]])("with few channels Fit leaves the tools their room at %i × %i", (width, height) => {
  for (const count of [1, 2, 6]) {
    const zoom = fit(count, room(width, height));
    expect(zoom <= 1 || width / (16 * zoom) >= 84, `${count} channels: ${zoom}`).toBe(true);
  }
});

test("as many cards stand side by side as fit", () => {
  expect(columnsIn(1060, 244, 10)).toBe(4);
  expect(columnsIn(1005.9, 244, 10)).toBe(3);
  expect(columnsIn(100, 244, 10)).toBe(1);
  expect(columnsIn(1540, 208, 10)).toBe(7); // Dense at 1920
});

test("Fit counts the dispatcher's channels, and those of emergencies", () => {
  const p = testPorts();
  expect(toFit(p.store.now)).toBe(6); // none yet: all
  p.store.change((s) => ({ ...s, desk: { ...s.desk, joined: "154.755", scans: { "460.25": 0 }, auto: { "851.0": { emergency: "e1", touched: false } } } }));
  expect(toFit(p.store.now)).toBe(3);
});

test("the zoom goes in steps from what is drawn, within its limits, and back to Fit", () => {
  const p = testPorts();
  draw(p, room(1920, 1080));
  expect(p.store.now.screen.zoom).toBe(1.25);
  zoomBy(p, -1);
  expect(p.store.now.desk.zoom).toBe(1.2);
  draw(p, room(1920, 1080));
  expect(p.store.now.screen.zoom).toBe(1.2);
  setZoom(p, 7);
  expect(p.store.now.desk.zoom).toBe(2);
  setZoom(p, 0.1);
  expect(p.store.now.desk.zoom).toBe(0.9);
  setZoom(p, "fit");
  draw(p, room(1920, 1080));
  expect(p.store.now.screen.zoom).toBe(1.25);
});
