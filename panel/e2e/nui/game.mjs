// A game around the page: its Lua and its server, as far as the page can tell.
import { until } from "../wait.mjs";
import { open } from "./browser.mjs";

const picture = {
  power: true, open: true, focus: true, model: "handheld-a", theme: "standard", night: false,
  zone: "Test", zones: ["Test"], channel: { name: "PATROL", frequency: "154.755", type: "conventional", canTransmit: true },
  channels: [{ name: "PATROL", frequency: "154.755", type: "conventional", canTransmit: true }, { name: "FIRE", frequency: "154.28", type: "conventional", canTransmit: true }],
  volume: 1, toneVolume: 1, volume3d: 1, volumeStep: 0.05, battery: 80, signal: 100, connected: true, transmitting: "idle", unitId: "1A12", callsign: "1-ADAM-12",
};

export class Game {
  /** NUI callbacks in their order: [name, data]. */
  calls = [];
  view = picture;
  #asked = 0;

  static async start(t, kind, { service, wav, player }) {
    const g = new Game();
    Object.assign(g, { service, player });
    Object.assign(g, await open(t, kind, wav, (name, data) => g.#called(name, data)));
    await g.call("ready");
    return g;
  }

  /** As the game server makes a player known. */
  register(name) {
    return this.service.player("connect", { serverId: this.player, name });
  }

  async #called(name, data) {
    this.calls.push([name, data]);
    if (name !== "offer") return { ok: true };
    // Page → Lua → net event → game server → service, and back.
    const { sdp, error } = await this.service.api("/api/game/webrtc", { serverId: this.player, sdp: data.sdp });
    void this.post({ type: "answer", id: data.id, ...(sdp ? { sdp } : { error }) });
    return { ok: true };
  }

  /** As SendNUIMessage. */
  post(message) {
    return this.tab.evaluate((m) => window.postMessage(m, "*"), message);
  }

  show(change = {}) {
    this.view = { ...this.view, ...change };
    return this.post({ type: "view", ...this.view });
  }

  /** The last data of a callback that fits, from the call with that number on. */
  last(name, fits = () => true, from = 0) {
    return this.calls.slice(from).findLast(([n, d]) => n === name && fits(d))?.[1];
  }

  call(name, fits, from) {
    return until(() => `callback ${name}, of ${JSON.stringify(this.calls.slice(from).slice(-8)).slice(0, 1500)}`, () => this.last(name, fits, from));
  }

  /** Resolves when everything that the page has said so far has arrived. */
  answered() {
    return until("every callback is answered", () => this.tab.evaluate(() => window.unanswered === 0));
  }

  /** Sends an event of Socket.IO and returns the service's answer. */
  async emit(name, payload) {
    const id = ++this.#asked;
    await this.post({ type: "emit", name, payload, id });
    return (await this.call("ack", (a) => a.id === id)).reply;
  }

  async link(message = {}) {
    await this.post({ type: "link", serverId: this.player, path: "webrtc", ...message });
  }

  /** Presses the key of the game's key binding. */
  async press(frequency = "154.755") {
    const from = this.calls.length;
    await this.post({ type: "ptt", down: true, source: "key", frequency });
    await this.call("ptt", (p) => p.state === "talking", from);
  }
  release(source = "key") {
    return this.post({ type: "ptt", down: false, source });
  }

  record(epoch) {
    return this.tab.evaluate((e) => window.record(e), epoch);
  }
  stop() {
    return this.tab.evaluate(() => window.stop());
  }
  recorded() {
    return this.tab.evaluate(() => window.recorded());
  }
}
