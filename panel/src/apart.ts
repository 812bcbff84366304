// Radios of one host that are told apart by their path are one origin for a browser, and so
// have one storage. Here each gets its own part of it: what the page keeps has the radio's
// path before its name.

const mine = /^\/r\/[^/]*\//.exec(location.pathname)?.[0];

/** The part of a storage that is this radio's. */
export function part(all: Storage, mine: string): Storage {
  const names = () => Object.keys(all).filter((name) => name.startsWith(mine));
  return {
    get length() {
      return names().length;
    },
    key: (n) => names()[n]?.slice(mine.length) ?? null,
    getItem: (name) => all.getItem(mine + name),
    setItem: (name, value) => all.setItem(mine + name, value),
    removeItem: (name) => all.removeItem(mine + name),
    clear: () => names().forEach((name) => all.removeItem(name)),
  };
}

if (mine !== undefined) for (const name of ["localStorage", "sessionStorage"] as const) Object.defineProperty(window, name, { value: part(window[name], mine), configurable: true });
