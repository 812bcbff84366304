/** A storage that keeps what it is told until the page is closed. */
export function shortMemory(): Storage {
  const all = new Map<string, string>();
  return {
    get length() {
      return all.size;
    },
    key: (n) => [...all.keys()][n] ?? null,
    getItem: (key) => all.get(key) ?? null,
    setItem: (key, value) => void all.set(key, String(value)),
    removeItem: (key) => void all.delete(key),
    clear: () => all.clear(),
  };
}

/** From now on this page keeps nothing in the browser: a scene leaves no trace on the desk of a radio at the same address, nor on another scene. */
export function forgetful(): void {
  for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { value: shortMemory(), configurable: true });
}
