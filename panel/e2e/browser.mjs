// Panels in a real browser. Everything that a page complains about fails the test.
import { existsSync } from "node:fs";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { frequencyOf } from "./county.mjs";
import { nacId } from "./service.mjs";
import { patience } from "./wait.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) throw new Error(`there is no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM`);

export async function startBrowser(extra = []) {
  return chromium.launch({
    executablePath,
    headless: false, // with the flag below: the new headless mode
    args: [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
      "--autoplay-policy=no-user-gesture-required", "--mute-audio", ...extra,
    ],
  });
}

/** Leaves a browser as after a first run, so that a console opens with its channels, and all of them are on the screen. */
export function used() {
  if (origin === "null") return; // Firefox keeps nothing for a page that is none yet
  for (const key of ["squelch.desk", "simulation.squelch.desk"]) localStorage.getItem(key) ?? localStorage.setItem(key, '{"first":"done","zoom":1}');
}

/** One dispatcher at one panel. */
export class Desk {
  complaints = [];
  /** What the panel calls the path that voice takes. */
  plane = "Voice: direct";
  path = "/";
  /** The channel by which it is seen that channels are there. */
  first = "MAIN";

  /** fresh: a browser in which no console was opened yet. before: what to do with the page before it is opened. */
  static async open(browser, service, callsign, { fresh = false, ...context } = {}, before = () => undefined) {
    const d = new this();
    d.service = service;
    d.context = await browser.newContext({ viewport: { width: 1440, height: 900 }, permissions: ["microphone"], ...context });
    if (!fresh) await d.context.addInitScript(used);
    d.page = await d.context.newPage();
    d.page.setDefaultTimeout(patience);
    d.watch();
    await before(d.page);
    await d.page.goto(service.url + d.path);
    if (callsign) await d.login(callsign);
    return d;
  }

  watch() {
    this.page.on("console", (m) => {
      if (m.type() === "error" || m.type() === "warning") this.complaints.push(`console ${m.type()}: ${m.text()}`);
    });
    this.page.on("pageerror", (e) => this.complaints.push(`page error: ${e.stack ?? e}`));
    this.page.on("requestfailed", (r) => {
      const why = r.failure()?.errorText;
      // Dropped when the page is left: the icon, the health request, the console that is
      // fetched after the login page, and the log's past, which nobody waits for.
      if (why === "net::ERR_ABORTED" && /\/(icon\.svg|api\/health|api\/timeline\?.*|assets\/[^/]+)$/.test(r.url())) return;
      this.complaints.push(`request failed: ${r.method()} ${r.url()} ${why}`);
    });
    this.page.on("response", (r) => {
      if (r.status() >= 400) this.complaints.push(`${r.status()} for ${r.request().method()} ${r.url()}`);
    });
  }

  async login(callsign) {
    await this.signIn(callsign);
    await this.ready();
  }

  async signIn(callsign) {
    await this.page.getByLabel("Access code (NAC ID)").fill(nacId);
    await this.page.getByLabel("Callsign").fill(callsign);
    await this.page.getByRole("button", { name: "Sign in" }).click();
  }

  /** Waits until the console is on the air: channels are there, one of them by name, and voice is connected. */
  async ready(channel = this.first) {
    await this.card(channel).waitFor();
    await this.page.locator("[data-part=voice]", { hasText: this.plane }).waitFor({ state: "attached" }); // a phone has no room for it
    await this.page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor({ state: "attached" });
  }

  card(name) {
    return this.page.getByRole("group", { name: new RegExp(`^${name} `) });
  }

  button(name, within = this.page) {
    return within.getByRole("button", { name, exact: true });
  }

  /** Waits until a card is in that state: rx, tx, busy, em, idle and the like. */
  async state(name, state) {
    await this.card(name).and(this.page.locator(`[data-part=channel-card][data-state=${state}]`)).waitFor();
  }

  /** Waits until the card's meter is lit by decoded samples. */
  async lit(name, frequency = frequencyOf(name)) {
    await this.page.waitForFunction((frequency) => {
      const bar = document.querySelector(`[data-frequency='${frequency}'] .bar`);
      return bar instanceof HTMLElement && Number.parseFloat(bar.style.transform.slice(7)) > 0.02;
    }, frequency);
  }

  async speakOn(name) {
    const button = this.page.getByRole("button", { name: `Talk here: ${name},` });
    await button.click();
    await this.page.locator("[data-part=channel-card][data-target=true]", { hasText: name }).first().waitFor();
    await button.blur();
  }

  /** Opens a tab of the rail: log or recall; units, patches, groups or tones, in place of a drawer. */
  async tab(name) {
    const id = name.toLowerCase();
    const close = this.page.locator("[data-part=drawer-close]");
    if (await close.count()) await close.click();
    await this.page.locator(`#tab-${id}`).click();
    await this.page.locator(`#pane-${id}`).waitFor();
  }

  /** Opens the controls of a channel in the rail, and returns them. */
  async controls(channel) {
    const more = this.button(`${channel}: more controls`);
    if ((await more.getAttribute("aria-expanded")) !== "true") await more.click();
    const drawer = this.page.locator("[data-part=drawer][data-state=channel]").filter({ has: this.page.getByRole("heading", { name: new RegExp(`^${channel} · `) }) });
    await drawer.waitFor();
    return drawer;
  }

  /** A unit in the list of units, on that channel. */
  unit(name, channel) {
    return this.page.locator("[data-part=units]").getByRole("button", { name: new RegExp(`^${name}, .*\\b${channel}\\b.*: open$`) });
  }

  /** The slot of somebody's emergency in the lane; it is unacknowledged, acknowledged or ended. */
  emergency(name, state) {
    return this.page.locator(`[data-part=emergency-slot]${state ? `[data-state=${state}]` : ""}`, { hasText: name });
  }

  /** Closes somebody's emergency, which is acknowledged, with a reason. */
  async closeEmergency(name, reason) {
    await this.button(`Close… emergency from ${name}`, this.emergency(name)).click();
    const form = this.page.locator("[data-part=drawer][data-state=close]");
    await form.getByRole("radio", { name: reason }).check();
    await this.button("Close emergency", form).click();
    await this.emergency(name).waitFor({ state: "detached" });
  }

  /** Chooses what is in the menu of the signed-in dispatcher. */
  async account(item) {
    await this.page.locator("[data-part=status-bar]").getByRole("button", { name: /: account$/ }).click();
    await this.page.getByRole("menuitem", { name: item, exact: true }).click();
  }

  /** Waits until the push-to-talk is in that state, as themes are told it, too. */
  async ptt(state) {
    await this.page.locator(`:root[data-ptt=${state}] [data-part=ptt][data-state=${state}]`).waitFor();
  }

  /** No console error, no failed request; what a test itself provokes is listed. */
  silent(...expected) {
    assert.deepEqual(this.complaints.filter((c) => !expected.some((e) => e.test(c))), []);
  }

  close() {
    return this.context.close();
  }
}
