// Colours as a page has computed them: contrast by WCAG 2 and by APCA, and how colourful they are.

/** "rgb(1, 2, 3)" as [1, 2, 3], or null if it is transparent. */
export function rgb(text) {
  const [r, g, b, a = 1] = [...text.matchAll(/[\d.]+/g)].map((m) => Number(m[0]));
  return a === 0 ? null : [r, g, b];
}

const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, k, i) => sum + k * (c[i] / 255 <= 0.04045 ? c[i] / 255 / 12.92 : ((c[i] / 255 + 0.055) / 1.055) ** 2.4), 0);

/** Contrast ratio, WCAG 2.2. */
export function ratio(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** |Lc| of text on a ground, APCA 0.1.9. */
export function lightness(text, ground) {
  const y = (c) => {
    const sum = [0.2126729, 0.7151522, 0.072175].reduce((s, k, i) => s + k * (c[i] / 255) ** 2.4, 0);
    return sum < 0.022 ? sum + (0.022 - sum) ** 1.414 : sum;
  };
  const [t, g] = [y(text), y(ground)];
  const c = g > t ? (g ** 0.56 - t ** 0.57) * 1.14 : (g ** 0.65 - t ** 0.62) * 1.14;
  return Math.abs(c) < 0.1 ? 0 : (Math.abs(c) - 0.027) * 100;
}

/** A colour under black of that opacity: the dark stripes of a fill. */
export const under = (c, opacity) => c.map((x) => x * (1 - opacity));

/** How colourful, 0 to 1: unlike the saturation of HSL it is small for what is nearly black or white. */
export const chroma = (c) => (Math.max(...c) - Math.min(...c)) / 255;

/** 0 to 360, as in HSL. */
export function hue([r, g, b]) {
  const most = Math.max(r, g, b);
  const range = most - Math.min(r, g, b);
  if (range === 0) return 0;
  const h = most === r ? (g - b) / range : most === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return (h * 60 + 360) % 360;
}
