// A console of the voice tests, in Chromium.
import { passes, until } from "../wait.mjs";
import { login } from "./service.mjs";

/** Console is one page with the panel's voice modules. */
export class Console {
  static async open(context, { url, site, callsign, id, deaf, ...options }) {
    const c = new Console();
    c.errors = [];
    c.tab = await context.newPage();
    c.tab.on("pageerror", (e) => c.errors.push(String(e)));
    c.tab.on("console", (m) => m.type() === "error" && c.errors.push(m.text()));
    if (deaf) await c.tab.addInitScript(() => (navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"))));
    await c.tab.goto(site);
    await c.tab.waitForFunction(() => window.open_ !== undefined);
    await c.tab.evaluate((o) => window.open_(o), { url, auth: await login(url, callsign, id), ...options });
    c.id = await c.tab.evaluate(() => window.station.id);
    const micReady = !deaf;
    await until(`${callsign}'s microphone`, async () => (await c.get("link.state.micReady")) === micReady);
    return c;
  }

  plane() {
    return this.tab.evaluate(() => window.station.link.state.plane);
  }
  async on(plane) {
    await until(`voice by ${plane}`, async () => (await this.plane()) === plane);
  }
  emit(event, value) {
    return this.tab.evaluate(([e, v]) => window.station.socket.emitWithAck(e, v), [event, value]);
  }
  press(frequency) {
    return this.tab.evaluate((f) => window.station.press(f), frequency);
  }
  release() {
    return this.tab.evaluate(() => window.station.release());
  }
  state() {
    return this.tab.evaluate(() => window.station.ptt.ptt);
  }
  async reaches(state) {
    return until(`push-to-talk ${state}`, async () => (await this.state()).state === state);
  }
  /** Waits until the floor is free for others: after the key, the last frame has to leave, and the service has to be told. */
  async givesBack() {
    await this.reaches("IDLE");
    await until("the floor is given back", async () => !(await this.get("talking")));
    await this.emit("loopback", { enabled: false }); // answered behind the release
  }
  /** Records what it says and hears; recordings count from the epoch, in ms. */
  record(epoch) {
    return this.tab.evaluate((e) => window.station.record(e), epoch);
  }
  stop() {
    return this.tab.evaluate(() => window.station.stop());
  }
  /** Waits until it has heard what was said since record, to the last syllable. */
  async hearsOut() {
    await until("what was said is heard out", () => this.tab.evaluate(() => window.station.over()));
  }
  /** Waits until its recording is that long, in ms. */
  async records(name, ms) {
    await until(`a recording of ${ms} ms`, () => this.tab.evaluate(([n, m]) => window.station.recorded(n) >= m, [name, ms]));
  }
  get(path) {
    return this.tab.evaluate((p) => p.split(".").reduce((o, k) => o[k], window.station), path);
  }
  /** slotOf finds the slot that carried a talker, as a recording's name. */
  async slotOf(talker) {
    const said = (await this.get("slots")).flatMap((s) => s.slots).find((s) => s.serverId === talker);
    return said === undefined ? undefined : String(said.slot);
  }
  /** talk keys for a time, in ms, without waiting for anything. */
  async talk(frequency, ms) {
    await this.press(frequency);
    await this.reaches("TX");
    await passes(ms, "how long the key is held");
    await this.release();
    await this.givesBack();
  }
}
