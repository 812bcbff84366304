// What is read in a page, and whether it can be: every visible text on what is behind it,
// and what the console promises of its fills.

import { chroma, type Colour, coloursIn, faded, hex, hue, isLarge, isLine, layersOf, least, over, type Paint, ratio, rgb, worst } from "./contrast";

/** A text that has too little contrast. */
export interface Finding {
  /** The data-part around it, and its data-state. */
  part: string;
  state: string;
  text: string;
  colour: string;
  ground: string;
  ratio: number;
  least: number;
  /** How many texts of that part are alike. */
  count: number;
}

/** What the console's own looks keep to and a theme should: no failure, but a reason to look. */
export interface Hint {
  kind: "plate" | "red" | "rest" | "picture";
  part: string;
  state: string;
  colour: string;
}

export interface Measured {
  /** How many texts were looked at. */
  texts: number;
  findings: Finding[];
  hints: Hint[];
}

/** Marks elements in the page for the style sheet of the frame. */
export const mark = "data-lab-contrast";

/** A fill that is at least so large catches the eye, px². */
const eyeCatching = 2_000;
/** How colourful a fill may be at rest, and how red one is that is taken for an emergency. */
const colourful = 0.25;
const red = { chroma: 0.45, from: 345, to: 15 } as const;

/** Measures a page as it stands. rest: nothing asks for attention, so that nothing should be colourful. mark: marks what is found. */
export function measure(page: Document, { rest = false, marked = false } = {}): Measured {
  for (const e of page.querySelectorAll(`[${mark}]`)) e.removeAttribute(mark);
  const reader = new Reader(page);
  const found = new Map<string, Finding>();
  const hints = new Map<string, Hint>();
  let texts = 0;
  for (const e of reader.textual()) {
    const read = reader.read(e);
    if (read === "picture") {
      const at = placeOf(e);
      hints.set(`picture ${at.part} ${at.state}`, { kind: "picture", ...at, colour: "" });
      continue;
    }
    if (!read) continue;
    texts++;
    if (read.ratio >= read.least) continue;
    if (marked) e.setAttribute(mark, read.ratio.toFixed(1));
    const finding = { ...placeOf(e), text: wordsOf(e), colour: hex(read.colour), ground: hex(read.ground), ratio: read.ratio, least: read.least, count: 1 };
    const key = [finding.part, finding.state, finding.colour, finding.ground, finding.least].join(" ");
    const known = found.get(key);
    if (known) known.count++;
    else found.set(key, finding);
  }
  const plain = withoutTheme(page, () => new Set([...fills(page, new Reader(page), rest)].map(nameOf)));
  if (plain) for (const h of fills(page, reader, rest)) if (!plain.has(nameOf(h))) hints.set(nameOf(h), h);
  return { texts, findings: [...found.values()].sort((a, b) => a.ratio / a.least - b.ratio / b.least), hints: [...hints.values()] };
}

const nameOf = (h: Hint): string => `${h.kind} ${h.part} ${h.state} ${h.colour}`;

/** What there is to say of the page as it would be without its theme's style sheet and variables; null: it has no theme. */
function withoutTheme<T>(page: Document, say: () => T): T | null {
  const root = page.documentElement;
  const sheet = page.querySelector<HTMLLinkElement>("link[data-theme]")?.sheet;
  if (!sheet) return null;
  const Sheet = view(root).CSSStyleSheet;
  const still = new Sheet(); // a colour that passes into another would be read on its way
  still.replaceSync("*, ::before, ::after { transition: none !important }");
  const variables = root.getAttribute("style");
  page.adoptedStyleSheets.push(still);
  sheet.disabled = true;
  root.removeAttribute("style");
  try {
    return say();
  } finally {
    sheet.disabled = false;
    if (variables !== null) root.setAttribute("style", variables);
    void page.body.offsetWidth; // it has its colours again before they may pass into one another
    page.adoptedStyleSheets.splice(page.adoptedStyleSheets.indexOf(still), 1);
  }
}

