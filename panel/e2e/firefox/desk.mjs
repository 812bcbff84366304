// The panel in Debian's Firefox, driven over WebDriver BiDi. (Playwright, which
// drives Chromium, needs a Firefox of its own.)
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import { used } from "../browser.mjs";
import { patience } from "../wait.mjs";

const executablePath = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

/** Firefox with that sound card; without one it has a simulated microphone, and no loudspeaker. It ends with the test. */
export async function startFirefox(t, card) {
  if (!existsSync(executablePath)) throw new Error(`there is no Firefox at ${executablePath}: run 'just browsers', or set FIREFOX`);
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath,
    headless: true,
    env: card?.env ?? { ...process.env, PULSE_SERVER: "unix:/nobody/listens" },
    timeout: 60_000,
    handleSIGTERM: false, // a run that takes too long ends with all that it has started, see below
    extraPrefsFirefox: {
      "media.navigator.streams.fake": card === null,
      // The permission is given beforehand: nobody can click.
      "permissions.default.microphone": 1,
      "media.navigator.permission.disabled": true,
      // The service of the tests is on loopback, where Firefox does not look for a
      // path by default.
      "media.peerconnection.ice.loopback": true,
    },
  });
  process.once("exit", () => browser.process()?.kill("SIGKILL"));
  t.after(() => browser.close());
  return browser;
}

/** A dispatcher at the panel in Firefox. */
export class FirefoxDesk {
  complaints = [];

  static async open(browser, url) {
    const d = new FirefoxDesk();
    d.page = await browser.newPage();
    d.page.setDefaultTimeout(patience);
    await d.page.setViewport({ width: 1440, height: 900 });
    d.page.on("pageerror", (e) => d.complaints.push(`page error: ${e.stack ?? e}`));
    d.page.on("console", (m) => {
      if (m.type() === "error") d.complaints.push(`console error: ${m.text()}`);
    });
    await d.page.evaluateOnNewDocument(used);
    await d.page.goto(url);
    return d;
  }

  async login(nacId, callsign) {
    await this.page.locator("input[name=nac]").fill(nacId);
    await this.page.locator("input[name=callsign]").fill(callsign);
    await this.page.locator("button[type=submit]").click();
  }

  /** Waits until that part of the console says so. */
  async reads(part, words) {
    const selector = `[data-part=${part}]`;
    await this.page
      .waitForFunction((s, w) => document.querySelector(s)?.textContent.includes(w), {}, selector, words)
      .catch(async (e) => {
        const found = await this.page.evaluate((s) => document.querySelector(s)?.textContent, selector);
        throw new Error(`${part} reads “${found}”, not “${words}” (${e.message})`);
      });
  }

  async speakOn(channel) {
    await this.page.locator(`button[aria-label^="Talk here: ${channel},"]`).click();
    await this.page.waitForSelector(`[data-part=channel-card][data-target=true]`);
    await this.page.evaluate(() => document.activeElement.blur());
  }

  /** Waits until the push-to-talk is in that state. */
  async ptt(state) {
    await this.page.waitForSelector(`[data-part=ptt][data-state=${state}]`);
  }

  /** Waits until a channel's card is in that state. */
  async state(channel, state) {
    await this.page.waitForFunction(
      (c, s) => [...document.querySelectorAll(`[data-part=channel-card][data-state=${s}]`)].some((x) => x.textContent.includes(c)),
      {},
      channel,
      state,
    );
  }
}
