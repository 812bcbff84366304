/** A configured colour and the text colour that can be read on it. */
export interface Colours {
  back: string;
  text: string;
}

const plain: Colours = { back: "#4a5260", text: "#ffffff" };

/** Alert colours are free text in the configuration; text on them must reach 4.5:1 (WCAG 1.4.3). */
export function readable(colour: unknown): Colours {
  const rgb = parse(typeof colour === "string" ? colour.trim() : "");
  if (!rgb) return plain;
  const back = `#${rgb.map((n) => n.toString(16).padStart(2, "0")).join("")}`;
  const light = luminance(rgb);
  // The better of black and white always reaches 4.58:1.
  return { back, text: 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? "#ffffff" : "#000000" };
}

function parse(colour: string): [number, number, number] | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour);
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?:[0-9a-f]{2})?$/i.exec(colour);
  const digits = short ? short.slice(1).map((d) => d + d) : long?.slice(1, 4);
  if (!digits) return null;
  const [r = 0, g = 0, b = 0] = digits.map((d) => Number.parseInt(d, 16));
  return [r, g, b];
}

/** Relative luminance (WCAG 2.2, definitions). */
function luminance(rgb: [number, number, number]): number {
  const [r, g, b] = rgb.map((n) => {
    const c = n / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
