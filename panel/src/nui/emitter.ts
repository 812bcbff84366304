// Listeners of named events, as Socket.IO's client has them.

type Listener = (...args: never[]) => void;

export class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>();

  on(name: string, listener: Listener): void {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener));
  }

  off(name: string, listener: Listener): void {
    this.#listeners.get(name)?.delete(listener);
  }

  tell(name: string, ...args: unknown[]): void {
    for (const l of [...(this.#listeners.get(name) ?? [])]) l(...(args as never[]));
  }
}
