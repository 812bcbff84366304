// The simulated world of the stories: the panel's files from a web server that
// knows nothing of radios. Radios are virtual units, and another dispatcher is a
// virtual one: they are steered, and what they hear is read, where a user of the
// simulation does it, in the section "Units" of the bar.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Desk, startBrowser } from "./browser.mjs";
import { frequencyOf } from "./county.mjs";
import { StaticServer } from "./static.mjs";
import { until } from "./wait.mjs";

const built = fileURLToPath(new URL("../dist", import.meta.url));
const config = fileURLToPath(new URL("config.lua", import.meta.url));

/** The radio of config.lua in the form that the simulation takes, so that both worlds have the same radio. */
export function radioOfCounty() {
  return JSON.parse(execFileSync(process.env.SQUELCH_BIN, ["check", "--config", config, "--json"], { encoding: "utf8" }));
}

/** The county with everybody switched off: a story switches on whom it needs. */
export function county(more = {}) {
  return {
    name: "County",
    about: "The radio of the browser tests.",
    radio: radioOfCounty(),
    units: [
      { id: 7, name: "Ana Ruiz", nacId: "LSPD", unitId: "4A-12", off: true },
      { id: 8, name: "Ben Okoye", nacId: "LSFD", unitId: "E-3", off: true },
      { id: 9, name: "Cy", off: true },
      { id: -2, name: "SOUTH", off: true },
    ],
    steps: [],
    ends: 86_400, // a day; nothing in it ends it
    ...more,
  };
}

/** Where the simulated worlds run: the panel's files, and a browser. It sees what the pages request from where. */
export class Stage {
  /** WebSockets that a page has opened, and requests to anything but the web server. */
  #elsewhere = [];
  #pages = 0;

  /** A stage that ends with the test. */
  static async build(t) {
    assert.ok(existsSync(built), "the panel is not built: run 'just panel'");
    const s = new Stage();
    s.server = await StaticServer.start(built);
    t.after(() => s.server.close());
    s.browser = await startBrowser();
    t.after(() => s.browser.close());
    return s;
  }

