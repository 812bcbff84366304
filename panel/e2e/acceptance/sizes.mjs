// The screens and looks that the console is checked on.

const every = process.env.SQUELCH_ALL_LOOKS === "1";

/** A screen, and where the regions of the console stand on it at Fit, px. Null: it has none. */
const screens = [
  { name: "1366", width: 1366, height: 768, zoom: 1, status: 40, lane: 62, tools: 44, rail: 320, ptt: 80, columns: 4, card: 168 },
  { name: "1440", width: 1440, height: 900, zoom: 1, status: 44, lane: 68, tools: 44, rail: 360, ptt: 84, columns: 4, card: 207 },
  { name: "1920", width: 1920, height: 1080, zoom: 1.25, status: 55, lane: 85, tools: 55, rail: 450, ptt: 105, columns: 4, card: 244 },
  { name: "2560", width: 2560, height: 1440, zoom: 1.75, status: 77, lane: 119, tools: 77, rail: 630, ptt: 147, columns: 4, card: 318 },
  { name: "390", width: 390, height: 844, zoom: 1, status: 48, lane: 108, tools: 44, rail: null, ptt: 104, columns: 1, card: 92 },
];

export const screen = (name) => screens.find((s) => s.name === name);

/** All of them before a release; otherwise one desk and the phone. */
export const sizes = every ? screens : screens.filter((s) => s.name === "1440" || s.name === "390");
export const looks = every ? ["night", "day", "contrast", "lcd"] : ["night"];

/** For a context of the browser. */
export const at = ({ width, height }) => ({ viewport: { width, height } });
