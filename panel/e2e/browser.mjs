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

/** One dispatcher at one panel. */
export class Desk {
  complaints = [];
  /** What the panel calls the path that voice takes. */
  plane = "WebRTC";
  path = "/";
  /** The channel by which it is seen that channels are there. */
  first = "MAIN";

  /** before: what to do with the page before it is opened. */
  static async open(browser, service, callsign, context = {}, before = () => undefined) {
    const d = new this();
    d.service = service;
    d.context = await browser.newContext({ viewport: { width: 1440, height: 900 }, permissions: ["microphone"], ...context });
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
      // Dropped when the page is left: the icon, the health request, and the console
      // that is fetched after the login page.
      if (why === "net::ERR_ABORTED" && /\/(icon\.svg|api\/health|assets\/[^/]+)$/.test(r.url())) return;
      this.complaints.push(`request failed: ${r.method()} ${r.url()} ${why}`);
    });
    this.page.on("response", (r) => {
      if (r.status() >= 400) this.complaints.push(`${r.status()} for ${r.request().method()} ${r.url()}`);
    });
  }

  async login(callsign) {
    await this.page.getByLabel("NAC id").fill(nacId);
    await this.page.getByLabel("Callsign").fill(callsign);
    await this.page.getByRole("button", { name: "Log in" }).click();
    await this.ready();
  }

  /** Waits until the console is on the air: channels are there, one of them by name, and voice is connected. */
  async ready(channel = this.first) {
    await this.card(channel).waitFor();
    await this.page.locator("[data-part=voice]", { hasText: this.plane }).waitFor();
    await this.page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
  }

  card(name) {
    return this.page.getByRole("group", { name: new RegExp(`^${name} `) });
  }

  button(name, within = this.page) {
    return within.getByRole("button", { name, exact: true });
  }

  /** Waits until a card is in that state: rx, tx, busy, emergency, idle. */
  async state(name, state) {
    await this.page.locator(`[data-part=channel-card][data-state=${state}]`, { hasText: name }).waitFor();
  }

  /** Waits until the card's meter is lit by decoded samples. */
  async lit(name, frequency = frequencyOf(name)) {
    await this.page.waitForFunction((frequency) => {
      const bar = document.querySelector(`[data-frequency='${frequency}'] .bar`);
      return bar instanceof HTMLElement && Number.parseFloat(bar.style.transform.slice(7)) > 0.02;
    }, frequency);
  }

  async speakOn(name) {
    const button = this.page.getByRole("button", { name: `Speak on ${name} ` });
    await button.click();
    await this.page.locator("[aria-pressed=true]", { hasText: name }).first().waitFor();
    await button.blur();
  }

  /** Waits until the push-to-talk is in that state. */
  async ptt(state) {
    await this.page.locator(`[data-part=ptt][data-state=${state}]`).waitFor();
  }

  /** No console error, no failed request; what a test itself provokes is listed. */
  silent(...expected) {
    assert.deepEqual(this.complaints.filter((c) => !expected.some((e) => e.test(c))), []);
  }

  close() {
    return this.context.close();
  }
}
