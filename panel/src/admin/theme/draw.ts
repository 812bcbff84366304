// The lines of a source as elements. They are made by hand: there may be a million of
// them, and text that is set as text is never anything else.
import { height, type Line } from "./source";

/** drawn is a block of lines. marked: lines worth a second look. */
export function drawn(lines: Line[], marked: ReadonlySet<number>): HTMLElement {
  const block = document.createElement("div");
  block.className = "block";
  block.style.setProperty("contain-intrinsic-height", `auto ${height(lines) * 1.4}em`);
  for (const l of lines) {
    const line = document.createElement("div");
    line.className = marked.has(l.n) ? "line marked" : "line";
    line.dataset["n"] = l.n === 0 ? "↪" : String(l.n);
    for (const p of l.pieces) line.append(p.kind === "plain" ? p.text : piece(p.kind, p.text));
    block.append(line);
  }
  return block;
}

function piece(kind: "odd" | "foreign", text: string): HTMLElement {
  const e = document.createElement(kind === "odd" ? "b" : "u");
  if (kind === "odd") e.className = "odd";
  e.textContent = text;
  return e;
}
