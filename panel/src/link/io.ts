import type { Socket } from "socket.io-client";
import type { Ack } from "../wire.gen";
import type { Handlers, VoiceSocket } from "./socket";

/** Socket.IO's socket, as voice and push-to-talk see it. */
export class IoSocket implements VoiceSocket {
  constructor(private readonly io: Socket) {}

  get connected(): boolean {
    return this.io.connected;
  }

  hear(handlers: Handlers): () => void {
    const all = Object.entries(handlers);
    for (const [name, f] of all) this.io.on(name, f);
    return () => {
      for (const [name, f] of all) this.io.off(name, f);
    };
  }

  emit(name: string, payload: unknown, answered?: (answer: Ack) => void): void {
    if (answered) this.io.emit(name, payload, answered);
    else this.io.emit(name, payload);
  }
}
