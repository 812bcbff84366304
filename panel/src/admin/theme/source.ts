// A script's source as it is shown to a person who decides about it. What cannot be
// seen, or would show the text in another order than it runs, is named instead. Only
// pure functions.

/** Longer pieces of a line are laid out on their own, characters: what makes a browser wait is one paragraph of a megabyte. */
const longest = 4_000;
/** So many spaces in a row push what follows out of sight, and are counted instead. */
const gap = 100;
/** So many empty lines in a row do the same, and are counted too. */
const pause = 40;
/** As many lines are laid out at once. */
const together = 200;

/** Piece is a part of a line. odd: it stands for what would not be seen; foreign: outside ASCII, and may look like something else. */
export interface Piece {
  kind: "plain" | "foreign" | "odd";
  text: string;
}

/** Line is one line as JavaScript counts them; n is 0 where a long line goes on. */
export interface Line {
  n: number;
  pieces: Piece[];
}

/** Odd is a line with characters that are named instead of shown. turns: some of them change the direction of text. */
export interface Odd {
  n: number;
  text: string;
  turns: boolean;
}

export interface Source {
  blocks: Line[][];
  lines: number;
  odd: Odd[];
  /** The number of the first line after each line feed: whoever knows of no other line ends counts those. */
  starts: number[];
  /** There are other characters outside ASCII. */
  foreign: boolean;
}

/** Every line terminator of JavaScript (ECMA-262, 12.3): after any of them a comment is over. */
const ends = /\r\n|[\n\r\u2028\u2029]/g;
/** Invisible, without a meaning, or a space that is none of ASCII. */
const hidden = /[\p{DI}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Cs}\u2800]/u;
/** What Unicode has to write from right to left amid other text (UAX #9). */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const ordinary = /^[\t\x20-\x7e]*$/;
const blanks = new RegExp(`[\\t ]{${gap},}`);
const parts = new RegExp(`[\\t ]{${gap},}|[\\t\\x20-\\x7e]+?(?=[\\t ]{${gap},}|[^\\t\\x20-\\x7e]|$)|[^\\t\\x20-\\x7e]+`, "gu");

/** read takes a source apart. */
export function read(text: string): Source {
  const source: Source = { blocks: [], lines: 0, odd: [], starts: [1], foreign: false };
  let block: Line[] = [];
  let size = 0;
  const put = (line: Line, length: number): void => {
    block.push(line);
    size += length;
    if (block.length < together && size < together * 80) return;
    source.blocks.push(block);
    [block, size] = [[], 0];
  };
  const end = (line: string, by: string): void => {
    const n = ++source.lines;
    // A line ends with "\n" or "\r\n"; whatever else ends one is not seen in an editor.
    const shown = by === "" || by === "\n" || by === "\r\n" ? line : line + by;
    const odd = new Set<string>();
    const all = pieces(shown);
    for (const p of all) {
      if (p.kind === "odd") odd.add(p.text);
      else if (p.kind === "foreign") source.foreign = true;
    }
    if (by === "\n" || by === "\r\n") source.starts.push(n + 1);
    for (const [i, part] of cut(all).entries()) put({ n: i === 0 ? n : 0, pieces: part }, length(part));
    if (odd.size > 0) source.odd.push({ n, text: [...odd].join(" "), turns: turning.test(shown) });
  };
  /** Some editors mark a file as UTF-8: at its very start, this hides nothing. */
  const begin = text.startsWith("\ufeff") ? 1 : 0;
  let at = begin;
  let empty = 0;
  /** Empty lines are held back until it is known how many there are. */
  const rest = (): void => {
    if (empty >= pause) {
      const n = source.lines + 1;
      for (let i = 0; i < empty; i++) source.starts.push(n + i + 1);
      source.lines += empty;
      const mark = { kind: "odd", text: `${empty} × ⏎` } as const;
      put({ n, pieces: [mark] }, 1);
      source.odd.push({ n, text: mark.text, turns: false });
    } else for (let i = 0; i < empty; i++) end("", "\n");
    empty = 0;
  };
  for (const m of text.matchAll(ends)) {
    const line = text.slice(at, m.index);
    at = m.index + m[0].length;
    if (m[0].endsWith("\n") && line.trim() === "" && line.length < gap && ordinary.test(line)) empty++;
    else {
      rest();
      end(line, m[0]);
    }
  }
  rest();
  if (at < text.length || text.length === begin) end(text.slice(at), "");
  if (block.length > 0) source.blocks.push(block);
  return source;
}

/** height is about how many lines a block takes on screen, where long ones are wrapped. */
export const height = (block: Line[]): number => block.reduce((sum, l) => sum + Math.max(1, Math.ceil(length(l.pieces) / 100)), 0);

const length = (pieces: Piece[]): number => pieces.reduce((sum, p) => sum + p.text.length, 0);

/** cut cuts a long line, never in the middle of a character. */
function cut(line: Piece[]): Piece[][] {
  const out: Piece[][] = [[]];
  let room = longest;
  for (const { kind, text } of line) {
    for (let at = 0; at < text.length; ) {
      if (room < 2 || (kind === "odd" && at === 0 && text.length > room && room < longest)) {
        out.push([]);
        room = longest;
      }
      let to = Math.min(at + room, text.length);
      if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? "")) to--;
      out.at(-1)?.push({ kind, text: text.slice(at, to) });
      room -= to - at;
      at = to;
    }
  }
  return out;
}

/** pieces takes one line apart, or any text without lines. */
export function pieces(text: string): Piece[] {
  if (ordinary.test(text) && !blanks.test(text)) return [{ kind: "plain", text }];
  const out: Piece[] = [];
  for (const [part] of text.matchAll(parts)) {
    if (!ordinary.test(part)) foreign(out, part);
    else if (part.length >= gap && part.trim() === "") out.push({ kind: "odd", text: `${part.length} × ${part.includes("\t") ? "\u2423\u21e5" : "\u2423"}` });
    else out.push({ kind: "plain", text: part });
  }
  return out;
}

/** foreign splits characters outside ASCII into those that are seen and those that are not. */
function foreign(out: Piece[], text: string): void {
  let names: string[] = [];
  const named = (): void => {
    if (names.length > 0) out.push({ kind: "odd", text: counted(names) });
    names = [];
  };
  let seen = "";
  for (const c of text) {
    if (hidden.test(c)) {
      if (seen !== "") out.push({ kind: "foreign", text: seen });
      seen = "";
      names.push(`U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
    } else {
      named();
      seen += c;
    }
  }
  named();
  if (seen !== "") out.push({ kind: "foreign", text: seen });
}

/** counted writes "U+200B × 3 U+202E" for a run of characters. */
function counted(names: string[]): string {
  const out: string[] = [];
  for (let i = 0; i < names.length; ) {
    let to = i;
    while (names[to] === names[i]) to++;
    out.push(to - i === 1 ? (names[i] ?? "") : `${names[i] ?? ""} × ${to - i}`);
    i = to;
  }
  return out.join(" ");
}
