// Contrast as WCAG 2.2 measures it, on colours as a page has computed them.

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [r: number, g: number, b: number];
/** With opacity, 0 to 1. */
export type Paint = readonly [r: number, g: number, b: number, a: number];

/** Least ratio of text (WCAG 2.2, 1.4.3), and of large text. */
export const least = { text: 4.5, large: 3 } as const;

/** From this size on text is large, px; bold text earlier (18 and 14 pt). */
const large = { plain: 24, bold: 18.66, weight: 700 } as const;

const linear = (c: number): number => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
export const luminance = ([r, g, b]: Colour): number => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

export function ratio(a: Colour, b: Colour): number {
  const [one, two] = [luminance(a), luminance(b)];
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}

/** What is seen of a paint on a ground. */
export const over = ([r, g, b, a]: Paint, ground: Colour): Colour => [r * a + ground[0] * (1 - a), g * a + ground[1] * (1 - a), b * a + ground[2] * (1 - a)];

export const faded = ([r, g, b, a]: Paint, opacity: number): Paint => [r, g, b, a * opacity];

export const isLarge = (px: number, weight: number): boolean => px >= large.plain || (px >= large.bold && weight >= large.weight);

export const hex = (c: Colour): string => `#${c.map((x) => Math.round(x).toString(16).padStart(2, "0")).join("")}`;

/** How colourful, 0 to 1: unlike the saturation of HSL it is small for what is nearly black or white. */
export const chroma = (c: Colour): number => (Math.max(...c) - Math.min(...c)) / 255;

/** 0 to 360, as in HSL. */
export function hue([r, g, b]: Colour): number {
  const most = Math.max(r, g, b);
  const range = most - Math.min(r, g, b);
  if (range === 0) return 0;
  const h = most === r ? (g - b) / range : most === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return (h * 60 + 360) % 360;
}

/** A colour function with its brackets, a hex colour, or a name. */
const colourWords = /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)|#[0-9a-f]{3,8}\b|\btransparent\b/gi;

/** The colours in a computed value such as a gradient. */
export const coloursIn = (css: string): string[] => css.match(colourWords) ?? [];

/** "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)" as computed values have it; null: another way to write a colour. */
export function rgb(css: string): Paint | null {
  if (css === "transparent") return [0, 0, 0, 0];
  const m = /^rgba?\(([^)]+)\)$/.exec(css);
  if (!m) return null;
  const [r, g, b, a = 1] = m[1]!.split(/[ ,/]+/).map(Number);
  return [r, g, b, a].every((x) => Number.isFinite(x)) ? [r!, g!, b!, a] : null;
}

/** The parts of a computed value between its commas, but for those inside brackets: the layers of a background. */
export function layersOf(css: string): string[] {
  const layers = [""];
  let depth = 0;
  for (const c of css) {
    if (c === "(") depth++;
    if (c === ")") depth--;
    if (c === "," && depth === 0) layers.push("");
    else layers[layers.length - 1] += c;
  }
  return layers.map((l) => l.trim());
}

/** A layer so narrow or low is a line, and a circle so small a dot: no ground for words, px. */
const line = 4;

/** Whether a layer of a background, of that size, is only lines or dots. */
export function isLine(layer: string, size: string): boolean {
  if (size.split(" ").some((s) => s.endsWith("px") && Number.parseFloat(s) <= line)) return true;
  const round = /^radial-gradient\((.*)\)$/.exec(layer);
  if (!round) return false;
  const stops = layersOf(round[1]!).filter((s) => coloursIn(s).length > 0);
  const ends = stops.map((s) => /(-?[\d.]+)px$/.exec(s)?.[1]);
  return stops.length > 0 && ends.every((e) => e !== undefined && Number(e) <= line) && rgb(coloursIn(stops.at(-1)!)[0]!)?.[3] === 0;
}

/** The pair of a text and one of its grounds that is read worst. */
export function worst(text: Paint, grounds: readonly Colour[]): { colour: Colour; ground: Colour; ratio: number } {
  const pairs = grounds.map((ground) => {
    const colour = over(text, ground);
    return { colour, ground, ratio: ratio(colour, ground) };
  });
  return pairs.reduce((a, b) => (b.ratio < a.ratio ? b : a));
}
