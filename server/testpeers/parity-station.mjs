// A station opens the clients of one scenario over one transport.
import { io } from "socket.io-client";

export const once = (emitter, event) => new Promise((resolve) => emitter.once(event, (...args) => resolve(args)));

export function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("nothing came")), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** count gathers the arguments of the next n events of a name. */
export function count(socket, event, n) {
  const heard = [];
  return new Promise((resolve) => {
    const listener = (...args) => {
      heard.push(args.length > 1 ? args : args[0]);
      if (heard.length === n) resolve(heard);
    };
    socket.on(event, listener);
  });
}

export const ascending = (list) => list.every((n, i) => n === i);

/** plain makes bytes visible in JSON. */
export function plain(value) {
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) {
    const bytes = Buffer.from(value);
    return bytes.length > 32 ? `${bytes.length} bytes, sum ${bytes.reduce((a, b) => a + b, 0)}` : `bytes ${bytes.toString("hex")}`;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  return value;
}

export class Station {
  static labels = 0;
  #sockets = [];
  ended = []; // why clients went, to explain a failure

  constructor(url, transport) {
    this.url = url;
    this.transport = transport;
  }

  /** dial makes a client with a connection of its own, without waiting for it. */
  dial(namespace = "/", options = {}) {
    const socket = io(this.url + namespace, {
      transports: this.transport === "upgrade" ? ["polling", "websocket"] : [this.transport],
      upgrade: this.transport === "upgrade",
      forceNew: true,
      reconnection: false,
      ...options,
    });
    socket.on("disconnect", (reason, details) => this.ended.push(`${reason} (${details?.description?.message ?? details?.context?.status ?? ""})`));
    this.#sockets.push(socket);
    return socket;
  }

  /** open dials and waits for `hello`, and for the upgrade if there is one. */
  async open(namespace, options) {
    const socket = this.dial(namespace, options);
    socket.greeting = once(socket, "hello");
    await this.settled(socket);
    return socket;
  }

  async settled(socket) {
    await Promise.race([
      socket.greeting,
      once(socket, "connect_error").then(([error]) => Promise.reject(error)),
    ]);
    const { engine } = socket.io;
    if (this.transport === "upgrade" && engine.transport.name !== "websocket") await once(engine, "upgrade");
  }

  label() {
    return `${this.transport}-${Station.labels++}`;
  }

  /** endingOf asks the server why it thinks that a client went. */
  async endingOf(label) {
    const witness = await this.open();
    return witness.emitWithAck("ending of", label);
  }

  closeAll() {
    for (const socket of this.#sockets) socket.disconnect();
  }
}