  /** A page with a simulation of its own, as it opens by default. */
  open(context) {
    this.#pages++;
    return SimulatedDesk.open(this.browser, { url: this.server.url }, null, context, (page) => {
      page.on("websocket", (s) => this.#elsewhere.push(s.url()));
      page.on("request", (r) => {
        if (new URL(r.url()).origin !== this.server.url && !/^(data|blob):/.test(r.url())) this.#elsewhere.push(r.url());
      });
    });
  }

  /** Only the web server was asked, and it had everything. */
  alone() {
    assert.deepEqual(this.#elsewhere, []);
    assert.deepEqual(this.server.requests.filter((r) => r.method !== "GET" || r.status !== 200), []);
    const wasm = this.server.requests.filter((r) => r.path.endsWith(".wasm")).length;
    assert.ok(wasm >= this.#pages, `core.wasm was fetched ${wasm} times for ${this.#pages} pages`);
  }
}

/** The world of one story. */
export class SimulatedWorld {
  /** Prefix of the names of its pictures. */
  pictures = "simulation-";

  constructor(stage) {
    this.stage = stage;
  }

  /** A dispatcher at a panel, in the county. */
  async desk(callsign, context) {
    const desk = await this.stage.open(context);
    desk.county = county({ desk: { callsign, scans: [] } });
    await desk.enter();
    this.here = desk;
    return desk;
  }

  /** Another screen has another simulation, with units of its own. */
  async elsewhere(callsign, context) {
    const here = this.here;
    const desk = await this.desk(callsign, context);
    this.here = here;
    return {
      desk,
      radio: async (id, name, channel) => {
        const unit = await VirtualUnit.on(desk, name);
        await unit.join(channel);
        return unit;
      },
    };
  }

  /** Another dispatcher, at the desk that was opened last. */
  colleague(callsign) {
    return VirtualUnit.on(this.here, callsign);
  }

  radio(_id, name) {
    return VirtualUnit.on(this.here, name);
  }

  /** The card shows what the radio reports: nobody talks. */
  free(channel) {
    return this.here.state(channel, "idle");
  }

  async lose() {
    await this.here.bar.in(async (bar) => bar.getByRole("button", { name: /^Cut this console’s link/ }).click());
  }

  /** It comes back by itself. */
  async restore() {}

  /** A unit that the desk speaks to hears it, and the desk hears who talks where it listens. */
  async hasDesk(desk, { speaks, listens }) {
    const unit = await VirtualUnit.on(desk, "Ben Okoye");
    for (const channel of listens) {
      await unit.join(channel);
      await unit.talk(true);
      await desk.lit(channel);
      await unit.talk(false);
      await desk.state(channel, "idle");
    }
    await unit.join(speaks);
    await unit.forget();
    const key = desk.button(`TX on ${speaks}`);
    await key.hover();
    await desk.page.mouse.down();
    await unit.hears(0.1);
    await desk.page.mouse.up();
    await desk.state(speaks, "idle");
    await unit.leave();
  }

  /**
   * A page that is loaded again begins with the first scenario, and every scenario
   * sets up the desk. Settings of the desk itself (levels, keys, looks) are kept.
   */
  async reload(desk, { setUp }) {
    await desk.page.reload();
    await desk.enter();
    await setUp();
  }
}

/** A panel that runs on a simulated radio. */
export class SimulatedDesk extends Desk {
  plane = "simulated";
  path = "/?simulate";
  bar = new Bar(this);

  /** Plays its county, and waits until the console is on the air there. */
  async enter() {
    await this.bar.begin(this.county);
    await this.ready();
    const joined = this.page.locator("[data-part=select][aria-pressed=true]"); // of the scenario before, if both radios have the channel
    if (await joined.count()) await joined.click();
    await joined.waitFor({ state: "detached" });
  }
}

/** The bar of the simulation above the console. */
class Bar {
  constructor(desk) {
    this.desk = desk;
  }

  get root() {
    return this.desk.page.locator("[data-part=simulation-bar]");
  }

  button(name) {
    return this.root.getByRole("button", { name, exact: true });
  }

  /** Opens or closes a section of the bar. */
  async section(name, open) {
    const key = this.button(name);
    if ((await key.getAttribute("aria-expanded")) !== String(open)) await key.click();
    await this.root.locator(`[aria-expanded=${open}]`, { hasText: name }).waitFor();
  }

  /** On a narrow screen the bar is folded; it is unfolded for this work. */
  async unfolded(work) {
    await this.root.waitFor();
    const narrow = await this.button("More").isVisible();
    if (narrow) await this.button("More").click();
    await work();
    if (narrow) await this.button("Less").click();
  }

  /** Does something in the section of the units, which then stays open. */
  in(work) {
    return this.unfolded(async () => {
      await this.section("Units…", true);
      await work(this.root.locator("[data-part=virtual-units]"));
    });
  }

  /** Opens a scenario or a journal from a file. */
  play(name, text) {
    return this.unfolded(async () => {
      await this.section("Scenarios…", true);
      await this.root.getByLabel("Scenario file or journal").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    });
  }

  /** Opens a scenario from a file, and waits until it plays. */
  async begin(scenario) {
    await this.play("scenario.json", JSON.stringify(scenario));
    await this.root.locator("[data-part=scenario-name]", { hasText: scenario.name }).waitFor({ state: "attached" }); // hidden on a narrow screen
  }

  /** Seconds of the simulation since it began. */
  async elapsed() {
    const [, minutes, seconds] = /(\d+):(\d\d)/.exec(await this.root.locator("[data-part=simulated-elapsed]").textContent());
    return Number(minutes) * 60 + Number(seconds);
  }

  /** Waits until the clock is running, paused or over. */
  async clock(state) {
    await this.root.locator(`[data-part=simulation-clock][data-state=${state}]`).waitFor();
  }
}

/** A virtual radio or dispatcher, as the table of units shows it. */
export class VirtualUnit {
  #heardBefore = 0;

  constructor(desk, name) {
    this.desk = desk;
    this.name = name;
  }

  /** Switches it on. */
  static async on(desk, name) {
    const u = new VirtualUnit(desk, name);
    await u.press("Switch on");
    await u.reads("radio", "on");
    return u;
  }

  row() {
    return this.desk.page.locator("[data-part=virtual-unit]").filter({ has: this.desk.page.getByRole("button", { name: `Control ${this.name}`, exact: true, includeHidden: true }) });
  }

  cell(what) {
    return this.row().locator(`[data-part=unit-${what}]`);
  }

  /** Waits until its row of the table says that; on a narrow screen the row is hidden, but there. */
  async reads(what, words) {
    let found = "";
    await until(
      () => `${this.name}'s ${what} is “${words}”, and not “${found}”`,
      async () => (found = (await this.cell(what).textContent()).trim()).includes(words),
    );
  }

  /** Selects the unit, and does something with its keys. */
  async steer(work) {
    await this.desk.bar.in(async (units) => {
      await units.getByRole("button", { name: `Control ${this.name}`, exact: true }).click();
      const keys = units.getByRole("group", { name: this.name, exact: true });
      await work(keys);
      assert.equal(await keys.locator("[data-part=steering-refused]").innerText(), "");
    });
  }

  press(name) {
    return this.steer((keys) => keys.getByRole("button", { name, exact: true }).click());
  }

  at(channel, name) {
    return this.steer(async (keys) => {
      await keys.getByLabel("Unit’s channel").selectOption(frequencyOf(channel));
      await keys.getByRole("button", { name, exact: true }).click();
    });
  }

  async join(channel) {
    await this.at(channel, "Join channel");
    await this.reads("channel", channel);
  }

  async scan(channel) {
    await this.at(channel, "Scan");
    await this.reads("channel", `scans ${channel}`);
  }

  /** Presses until it is on the air, or releases, unless it has already been made to. */
  async talk(state) {
    await this.steer(async (keys) => {
      if (state) {
        await keys.getByRole("button", { name: "Talk", exact: true }).click();
        await keys.getByRole("button", { name: "Stop", exact: true }).waitFor();
      } else {
        // One key says Talk or Stop. The radio may end the talk first, so the key is
        // read and pressed in one step: a mouse click could come too late and begin
        // the next talk.
        await keys.locator(".sim-talk").evaluate((key) => key.dataset.state === "talking" && key.click());
        await keys.getByRole("button", { name: "Talk", exact: true }).waitFor();
      }
    });
  }

  async panic(raised) {
    await this.press(raised ? "Raise emergency" : "End emergency");
  }

  async heardFor() {
    return Number.parseFloat(await this.cell("heard").textContent());
  }

  async forget() {
    this.#heardBefore = await this.heardFor();
  }

  /** One name for two things: a radio hears some seconds of voice since forget; a dispatcher hears somebody. */
  hears(what, ms) {
    if (typeof what === "string") return this.reads("hears", what);
    return until(`${what} s of voice at ${this.name}'s radio`, async () => (await this.heardFor()) - this.#heardBefore >= what, ms);
  }

  hearsNobody() {
    return this.reads("hears", "no one");
  }

  seesPatch(_channel, label) {
    return this.reads("told", `patched: ${label}`);
  }

  async unpatch(label) {
    await this.press(`End patch ${label}`);
  }

  seesAlert(alert) {
    return this.reads("told", `alert ${alert}`);
  }

  seesOneShot(alert) {
    return this.seesAlert(alert);
  }

  /** It clears an alert of its own, or one at its desk. */
  clear(_alert, channel) {
    return this.at(channel, "Clear alert");
  }

  seesEmergency(name) {
    return this.reads("told", `emergency from ${name}`);
  }

  seesAcknowledged(by) {
    return this.reads("told", `emergency ended by ${by}`);
  }

  seesBroadcast(message) {
    return this.reads("told", `broadcast: ${message}`);
  }

  toldBroadcast(message) {
    return this.seesBroadcast(message);
  }

  toldTone(tone) {
    return this.reads("told", `tone ${tone}`);
  }

  /** An alert and its tone come together; the table names the alert. */
  toldToneOf(alert) {
    return this.reads("told", `alert ${alert}`);
  }

  toldMove(channel) {
    return this.reads("told", `moved to ${channel}`);
  }

  toldMessage(message) {
    return this.reads("told", `message: ${message}`);
  }

  /** A user who is followed is heard at the desk wherever they talk, although nobody listens there. */
  async followedBy(desk, channel) {
    await this.talk(true);
    await desk.lit(channel);
    await this.talk(false);
  }

  async seesUnit() {} // the table has no unit's callsign; the desk's own card shows it

  gone() {
    return this.reads("radio", "off");
  }

  async leave() {
    await this.press("Switch off");
    await this.reads("radio", "off");
  }
}
