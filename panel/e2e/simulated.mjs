// The simulated world of the stories: the panel's files from a web server that
// knows nothing of radios. Radios are virtual units, and another dispatcher is a
// virtual one: they are steered, and what they hear is read, through what the bar asks
// for and shows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Desk, startBrowser } from "./browser.mjs";
import { channelAt } from "./county.mjs";
import { Service } from "./service.mjs";
import { prepare } from "./stage.mjs";
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
  #played = [];

  /** A stage that ends with the test. under: the path of the panel's files on the web server. */
  static async build(t, under = "/") {
    assert.ok(existsSync(built), "the panel is not built: run 'just panel'");
    const s = new Stage();
    s.t = t;
    s.server = await StaticServer.start(built, under);
    s.under = under;
    t.after(() => s.server.close());
    s.browser = await startBrowser();
    t.after(() => s.browser.close());
    return s;
  }

  /** A page with a simulation of its own, as it opens by default. */
  open(context, before) {
    return this.#page(SimulatedDesk, context, before && ((page) => prepare(page, null, { bar: true, ...before })));
  }

  /** A page that plays a scenario and stands still, once the console is on the air. See stage.mjs. It closes the one before, unless they play beside each other. */
  async play(scenario, { context, address = "/?simulate=scene.json&hold", open = true, beside = false, ...before } = {}) {
    // A page that is left open is drawn on, and takes the machine's time from the next.
    if (!beside) for (const d of this.#played.splice(0)) await d.close().catch(() => undefined);
    const Kind = class extends StageDesk {
      path = address;
    };
    const desk = await this.#page(Kind, context, (page) => prepare(page, scenario, before));
    this.#played.push(desk);
    if (open) await desk.opened(scenario.name);
    return desk;
  }

  /** A console at the service, for what a simulation never lacks. The service is started for the first. */
  async live({ kept, microphone, context }) {
    for (const d of this.#played.splice(0)) await d.close().catch(() => undefined);
    if (!this.service) {
      this.service = await Service.start();
      this.t.after(() => this.service.end());
    }
    const desk = await Desk.open(this.browser, this.service, null, context, async (page) => {
      await prepare(page, null, { microphone, bar: true });
      await page.addInitScript((desk) => localStorage.setItem("squelch.desk", desk), JSON.stringify({ first: "done", ...kept }));
    });
    await desk.signIn("D-1");
    await desk.card(desk.first).waitFor();
    this.#played.push(desk);
    return desk;
  }

  /** The login page: there is no radio behind it, only what the page asks before anybody signs in. */
  async signedOut({ kept, context }) {
    for (const d of this.#played.splice(0)) await d.close().catch(() => undefined);
    const Kind = class extends SimulatedDesk {
      path = "/";
    };
    const desk = await this.#page(Kind, context, async (page) => {
      await page.route("**/api/health", (route) => route.fulfill({ json: { authMethod: "nac", serviceName: "Los Santos Metro", version: "" } }));
      await page.addInitScript((desk) => localStorage.setItem("squelch.desk", desk), JSON.stringify(kept));
    });
    this.#played.push(desk);
    return desk;
  }

  #page(Kind, context, before = async () => undefined) {
    this.#pages++;
    return Kind.open(this.browser, { url: this.server.url + this.under.slice(0, -1) }, null, context, async (page) => {
      page.on("websocket", (s) => this.#elsewhere.push(s.url()));
      page.on("request", (r) => {
        if (new URL(r.url()).origin !== this.server.url && !/^(data|blob):/.test(r.url())) this.#elsewhere.push(r.url());
      });
      await before(page);
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
    await this.here.page.evaluate(() => globalThis.simulation.deed({ do: "link", down: 5 }));
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
    const key = desk.button(`Talk on ${speaks}`);
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
  plane = "Voice: simulated";
  path = "/?simulate";
  bar = new Bar(this);

  /** Plays its county, and waits until the console is on the air there. */
  async enter() {
    await this.bar.begin(this.county);
    await this.ready();
    const targets = this.page.locator("[data-part=channel-card] [data-part=target][aria-pressed=true]"); // of the scenario before, if both radios have the channels
    await targets.evaluateAll((all) => all.forEach((b) => b.click()));
    await targets.first().waitFor({ state: "detached" });
  }
}

/** A console whose scenario stands still until the test goes on. Seconds count from the scenario's beginning. */
class StageDesk extends SimulatedDesk {
  async opened(scenario) {
    await this.page.waitForFunction((name) => globalThis.simulation?.view.scenario === name && globalThis.simulation.view.rate === 0, scenario);
    await this.page.locator("[data-part=channel-card], [data-part=onboarding], .empty").first().waitFor({ state: "attached" }); // a theme may hide it
  }

  /** The keys of the console are fetched apart from it: they are there when F6 moves the focus. */
  async keysThere() {
    await this.page.locator("[data-part=log] [role=tab]").first().waitFor();
    await until("the keys are there", async () => {
      await this.page.keyboard.press("F6");
      return this.page.evaluate(() => document.activeElement !== document.body);
    });
  }

  /** Goes to a second at once; everything until then has happened, and time stands still there. */
  to(second) {
    return this.page.evaluate((second) => globalThis.simulation.to(second), second);
  }

  /** A deed by hand, now, as in a scenario's step: deed({ do: "panic" }, 7). Rejects if the radio refuses. */
  deed(deed, unit) {
    return this.page.evaluate(([deed, unit]) => globalThis.simulation.deed(deed, unit ?? undefined), [deed, unit ?? null]);
  }

  /** Time passes, so many times as fast. */
  run(rate = 1) {
    return this.page.evaluate((rate) => globalThis.simulation.setRate(rate), rate);
  }

  hold() {
    return this.run(0);
  }

  /** What the page asks of the radio from now on is kept back, until answered. */
  unanswered() {
    return this.page.evaluate(() => {
      const post = Worker.prototype.postMessage;
      const back = [];
      Worker.prototype.postMessage = function (...message) {
        back.push(() => post.apply(this, message));
      };
      globalThis.letGo = () => {
        Worker.prototype.postMessage = post;
        for (const send of back.splice(0)) send();
      };
    });
  }

  answered() {
    return this.page.evaluate(() => globalThis.letGo());
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

  get sheet() {
    return this.desk.page.locator("[data-part=simulation-sheet]");
  }

  /** Opens what the bar has below it at one of its tabs. */
  async section(name) {
    const more = this.button("More");
    if ((await more.getAttribute("aria-expanded")) !== "true") await more.click();
    const tab = this.sheet.getByRole("tab", { name, exact: true });
    if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
    await this.sheet.locator(`[role=tab][aria-selected=true]`, { hasText: name }).waitFor();
  }

  /** Chooses how fast time passes. */
  async speed(times) {
    await this.root.getByLabel("Speed").selectOption(times);
  }

  async closed() {
    if (await this.sheet.count()) await this.sheet.getByRole("button", { name: "Close", exact: true }).click();
    await this.sheet.waitFor({ state: "detached" });
  }

  /** Opens a scenario or a journal from a file. */
  async play(name, text) {
    await this.section("Scenarios");
    await this.sheet.getByLabel("Scenario file or journal").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  }

  /** Opens a scenario from a file, and waits until it plays. */
  async begin(scenario) {
    await this.play("scenario.json", JSON.stringify(scenario));
    await this.root.locator("[data-part=scenario-name]", { hasText: scenario.name }).waitFor({ state: "attached" });
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

/** What a unit was told last, in words. */
const told = {
  "": () => "",
  message: (what) => `message: ${what}`,
  broadcast: (what) => `broadcast: ${what}`,
  tone: (what) => `tone ${what}`,
  alert: (what) => `alert ${what}`,
  cleared: (what) => `${what} cleared`,
  panic: (what) => `emergency from ${what}`,
  acknowledged: (what) => `emergency acknowledged by ${what}`,
  calmed: (what) => `emergency ended by ${what}`,
  patched: (what) => `patched: ${what}`,
  unpatched: (what) => `patch ended: ${what}`,
  moved: (what) => `moved to ${channelAt(what)}`,
  kicked: (what) => `disconnected by ${what}`,
  named: (what) => `renamed ${what}`,
};

/** What is known of a unit, in words. */
const cells = {
  radio: (u) => (u.on ? "On" : "Off"),
  channel: (u) => `${u.channel ? channelAt(u.channel) : "None"} monitors ${u.scans.map(channelAt).join(", ")}`,
  voice: (u) => `${u.panic ? "EMERGENCY " : ""}${u.talking ? "Talking" : "Idle"}`,
  hears: (u) => u.hearsNames.join(", ") || "No one",
  told: (u) => told[u.toldAs](u.told),
};

/** A virtual radio or dispatcher: it is steered, and what it hears is read, as in the bar's table of units. */
export class VirtualUnit {
  #heardBefore = 0;

  constructor(desk, name) {
    this.desk = desk;
    this.name = name;
  }

  /** Switches it on. */
  static async on(desk, name) {
    const u = new VirtualUnit(desk, name);
    await u.deed({ do: "on" });
    await u.reads("radio", "On");
    return u;
  }

  /** The unit as the simulation shows it; null: the scenario has none of that name. */
  state() {
    return this.desk.page.evaluate(([name, callsign]) => {
      const { view, me } = globalThis.simulation;
      const u = view.units.find((x) => x.name === name);
      const nameOf = (id) => (id === me ? callsign : view.units.find((x) => x.id === id)?.name);
      return u ? { ...u, hearsNames: u.hears.map(nameOf) } : null;
    }, [this.name, this.desk.county?.desk.callsign]);
  }

  async deed(deed) {
    await until(`${this.name} is there`, () => this.state());
    const { id } = await this.state();
    await this.desk.page.evaluate(([deed, id]) => globalThis.simulation.deed(deed, id), [deed, id]);
  }

  /** Waits until that is known of it. */
  async reads(what, words) {
    let found = "";
    await until(
      () => `${this.name}'s ${what} is “${words}”, and not “${found}”`,
      async () => {
        const u = await this.state();
        found = u ? cells[what](u) : "";
        return found.includes(words);
      },
    );
  }

  async join(channel) {
    await this.deed({ do: "join", channel });
    await this.reads("channel", channel);
  }

  async scan(channel) {
    await this.deed({ do: "scan", channel });
    await this.reads("channel", channel);
  }

  /** Presses until it is on the air, or releases, unless it has already been made to. */
  async talk(state) {
    await this.deed(state ? { do: "talk", for: 3600 } : { do: "release" });
    await this.reads("voice", state ? "Talking" : "Idle");
  }

  async panic(raised) {
    await this.deed({ do: raised ? "panic" : "calm" });
  }

  async heardFor() {
    return (await this.state()).heardFor;
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
    return this.reads("hears", "No one");
  }

  seesPatch(_channel, label) {
    return this.reads("told", `patched: ${label}`);
  }

  async unpatch(label) {
    await this.deed({ do: "unpatch", label });
  }

  seesAlert(alert) {
    return this.reads("told", `alert ${alert}`);
  }

  seesOneShot(alert) {
    return this.seesAlert(alert);
  }

  /** It clears an alert of its own, or one at its desk. */
  clear(_alert, channel) {
    return this.deed({ do: "clear", channel });
  }

  seesEmergency(name) {
    return this.reads("told", `emergency from ${name}`);
  }

  seesAcknowledged(by) {
    return this.reads("told", `emergency acknowledged by ${by}`);
  }

  seesClosed(by) {
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
    return this.reads("radio", "Off");
  }

  async leave() {
    await this.deed({ do: "off" });
    await this.reads("radio", "Off");
  }
}
