import { describe, expect, it } from "vitest";
import { read, type Line } from "./source";

const written = (l: Line): string => l.pieces.map((p) => (p.kind === "odd" ? `⟨${p.text}⟩` : p.kind === "foreign" ? `_${p.text}_` : p.text)).join("");
const lines = (text: string): string[] => read(text).blocks.flat().map((l) => `${l.n}: ${written(l)}`);

describe("a script's source, shown", () => {
  it("has the lines that an editor shows", () => {
    expect(lines('a();\r\n\tb("x");\n\nc();\n')).toEqual(["1: a();", '2: \tb("x");', "3: ", "4: c();"]);
    expect(lines("")).toEqual(["1: "]);
    expect(lines("a")).toEqual(["1: a"]);
    expect(read("a();\n").odd).toEqual([]);
  });

  it("names what turns text around, and where", () => {
    // Shown as it is, this looks like a comment behind a harmless condition.
    const s = read("ok();\nif (admin) { /*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin*/\n");
    expect(s.blocks.flat().map(written)[1]).toBe("if (admin) { /*⟨U+202E⟩ } ⟨U+2066⟩if (isAdmin)⟨U+2069⟩ ⟨U+2066⟩ begin*/");
    expect(s.odd).toEqual([{ n: 2, text: "U+202E U+2066 U+2069", turns: true }]);
  });

  it("names what is invisible, and counts it", () => {
    expect(lines("a\u200b\u200b\u200b\u2060b\u3164 = 1")).toEqual(["1: a⟨U+200B × 3 U+2060⟩b⟨U+3164⟩ = 1"]);
    expect(read("\ufeffa();\nb();").odd).toEqual([]);
    expect(read("\ufeff").lines).toBe(1);
    expect(read("\ufeff\ufeffa();").odd).toEqual([{ n: 1, text: "U+FEFF", turns: false }]);
    expect(read("x\u00a0y\ufeff").odd).toEqual([{ n: 1, text: "U+00A0 U+FEFF", turns: false }]);
    for (const c of ["\0", "\x08", "\x0b", "\x1b", "\x7f", "\x85", "\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u2003", "\u200d", "\u200f", "\u2062", "\u2800", "\u3000", "\ufe0f", "\uffa0", "\ufff9", "\ue000", "\ud800", "\u{e0041}", "\u{e0100}", "\u{1d173}"]) {
      const [line = ""] = lines(`a${c}b`);
      expect(line, c.codePointAt(0)?.toString(16)).toMatch(/^1: a⟨U\+[0-9A-F]{4,6}⟩b$/);
    }
  });

  it("begins a line wherever JavaScript does, and says how", () => {
    expect(lines("// a comment\u2028evil();\r// more\rworse();\u2029x")).toEqual(["1: // a comment⟨U+2028⟩", "2: evil();⟨U+000D⟩", "3: // more⟨U+000D⟩", "4: worse();⟨U+2029⟩", "5: x"]);
  });

  it("counts empty lines that push code out of sight", () => {
    const s = read(`ok();\n${"\n".repeat(500)}evil();\n\n\nmore();`);
    expect(s.blocks.flat().map((l) => `${l.n}: ${written(l)}`)).toEqual(["1: ok();", "2: ⟨500 × ⏎⟩", "502: evil();", "503: ", "504: ", "505: more();"]);
    expect(s.odd).toEqual([{ n: 2, text: "500 × ⏎", turns: false }]);
    expect([s.lines, s.starts[0], s.starts[1], s.starts[501], s.starts[504]]).toEqual([505, 1, 2, 502, 505]);
    expect(lines("\n \n\t\r\nx\n\n")).toEqual(["1: ", "2: ", "3: ", "4: x", "5: "]);
  });

  it("knows the lines of those who count line feeds only", () => {
    expect(read("a\u2028b\nc\r\nd\re\nf").starts).toEqual([1, 3, 4, 6]);
    expect(read("").starts).toEqual([1]);
  });

  it("marks what is outside ASCII and may look like something else", () => {
    expect(lines('if (environment\u01c3="p") s\u0441ope("Grüße")')).toEqual(['1: if (environment_ǃ_="p") s_с_ope("Gr_üß_e")']);
    expect(read("Grüße \u{1f4fb}").odd).toEqual([]);
  });

  it("counts spaces that push code out of sight", () => {
    const s = read(`ok();${" ".repeat(500)}evil();\n${" ".repeat(20)}deep();`);
    expect(s.blocks.flat().map(written)).toEqual(["ok();⟨500 × ␣⟩evil();", `${" ".repeat(20)}deep();`]);
    expect(s.odd).toEqual([{ n: 1, text: "500 × ␣", turns: false }]);
    expect(lines(`${"x".repeat(3995)}${" ".repeat(5000)}y`).map((l) => l.slice(-20))).toEqual(["xxxxxxxxxxxxxxxxxxxx", "0: ⟨5000 × ␣⟩y"]);
    expect(lines(`${"\t".repeat(100)}evil();`)).toEqual(["1: ⟨100 × ␣⇥⟩evil();"]);
  });

  it("loses nothing of what can be seen", () => {
    const text = `${"let a = 1; ".repeat(3000)}\n${"\u{1f4fb}".repeat(9000)}\n${'x("ä", 1);\n'.repeat(5000)}`;
    const s = read(text);
    const joined: string[] = [];
    for (const l of s.blocks.flat()) {
      const t = l.pieces.map((p) => p.text).join("");
      if (l.n === 0) joined[joined.length - 1] += t;
      else joined.push(t);
    }
    expect(joined.join("\n")).toBe(text.slice(0, -1));
    expect(s.lines).toBe(5002);
    for (const b of s.blocks) expect(b.length).toBeLessThanOrEqual(200);
    for (const l of s.blocks.flat()) expect(l.pieces.map((p) => p.text).join("").length).toBeLessThanOrEqual(4000);
  });

  it("takes a megabyte of anything apart", () => {
    for (const text of [" ".repeat(1_000_000), "a".repeat(1_000_000), "\n".repeat(1_000_000), "\u202e".repeat(333_333), "a \u200b".repeat(200_000), `${" ".repeat(99)}x`.repeat(10_000)]) {
      const s = read(text);
      expect(s.lines).toBeGreaterThan(0);
      expect(s.blocks.length).toBeGreaterThan(0);
    }
  });
});
