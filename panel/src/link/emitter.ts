import type { Handlers } from "./socket";

type Handler = (...args: unknown[]) => void;

/** The listeners of a socket that is not Socket.IO's. */
export class Emitter {
  readonly #all = new Set<Record<string, Handler>>();

  hear(handlers: Handlers): () => void {
    const own = { ...handlers } as Record<string, Handler>; // what is told comes from the wire
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  tell(name: string, ...args: unknown[]): void {
    for (const handlers of [...this.#all]) handlers[name]?.(...args);
  }
}
