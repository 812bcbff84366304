// What a bad network does to packets. Every choice comes from a seed, so that a run
// can be repeated.

/** random makes numbers of 0..1 from a seed (mulberry32). */
export function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * losses says for each packet whether it is lost: rate of them, 0..1, in runs. The
 * rate is kept in every 100 packets or so, because 7 s of voice are only 350: left to
 * chance, one run would lose 3 % and the next one 8 %.
 */
export function losses(rate, run, next) {
  if (rate <= 0) return () => false;
  const runs = Math.max(1, Math.round(5 / run));
  const block = Math.round((runs * run) / rate);
  let plan = [];
  return () => {
    if (plan.length === 0) {
      // Runs do not overlap: places are drawn as if each run were one packet long.
      const places = Array.from({ length: block - runs * (run - 1) }, (_, i) => i < runs);
      for (let i = places.length - 1; i > 0; i--) {
        const j = Math.floor(next() * (i + 1));
        [places[i], places[j]] = [places[j], places[i]];
      }
      plan = places.flatMap((lost) => (lost ? new Array(run).fill(true) : [false])).reverse();
    }
    return plan.pop();
  };
}

/** The kinds of packets that share the port (RFC 7983; RTCP: RFC 5761). */
export function kindOf(packet) {
  const [first, second] = packet;
  if (first < 4) return "stun";
  if (first >= 20 && first < 64) return "dtls";
  if (first >= 128 && first < 192) return second >= 192 && second < 224 ? "rtcp" : "rtp";
  return "other";
}

/**
 * Impairment is one direction of one client's network.
 *  loss, run: the share that is lost, 0..1, and how many packets in a row
 *  delay, jitter: ms; a packet takes delay plus up to jitter
 *  overtake: packets of a jittery network overtake each other
 *  late, lateness: the share that is late by that time, ms, and so is overtaken
 *  cut: nothing gets through
 */
export class Impairment {
  #lost;
  #other;
  #next;
  #last = 0;

  constructor({ loss = 0, run = 1, delay = 0, jitter = 0, overtake = false, late = 0, lateness = 30, cut = false } = {}, seed = 1) {
    Object.assign(this, { loss, delay, jitter, overtake, late, lateness, cut });
    this.#next = random(seed);
    this.#lost = losses(loss, run, random(seed + 1));
    this.#other = losses(loss, 1, random(seed + 2));
  }

  /** When a packet that comes now leaves, ms on the clock of now; null: it is lost. */
  leaves(kind, now) {
    if (this.cut) return null;
    if (kind === "rtp" ? this.#lost() : this.#other()) return null;
    const slow = this.late > 0 && this.#next() < this.late;
    const at = now + this.delay + (this.jitter > 0 ? this.#next() * this.jitter : 0) + (slow ? this.lateness : 0);
    if (slow || this.overtake) return at;
    return (this.#last = Math.max(at, this.#last));
  }
}
