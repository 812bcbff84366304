// A network between a browser and the service's media port, in user space: the
// browser talks to this port as if it were the service's, and the service sees an
// address of its own for each of the browser's sockets.
import { createSocket } from "node:dgram";
import { Impairment, kindOf } from "./impairment.mjs";

const bound = (socket) => new Promise((done) => socket.bind(0, "127.0.0.1", done));

export class Network {
  /** Towards the service, and towards the browser. */
  up = new Impairment();
  down = new Impairment();
  #front = createSocket("udp4");
  #backs = new Map();
  #waiting = new Set();
  #closed = false;

  /** service is its media port on 127.0.0.1. */
  static async open(service) {
    const n = new Network();
    n.service = service;
    n.reset();
    n.#front.on("message", (packet, from) => n.#browser(packet, from));
    await bound(n.#front);
    return n;
  }

  get port() {
    return this.#front.address().port;
  }

  /** reset begins to count again. late: how much later than asked packets left, ms, of those that had to wait. */
  reset() {
    this.counts = { up: { rtp: 0, lost: 0 }, down: { rtp: 0, lost: 0 }, late: [] };
  }

  /** impair sets what happens to packets from now on; what is not named is clean. */
  impair({ up = {}, down = {} } = {}, seed = 1) {
    this.up = new Impairment(up, 2 * seed);
    this.down = new Impairment(down, 2 * seed + 1000003);
  }

  #browser(packet, from) {
    let back = this.#backs.get(from.port);
    if (back === undefined) {
      const socket = createSocket("udp4");
      back = { socket, ready: bound(socket) };
      socket.on("message", (answer) => this.#pass("down", answer, () => this.#front.send(answer, from.port, from.address)));
      this.#backs.set(from.port, back);
    }
    this.#pass("up", packet, async () => {
      await back.ready;
      if (!this.#closed) back.socket.send(packet, this.service, "127.0.0.1");
    });
  }

  #pass(way, packet, send) {
    const kind = kindOf(packet);
    const now = performance.now();
    const at = this[way].leaves(kind, now);
    if (kind === "rtp") this.counts[way].rtp++;
    if (at === null) {
      if (kind === "rtp") this.counts[way].lost++;
      return;
    }
    if (at <= now) return send();
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      if (this.#closed) return;
      this.counts.late.push(performance.now() - at);
      send();
    }, at - now);
    this.#waiting.add(timer);
  }

  close() {
    this.#closed = true;
    for (const t of this.#waiting) clearTimeout(t);
    this.#front.close();
    for (const { socket } of this.#backs.values()) socket.close();
  }
}
