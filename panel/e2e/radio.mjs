// A player's radio: a plain Socket.IO client, as the game's own clients are.
import { io } from "socket.io-client";

export class Radio {
  heard = [];
  voices = 0;

  /** Puts a player on the radio. */
  static async connect(service, serverId, name, more = {}) {
    const { playerToken } = await service.post("/api/player/connect", { serverId, name, ...more });
    const r = new Radio();
    r.id = serverId;
    r.socket = io(service.url, { auth: { authToken: playerToken, serverId }, transports: ["websocket"], forceNew: true });
    r.socket.onAny((event, payload) => {
      if (event === "voice") r.voices++;
      else r.heard.push({ event, payload });
    });
    await new Promise((give, fail) => {
      r.socket.once("connect", give);
      r.socket.once("connect_error", fail);
    });
    return r;
  }

  send(event, payload) {
    return this.socket.timeout(5000).emitWithAck(event, payload);
  }

  join(frequency) {
    return this.send("setSpeakerChannel", frequency);
  }

  talk(state, frequency) {
    return this.send("setTalking", frequency ? { state, frequency } : state);
  }

  /** The first event, past or to come, that passes. */
  wait(what, test, ms = 8000) {
    const past = this.heard.find((e) => test(e.event, e.payload));
    if (past) return Promise.resolve(past);
    return new Promise((give, fail) => {
      const timer = setTimeout(() => fail(new Error(`${what} was not heard; heard: ${JSON.stringify(this.heard.slice(-8))}`)), ms);
      const hear = (event, payload) => {
        if (!test(event, payload)) return;
        clearTimeout(timer);
        this.socket.offAny(hear);
        give({ event, payload });
      };
      this.socket.onAny(hear);
    });
  }

  forget() {
    this.heard = [];
    this.voices = 0;
  }

  close() {
    this.socket.disconnect();
  }
}
