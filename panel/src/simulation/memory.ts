const prefix = "simulation.";

/** A separate memory in a browser's storage: practice changes nothing at the desk of the real radio. */
export function memoryOf(storage: Storage): Storage {
  const own = (): string[] => Object.keys(storage).filter((k) => k.startsWith(prefix));
  return {
    get length() {
      return own().length;
    },
    key: (n) => own()[n]?.slice(prefix.length) ?? null,
    getItem: (key) => storage.getItem(prefix + key),
    setItem: (key, value) => storage.setItem(prefix + key, value),
    removeItem: (key) => storage.removeItem(prefix + key),
    clear: () => own().forEach((k) => storage.removeItem(k)),
  };
}
