// State bags: named tables of packed values. What the server writes as replicated, every
// client reads; a client may write to its own player's bag only, at a limited rate.
import { NIL } from "./wire.mjs";

export class StateBags {
  #bags = new Map(); // name -> key -> packed value
  #watchers = []; // { key, bag, tell }

  get(bag, key) {
    return this.#bags.get(bag)?.get(key) ?? NIL;
  }

  set(bag, key, packed, replicated) {
    if (!this.#bags.has(bag)) this.#bags.set(bag, new Map());
    if (packed.equals(NIL)) this.#bags.get(bag).delete(key);
    else this.#bags.get(bag).set(key, packed);
    for (const watcher of this.#watchers) {
      if ((!watcher.key || watcher.key === key) && (!watcher.bag || watcher.bag === bag)) watcher.tell(bag, key, packed, replicated);
    }
  }

  /** all yields [bag, key, packed]. */
  *all() {
    for (const [bag, values] of this.#bags) for (const [key, packed] of values) yield [bag, key, packed];
  }

  drop(bag) {
    this.#bags.delete(bag);
  }

  watch(watcher) {
    this.#watchers.push(watcher);
  }

  forget(owner) {
    this.#watchers = this.#watchers.filter((watcher) => watcher.owner !== owner);
  }
}
