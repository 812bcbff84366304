// The page without its view: it does what Lua says, and tells Lua what happens.

import { VERSION } from "../wire.gen";
import { keep, kept } from "./keep";
import { DirectLink, type GameLink, type LinkEvents, SocketLink } from "./link";
import type { Action, Connection, FromLua, View } from "./message";
import type { Port } from "./port";
import { whole } from "./picture";
import { Sound } from "./sound";

/** How often Lua is told of a connection that only measures differently, ms. */
const reportEvery = 5_000;

/** Events that are of no use to Lua: voice, and what only the media connection needs. */
const inner = new Set(["voice", "webrtc:slots", "webrtc:closed"]);

/** mixed says whether a page of the game may not open the address: anything but TLS, except on the own machine. */
function mixed(page: string, url: string): boolean {
  try {
    const to = new URL(url);
    return page === "https:" && !/^(https|wss):$/.test(to.protocol) && !/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(to.hostname);
  } catch {
    return true;
  }
}

export class Radio {
  #sound: Promise<Sound>;
  #board: Sound | null = null;
  #link: GameLink | null = null;
  #roundTrip: number | null = null;
  #trouble = { reason: "", detail: "" };
  #mixed = false;
  #reported = "";
  #reportedAt = 0;
  #offers = new Map<string, (answer: { sdp?: string; error?: string }) => void>();
  #offered = 0;
  /** What was said before sound was open waits for it, so that everything happens in order. */
  #turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly port: Port,
    private readonly show: (change: Partial<View>) => void,
    private readonly memory: Storage,
  ) {
    this.#sound = Sound.open();
    this.#sound.then(
      (s) => {
        this.#board = s;
        this.show({ mic: s.microphone });
        s.onptt = (report) => void port.post("ptt", report);
        s.onmicrophone = () => this.#microphone();
      },
      (e: unknown) => {
        this.#trouble = { reason: "sound", detail: String(e) };
        this.#report();
      },
    );
    setInterval(() => this.#report(), reportEvery);
  }

  /** Begins: from now on the page hears Lua. */
  ready(): void {
    void this.port.post("ready", { version: VERSION, settings: kept(this.memory), browser: navigator.userAgent });
  }

  /** A button of the radio. Lua decides what it does. */
  press(action: Action, value?: number | string | boolean): void {
    void this.port.post("ui", value === undefined ? { action } : { action, value });
  }

  /** Why there is no microphone. */
  get noMicrophone(): string {
    return this.#board?.noMicrophone ?? "";
  }

  retryMicrophone(): void {
    void this.#board?.askMicrophone(true);
  }

  take(m: FromLua): void {
    switch (m.type) {
      case "view":
        return this.#view(m);
      case "answer":
        this.#offers.get(String(m.id))?.(m);
        this.#offers.delete(String(m.id));
        return;
      case "save":
        return keep(this.memory, m.settings);
      case "emit":
        return this.#emit(m);
      case "probe":
        return this.#link?.probe();
      case "link":
      case "unlink":
        this.#turn = this.#turn.then(() => (m.type === "link" ? this.#connect(m) : this.#disconnect())).catch((e: unknown) => console.error(e));
        return;
      default:
        if (this.#board !== null) return this.#sounds(this.#board, m);
        void this.#sound.then((s) => this.#sounds(s, m), () => undefined);
    }
  }

  #sounds(s: Sound, m: FromLua): void {
    switch (m.type) {
      case "ptt":
        return m.down ? s.press(m) : s.release(m.source);
      case "tone":
        return s.tone(m.name, m.announcement);
      case "sound":
        return s.volumes(m);
      case "siren":
        return s.siren(m.on);
      case "scene":
        return s.scene(m.ear, m.talkers);
    }
  }

  #view(m: FromLua & { type: "view" }): void {
    // Only this page knows of its microphone.
    this.show({ ...whole(m), mic: this.#board?.microphone ?? "unknown" });
    if (m.power) void this.#sound.then((s) => s.askMicrophone(), () => undefined);
  }

  #microphone(): void {
    const state = this.#board?.microphone ?? "unknown";
    this.show({ mic: state });
    void this.port.post("mic", { state });
    this.#report();
  }

  #emit({ name, payload, id }: FromLua & { type: "emit" }): void {
    const answer = id === undefined ? undefined : (reply: unknown) => void this.port.post("ack", { id, reply });
    if (this.#link?.connected) this.#link.emit(name, payload ?? null, answer);
    else answer?.({ success: false, error: "not connected" });
  }

  async #connect(m: FromLua & { type: "link" }): Promise<void> {
    await this.#disconnect();
    const sound = await this.#sound;
    this.#mixed = m.path === "socket" && mixed(location.protocol, m.url ?? "");
    if (this.#mixed) {
      this.#trouble = { reason: "mixed-content", detail: m.url ?? "" };
      return this.#report();
    }
    const link: GameLink =
      m.path === "socket"
        ? new SocketLink(sound.engine, m.url!, { authToken: m.token ?? "", serverId: m.serverId }, this.#hears())
        : new DirectLink(sound.engine, (sdp) => this.#offer(sdp), this.#hears());
    this.#link = link;
    sound.attach(link, m.serverId);
    link.voice.onchange(() => this.#report());
    this.#report();
    await link.start();
  }

  async #disconnect(): Promise<void> {
    const link = this.#link;
    if (link === null) return;
    this.#board?.detach(); // gives the floor back first
    await link.stop();
    this.#link = null;
    this.#trouble = { reason: "", detail: "" };
    this.#report();
  }

  #hears(): LinkEvents {
    return {
      connected: () => {
        this.#trouble = { reason: "", detail: "" };
        this.#report();
      },
      disconnected: () => {
        this.#board?.lost();
        this.#roundTrip = null;
        this.#report();
      },
      trouble: (reason, detail) => {
        this.#trouble = { reason, detail };
        this.#report();
      },
      pulse: (ms) => (this.#roundTrip = Math.round(ms)),
      event: (name, payload) => {
        this.#board?.event(name, payload);
        if (!inner.has(name)) void this.port.post("event", { name, payload });
      },
    };
  }

  #offer(sdp: string): Promise<string> {
    const id = ++this.#offered;
    return new Promise((resolve, reject) => {
      this.#offers.clear(); // an earlier offer's answer is of no use any more
      this.#offers.set(String(id), (a) => (a.sdp ? resolve(a.sdp) : reject(new Error(a.error ?? "the offer was refused"))));
      void this.port.post("offer", { id, sdp });
    });
  }

  /** report tells Lua of the connection: at once when it has changed, seldom when only its figures have. */
  #report(): void {
    const voice = this.#link?.voice.state;
    const connected = this.#link?.connected === true;
    const mic = this.#board?.microphone ?? "unknown";
    const plane = voice?.plane ?? "none";
    const state: Omit<Connection, "rtt" | "packetsLost"> = {
      connected,
      connecting: !connected && this.#link !== null,
      path: this.#link?.path ?? "none",
      mic,
      encoder: plane === "webrtc" ? "webrtc" : plane === "socket" ? "webcodecs" : "none",
      ...(this.#mixed ? { mixedContent: true } : {}),
      ...(connected || this.#trouble.reason === "" ? {} : this.#trouble),
    };
    const text = JSON.stringify(state);
    const now = performance.now();
    if (text === this.#reported && (!connected || now - this.#reportedAt < reportEvery - 100)) return;
    this.#reported = text;
    this.#reportedAt = now;
    void this.port.post("connection", { ...state, rtt: voice?.roundTrip ?? this.#roundTrip, packetsLost: voice?.loss ?? null });
  }
}
