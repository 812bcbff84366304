// A UDP path between browsers and the service that can be cut.
import { createSocket } from "node:dgram";

const bound = (socket) => new Promise((done) => socket.bind(0, "127.0.0.1", done));

/** Cable carries the packets of all pages of a context to the service's media port. */
export class Cable {
  cut = false;
  #front = createSocket("udp4");
  #backs = new Map(); // by the browser's port; the service sees an address for each
  #service = 0;

  /** lay makes the context's media connections go through the cable: their answers name its port. */
  static async lay(t, context) {
    const c = new Cable();
    c.#front.on("message", (packet, from) => void c.#carry(packet, from));
    await bound(c.#front);
    t.after(() => [c.#front, ...[...c.#backs.values()].map((b) => b.socket)].forEach((s) => s.close()));
    await context.exposeFunction("cable_", (service) => {
      c.#service = service;
      return c.#front.address().port;
    });
    await context.addInitScript(() => {
      const set = RTCPeerConnection.prototype.setRemoteDescription;
      RTCPeerConnection.prototype.setRemoteDescription = async function ({ type, sdp }) {
        const service = /^a=candidate:\S+ \d+ udp \d+ \S+ (\d+) /im.exec(sdp)[1];
        const port = await window.cable_(Number(service));
        return set.call(this, { type, sdp: sdp.replaceAll(new RegExp(`(^a=candidate:\\S+ \\d+ udp \\d+ \\S+) ${service} `, "gim"), `$1 ${port} `) });
      };
    });
    return c;
  }

  async #carry(packet, from) {
    if (this.cut) return;
    let back = this.#backs.get(from.port);
    if (back === undefined) {
      const socket = createSocket("udp4");
      back = { socket, ready: bound(socket) };
      this.#backs.set(from.port, back);
      socket.on("message", (answer) => {
        if (!this.cut) this.#front.send(answer, from.port, from.address);
      });
    }
    await back.ready;
    back.socket.send(packet, this.#service, "127.0.0.1");
  }
}
