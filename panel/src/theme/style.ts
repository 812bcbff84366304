// Which names and values of the page's style a theme may set.

import { said } from "./said";
import { limits } from "./table.gen";

/** The longest value of a variable: room for a small picture as data:. */
const valueLength = 20_000;

/** Why a variable's name is refused; "": it is not. */
export function wrongVariable(name: unknown): string {
  if (typeof name !== "string" || !limits.variableName.test(name)) return `no variable ${said(name)}: want a name such as --night-sky (letters, digits and dashes)`;
  return name.length > limits.variableLength ? `no variable ${said(name)}: its name is longer than ${limits.variableLength} characters` : "";
}

/** Why a class's name is refused; "": it is not. */
export function wrongClass(name: unknown): string {
  if (typeof name !== "string" || !limits.className.test(name)) return `no class ${said(name)}: want a name such as night-sky (letters, digits, dashes and underscores)`;
  return name.length > limits.classLength ? `no class ${said(name)}: its name is longer than ${limits.classLength} characters` : "";
}

/** Why a variable's value is refused; "": it is not. What could load something from elsewhere is. */
export function wrongValue(value: unknown): string {
  if (typeof value !== "string" && !(typeof value === "number" && Number.isFinite(value))) return `not a value: ${said(value)}; want a text or a number`;
  const text = String(value);
  if (text.length > valueLength) return `not a value: it is longer than ${valueLength} characters`;
  // With and without what looks like comments: inside of texts it is none.
  if ([text, text.replace(/\/\*.*?\*\//gs, "")].some(loads)) return `not a value: ${said(text)}; url() may name only files of the theme and data:`;
  return "";
}

/** Whether it could load something from elsewhere. Rather too much than too little is taken for that. */
function loads(css: string): boolean {
  const plain = unescaped(css).replace(/[\s"']/g, "").toLowerCase();
  return /(url|src|image-set|image|cross-fade)\(|@import/.test(plain) && /[\\/]{2}|[a-z][a-z0-9+.-]*:/.test(plain.replace(/\bdata:(image|font)\/[^)]*/g, ""));
}

/** With the escapes of CSS decoded: \75 rl( is url(. */
const unescaped = (css: string): string =>
  css.replace(/\\(?:([0-9a-f]{1,6})\s?|(\r\n|\n|\f)|(.))/gi, (_, hex?: string, line?: string, one?: string) => {
    if (hex === undefined) return line === undefined ? (one ?? "") : "";
    const code = parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
