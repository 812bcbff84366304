// Finds out whether a media connection still carries packets, and when its counts are
// worth an event. Pure; the voice link asks it several times a second.

import type { Ack, SlotReport } from "../../wire.gen";

/** Packets of which none has arrived: 300 ms, by which UDP may be slower than the socket. */
const missing = 15;
/** How often loss is reported at most, and how often the service is asked about a talker whose voice does not reach the service, in ms. */
const seldom = 1000;
/** How long an answer may take before another report goes out, in ms: some are lost with the connection that carried them. */
const patience = 5000;

/** What this side has counted since the connection began. */
export interface Counts {
  /** Packets of the own voice. */
  sent: number;
  slots: readonly SlotReport[];
}

const total = <T>(list: readonly T[], of: (x: T) => number): number => list.reduce((sum, x) => sum + of(x), 0);
const receivedOf = (c: Counts): number => total(c.slots, (s) => s.received);

/** PathWatch belongs to one connection. Times are ms. */
export class PathWatch {
  #waiting = false;
  #askedAt = -Infinity;
  #quietBefore = false;
  #received = 0;
  #harm = 0;
  #idle = false;
  /** The counts of both sides when packets last arrived, each way. All begin with the connection, at 0. */
  #down = { sent: 0, received: 0 };
  #up = { sent: 0, received: 0 };
  /** How many packets of the own voice had not arrived at the last two times when some had: lost ones, and those on their way. */
  #short: [number, number] = [0, 0];
  /** How many of the newest packets of the own voice have not arrived. */
  unheard = 0;

  /** ask says whether to send a report now. hears: somebody is in a slot; talks: the own voice is sent. */
  ask(c: Counts, hears: boolean, talks: boolean, now: number): boolean {
    const received = receivedOf(c);
    const quiet = hears && received === this.#received;
    // A talker whose slot has just been assigned has not had the time to be heard.
    const deaf = quiet && this.#quietBefore;
    this.#quietBefore = hears;
    this.#received = received;
    if (this.#waiting && now - this.#askedAt < patience) return false;
    const harm = total(c.slots, (s) => s.lost + s.concealed);
    const due = now - this.#askedAt >= seldom;
    const doubt = (deaf && (!this.#idle || due)) || (talks && c.sent > this.#up.sent);
    if (!doubt && !(harm !== this.#harm && due)) return false;
    this.#harm = harm;
    this.#askedAt = now;
    this.#waiting = true;
    return true;
  }

  /** judge takes the answer: asked is what was counted before the report went out, now what is counted after the answer came. It says whether the path is dead. */
  judge(asked: Counts, answer: Ack, now: Counts): boolean {
    this.#waiting = false;
    if (answer.received === undefined || answer.slots === undefined) return false;
    const sent = total(answer.slots, (s) => s.sent);
    const received = receivedOf(now);
    this.#idle = sent === this.#down.sent;
    if (received > this.#down.received) this.#down = { sent, received };
    if (answer.received > this.#up.received) {
      this.#up = { sent: asked.sent, received: answer.received };
      this.#short = [this.#short[1], asked.sent - answer.received];
    }
    this.unheard = Math.max(0, now.sent - answer.received - Math.min(...this.#short));
    return sent - this.#down.sent >= missing || asked.sent - this.#up.sent >= missing;
  }
}
