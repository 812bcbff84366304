// What the game server takes from one player: beyond the first limit events vanish, beyond
// the others the player is dropped. Per second, with a burst.
export const limits = {
  events: { rate: 50, burst: 200 }, // silently dropped beyond
  flood: { rate: 75, burst: 300 }, // "Reliable network event overflow."
  bytes: { rate: 128 * 1024, burst: 384 * 1024 }, // "Reliable server event size overflow."
  bagWrites: { rate: 75, burst: 125 }, // a player's writes to state bags
};

export class Bucket {
  constructor({ rate, burst }, now) {
    Object.assign(this, { rate, burst, left: burst, at: now });
  }

  /** take says whether n were left. */
  take(n, now) {
    this.left = Math.min(this.burst, this.left + ((now - this.at) / 1000) * this.rate);
    this.at = now;
    if (this.left < n) return false;
    this.left -= n;
    return true;
  }
}

/** Meter judges one player's net events. */
export class Meter {
  constructor(now) {
    this.events = new Bucket(limits.events, now);
    this.flood = new Bucket(limits.flood, now);
    this.bytes = new Bucket(limits.bytes, now);
  }

  /** judge returns "pass", "ignore", or why the player is dropped. */
  judge(bytes, now) {
    if (!this.flood.take(1, now)) return "Reliable network event overflow.";
    if (!this.bytes.take(bytes, now)) return "Reliable server event size overflow.";
    return this.events.take(1, now) ? "pass" : "ignore";
  }
}
