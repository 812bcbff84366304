/** What a key event is called in the table of keys: "Shift+F6", "Ctrl+K", "Alt+1", "X", "+", "ArrowUp". */
export function chordOf(e: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const control = e.ctrlKey || e.metaKey;
  const digit = /^Digit(\d)$/.exec(e.code)?.[1];
  // With Alt or Ctrl a key may type something else, so it goes by its place.
  const placed = control || e.altKey ? (/^Key([A-Z])$/.exec(e.code)?.[1] ?? digit) : undefined;
  // A digit is one on keyboards too that type it with Shift.
  const name = placed ?? (digit !== undefined && (!e.shiftKey || e.key === digit) ? digit : e.key.length === 1 ? e.key.toUpperCase() : e.key);
  // Shift is part of what a sign is, but not of what a letter or another key is.
  const shift = e.shiftKey && (name.length > 1 || /[A-Z]/.test(name)) ? "Shift+" : "";
  return (control ? "Ctrl+" : "") + (e.altKey ? "Alt+" : "") + shift + name;
}