/** Where an element is, in the words that themes use. */
function placeOf(e: Element): { part: string; state: string } {
  const part = e.closest<HTMLElement>("[data-part]");
  const state = e.closest<HTMLElement>("[data-state]");
  return { part: part?.dataset["part"] ?? e.tagName.toLowerCase(), state: state?.dataset["state"] ?? "" };
}

function wordsOf(e: Element): string {
  const own = [...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.textContent ?? "").join(" ");
  const words = (e instanceof view(e).HTMLInputElement ? e.value || e.placeholder : own).trim().replace(/\s+/g, " ");
  return words.length > 40 ? `${words.slice(0, 39)}…` : words;
}

/** The window of an element: that of a frame has classes of its own. */
const view = (e: Element): Window & typeof globalThis => e.ownerDocument.defaultView as Window & typeof globalThis;

/** Reads the colours of a page. What was computed once is remembered: cards are many and alike. */
class Reader {
  readonly #styles = new Map<Element, CSSStyleDeclaration>();
  readonly #grounds = new Map<Element, readonly Colour[] | null>();
  readonly #paints = new Map<string, Paint>();
  readonly #opacities = new Map<Element, number>();
  #canvas: CanvasRenderingContext2D | null = null;

  constructor(private readonly page: Document) {}

  style(e: Element): CSSStyleDeclaration {
    let style = this.#styles.get(e);
    if (!style) this.#styles.set(e, (style = view(e).getComputedStyle(e)));
    return style;
  }

  /** Elements with words of their own that can be seen. */
  *textual(): Generator<HTMLElement> {
    const walker = this.page.createTreeWalker(this.page.body, NodeFilter.SHOW_ELEMENT);
    for (let e = walker.currentNode as HTMLElement | null; e; e = walker.nextNode() as HTMLElement | null) {
      if (wordsOf(e) === "" || !("dataset" in e)) continue;
      if (this.#seen(e)) yield e;
    }
  }

  #seen(e: HTMLElement): boolean {
    // Disabled keys are exempt (WCAG 1.4.3), and so is what is only for screen readers.
    if (e.closest(":disabled, [aria-disabled=true], option, title, script, style")) return false;
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const box = e.getBoundingClientRect();
    const { clip, clipPath } = this.style(e);
    return box.width > 1 && box.height > 1 && clip === "auto" && !clipPath.startsWith("inset(50%");
  }

  /** How an element's words are read; "picture": nobody can say, because there is a picture behind them. */
  read(e: HTMLElement): (ReturnType<typeof worst> & { least: number }) | "picture" | null {
    const style = this.style(e);
    const placeholder = e instanceof view(e).HTMLInputElement && e.value === "" ? view(e).getComputedStyle(e, "::placeholder") : null;
    const text = faded(this.paint((placeholder ?? style).color), this.#opacity(e) * Number(placeholder?.opacity || 1));
    if (text[3] === 0) return null;
    const grounds = this.grounds(e);
    if (!grounds) return "picture";
    const { text: small, large } = least;
    return { ...worst(text, grounds), least: isLarge(Number.parseFloat(style.fontSize), Number(style.fontWeight)) ? large : small };
  }

  /** How much of an element is left of it, by all that is around it. */
  #opacity(e: Element | null): number {
    if (!e) return 1;
    let all = this.#opacities.get(e);
    if (all === undefined) this.#opacities.set(e, (all = Number(this.style(e).opacity) * this.#opacity(e.parentElement)));
    return all;
  }

