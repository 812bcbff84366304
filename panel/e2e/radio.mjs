// A player's radio: a plain Socket.IO client, as the game's own clients are.
import { io } from "socket.io-client";
import { frequencyOf } from "./county.mjs";
import { patience, until } from "./wait.mjs";

/** An Opus frame of silence, base64. */
const silence = "+P/+";
/** s */
const frame = 0.02;

export class Radio {
  /** The events that it received, in the order of arrival. */
  told = [];
  /** Frames of voice. */
  voices = 0;
  #speech = null;

  /** Puts a player on the radio. */
  static async connect(service, serverId, name, more = {}) {
    const { playerToken } = await service.post("/api/player/connect", { serverId, name, ...more });
    const r = new Radio();
    r.id = serverId;
    r.name = name;
    r.socket = io(service.url, { auth: { authToken: playerToken, serverId }, transports: ["websocket"], forceNew: true });
    r.socket.onAny((event, payload) => {
      if (event === "voice") r.voices++;
      else r.told.push({ event, payload });
    });
    await new Promise((give, fail) => {
      r.socket.once("connect", give);
      r.socket.once("connect_error", fail);
    });
    return r;
  }

  send(event, payload) {
    return this.socket.timeout(patience).emitWithAck(event, payload);
  }

  join(channel) {
    return this.send("setSpeakerChannel", frequencyOf(channel));
  }

  panic(enabled) {
    return this.send("panic", { enabled });
  }

  /** Presses or releases. While pressed it also sends voice: a floor without voice is a lease that runs out. */
  async talk(state) {
    clearInterval(this.#speech);
    await this.send("setTalking", state);
    if (state) this.#speech = setInterval(() => this.socket.emit("voice", { data: silence }), 100);
  }

  /** Waits for some seconds of voice since forget, for at most ms. */
  hears(seconds, ms = patience) {
    return until(`${seconds} s of voice at ${this.name}'s radio`, () => this.voices * frame >= seconds, ms);
  }

  /** The first event since forget, or in the future, that passes test. */
  async wait(what, test) {
    let found;
    await until(
      () => `${what} at ${this.name}'s radio, which was told ${JSON.stringify(this.told.slice(-8))}`,
      () => {
        found = this.told.find((e) => test(e.event, e.payload));
        return found !== undefined;
      },
    );
    return found;
  }

  toldTone(tone) {
    return this.wait(`the tone ${tone}`, (e, p) => e === "serverTone" && p.tone === tone);
  }

  toldToneOf(_alert, tone) {
    return this.toldTone(tone);
  }

  toldMove(channel) {
    const frequency = frequencyOf(channel);
    return this.wait("the move", (e, p) => e === "dispatchNotification" && p.type === "userSwitched" && p.frequency === frequency);
  }

  toldMessage(message) {
    return this.wait("the message", (e, p) => e === "dispatchNotification" && p.type === "userAlert" && p.message === message);
  }

  async toldBroadcast(message, type, tone) {
    await this.wait("the broadcast", (e, p) => e === "dispatchNotification" && p.type === "broadcast" && p.message === message && p.broadcastType === type);
    await this.toldTone(tone);
  }

  followedBy() {
    return this.wait("that it is followed", (e) => e === "userStartedListening");
  }

  /** Waits until a dispatcher has disconnected it. */
  gone() {
    return until(`${this.name} is disconnected`, () => !this.socket.connected);
  }

  forget() {
    this.told = [];
    this.voices = 0;
  }

  /** Switches itself off. */
  async leave() {
    this.close();
  }

  close() {
    clearInterval(this.#speech);
    this.socket.disconnect();
  }
}
