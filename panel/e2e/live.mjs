// The live world of the stories: the real service, panels in a real browser, and
// players' radios that are Socket.IO clients.
import { Desk, startBrowser } from "./browser.mjs";
import { frequencyOf } from "./county.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";
import { until } from "./wait.mjs";

export class LiveWorld {
  /** Prefix of the names of its pictures. */
  pictures = "";
  #radios = [];

  /** A world that ends with the test. */
  static async start(t) {
    const w = new LiveWorld();
    w.service = await Service.start();
    t.after(() => w.service.end());
    w.browser = await startBrowser();
    t.after(() => w.browser.close());
    t.after(() => w.#radios.forEach((r) => r.close()));
    return w;
  }

  /** A dispatcher at a panel, on the air; without a callsign, one who has yet to log in. */
  desk(callsign, context) {
    return Desk.open(this.browser, this.service, callsign, context);
  }

  /** A dispatcher at another panel on another screen, with the same radios around: in this world all are on one radio. */
  async elsewhere(callsign, context) {
    return { desk: await this.desk(callsign, context), radio: async (id) => this.#radios.find((r) => r.id === id && r.socket.connected) };
  }

  /** Another dispatcher. */
  async colleague(callsign) {
    return new Colleague(await this.desk(callsign));
  }

  /** A player's radio, switched on. */
  async radio(id, name, more) {
    const r = await Radio.connect(this.service, id, name, more);
    this.#radios.push(r);
    return r;
  }

  /** Waits until nobody holds the channel. */
  free(channel) {
    return until(`${channel} is free`, async () => (await this.service.status()).channels[frequencyOf(channel)].activeTalkers.length === 0);
  }

  /** The link of every desk is lost, until restore. */
  lose(signal) {
    return this.service.stop(signal);
  }

  restore() {
    return this.service.start();
  }

  /** Waits until the radio, not only the page, has the desk as speaker and listener of these channels. */
  hasDesk(desk, { speaks, listens }) {
    return until(
      "the service has the desk where it was",
      async () => {
        const { channels } = await this.service.status();
        return channels[frequencyOf(speaks)].speakers.length === 1 && listens.every((c) => channels[frequencyOf(c)].listeners.length === 1);
      },
      30_000,
    );
  }

  /** Opens the page again. */
  async reload(desk) {
    await desk.page.reload();
    await desk.ready();
  }
}

/** Another dispatcher, at a panel of its own. */
class Colleague {
  constructor(desk) {
    this.desk = desk;
    this.page = desk.page;
  }

  async scan(channel) {
    await this.desk.button(`Monitor ${channel}`).click();
    await this.desk.button(`Monitor ${channel}`).and(this.page.locator("[aria-pressed=true]")).waitFor();
  }

  /** The card shows the talker, and its meter is lit by decoded samples. */
  async hears(callsign, channel) {
    await this.desk.state(channel, "rx");
    await this.desk.card(channel).locator("[data-part=talker]", { hasText: callsign }).waitFor();
    await this.desk.lit(channel);
  }

  hearsNobody(channel) {
    return this.desk.state(channel, "idle");
  }

  async seesPatch(channel, label) {
    await this.desk.card(channel).locator("[data-part=patch-tag]").waitFor();
    await this.desk.tab("patches");
    await this.page.locator("[data-part=patch]", { hasText: label }).waitFor();
  }

  async unpatch(label) {
    await this.desk.tab("patches");
    await this.desk.button(`End patch ${label}`).click();
  }

  /** It is in the lane and on the card, and nobody at this desk has acknowledged it. */
  async seesAlert(alert, channel) {
    await this.page.locator("[data-part=emergency-lane]").getByText(`1 alert · ${alert} on ${channel}`).waitFor();
    await this.page.locator("[data-part=acknowledge-alerts]").waitFor();
    await this.desk.card(channel).locator("[data-part=alert]", { hasText: alert }).waitFor();
  }

  async clear(alert, channel) {
    await this.desk.button(`CLEAR 100: ${alert} on ${channel}`).click();
    await this.page.locator("[data-part=emergency-lane]").getByText(alert).waitFor({ state: "detached" });
    await this.desk.card(channel).locator("[data-part=alert]").waitFor({ state: "detached" });
  }

  seesOneShot(alert) {
    return this.page.locator("[data-part=notice][data-state=oneshot]", { hasText: alert }).waitFor();
  }

  async seesEmergency(name, channel) {
    await this.desk.emergency(name, "unacknowledged").waitFor();
    await this.desk.state(channel, "em");
  }

  /** Somebody takes care of the emergency, and it says who. */
  async seesAcknowledged(by, name, channel) {
    await this.desk.emergency(name, "acknowledged").getByText(`ack ${by} `).waitFor();
    await this.desk.state(channel, "ack");
    await this.page.locator("[data-part=transmissions] li", { hasText: name }).getByText(`Acknowledged by ${by}`).waitFor();
  }

  /** The emergency is over here too, and it says who closed it. */
  async seesClosed(by, name, channel) {
    await this.desk.emergency(name).waitFor({ state: "detached" });
    await this.desk.state(channel, "idle");
    await this.page.locator("[data-part=transmissions] li", { hasText: name }).getByText(`Closed by ${by} · resolved`).waitFor();
  }

  async seesBroadcast(message, type) {
    await this.page.locator("[data-part=notice]", { hasText: message }).waitFor();
    await this.desk.button(`Dismiss ${type}`).click();
  }

  async seesUnit(name, channel) {
    await this.desk.tab("units");
    await this.desk.unit(name, channel).waitFor();
  }
}