  /** What may be behind an element: its own fill on those of what is around it, and each colour of a gradient or of stripes. Null: a picture. */
  grounds(e: Element | null): readonly Colour[] | null {
    if (!e) return [this.#dark() ? [18, 18, 18] : [255, 255, 255]]; // the browser's canvas
    const known = this.#grounds.get(e);
    if (known !== undefined) return known;
    const found = this.#behind(e);
    this.#grounds.set(e, found);
    return found;
  }

  #behind(e: Element): readonly Colour[] | null {
    const style = this.style(e);
    const opacity = this.#opacity(e);
    const fill = faded(this.paint(style.backgroundColor), opacity);
    const image = style.backgroundImage;
    if (image.includes("url(")) return null;
    const stops = painted(style).flatMap(coloursIn).map((c) => faded(this.paint(c), opacity));
    // What covers everything needs no ground; a dialog lies on its backdrop, which is not what is read.
    const solid = fill[3] === 1;
    const under: readonly Colour[] | null = solid ? [[0, 0, 0]] : this.grounds(e.parentElement);
    if (!under) return null;
    const flat = under.map((g) => over(fill, g));
    const all = stops.length === 0 ? flat : [...(stops.some((s) => s[3] < 1) ? flat : []), ...flat.flatMap((g) => stops.map((s) => over(s, g)))];
    const alike = new Map(all.map((c) => [hex(c), c]));
    return [...alike.values()];
  }

  #dark(): boolean {
    return this.style(this.page.documentElement).colorScheme.startsWith("dark");
  }

  /** A colour however it is written: the browser knows more ways than this program. */
  paint(css: string): Paint {
    const known = this.#paints.get(css);
    if (known) return known;
    const found = rgb(css) ?? this.#drawn(css);
    this.#paints.set(css, found);
    return found;
  }

  #drawn(css: string): Paint {
    this.#canvas ??= Object.assign(this.page.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    const c = this.#canvas;
    if (!c) return [0, 0, 0, 0];
    c.clearRect(0, 0, 1, 1);
    c.fillStyle = "transparent";
    c.fillStyle = css;
    c.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0, a = 0] = c.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }
}

/** The gradients of a background that are large enough to have words on them. */
function painted({ backgroundImage, backgroundSize }: CSSStyleDeclaration): string[] {
  if (backgroundImage === "none") return [];
  const sizes = layersOf(backgroundSize);
  return layersOf(backgroundImage).filter((layer, i) => !isLine(layer, sizes[i % sizes.length] ?? ""));
}

/** Emergencies, and what is allowed to look like one. */
const ofEmergency = "[data-part=emergency-slot], [data-part=emergency-plate], [data-part=channel-card]:is([data-state=em], [data-state=ended], [data-state=ack])";
/** What an operator or the dispatcher has coloured. */
const coloured = "svg, kbd, i, .meter, [data-part=alert], [data-part=notice], [data-part=target], [data-part=ptt-target]";

/** Fills that say something that is not so: design keeps red for emergencies, and the plate above everything. */
function* fills(page: Document, reader: Reader, rest: boolean): Generator<Hint> {
  const back = reader.grounds(page.body)?.[0];
  if (!back) return;
  // The look of an LCD has two colours: there, the plate stands out by its place.
  const plate = page.documentElement.dataset["look"] === "lcd" ? null : page.querySelector("[data-part=emergency-slot][data-state=unacknowledged] [data-part=emergency-plate]");
  const plateFill = plate && reader.grounds(plate)?.[0];
  for (const e of page.querySelectorAll<HTMLElement>("[data-part=console] *")) {
    if (e.closest(`${ofEmergency}, ${coloured}`)) continue;
    const fill = reader.paint(reader.style(e).backgroundColor);
    if (fill[3] <= 0.5 || !e.checkVisibility({ visibilityProperty: true })) continue;
    const box = e.getBoundingClientRect();
    if (box.width * box.height < eyeCatching) continue;
    const seen = over(fill, back);
    const at = { ...placeOf(e), colour: hex(seen) };
    const h = hue(seen);
    if (chroma(seen) >= red.chroma && (h >= red.from || h <= red.to)) yield { kind: "red", ...at };
    else if (rest && chroma(seen) >= colourful) yield { kind: "rest", ...at };
    if (plateFill && ratio(seen, back) > ratio(plateFill, back)) yield { kind: "plate", ...at };
  }
}
