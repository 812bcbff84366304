// The administration in a real browser, as an administrator uses it: by role and name.
import assert from "node:assert/strict";
import { accessible, picture } from "./eyes.mjs";
import { patience } from "./wait.mjs";

export const password = "admin-of-the-browser-tests";

/** One administrator at one page. Whatever the page complains about fails the test, unless it is listed. */
export class Admin {
  complaints = [];

  static async open(browser, at, options = {}) {
    const a = new Admin();
    a.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "dark", acceptDownloads: true, ...options });
    a.page = await a.context.newPage();
    a.page.setDefaultTimeout(patience);
    a.page.on("console", (m) => ["error", "warning"].includes(m.type()) && a.complaints.push(m.text()));
    a.page.on("pageerror", (e) => a.complaints.push(String(e)));
    await a.page.goto(`${at.url}/admin`);
    return a;
  }
  async login(word = password) {
    await this.page.getByLabel("Administrator password").fill(word);
    await this.button("Sign in").click();
  }
  button(name, within = this.page) {
    return within.getByRole("button", { name, exact: true });
  }
  field(name) {
    return this.page.getByLabel(name, { exact: true });
  }
  sections() {
    return this.page.getByRole("navigation", { name: "Sections" });
  }
  async view(name) {
    await this.sections().waitFor();
    const menu = this.sections().getByRole("button", { name: /^Section:/ });
    if (await menu.isVisible()) await menu.click();
    await this.sections().getByRole("listitem").getByRole("button", { name: new RegExp(`^${name}`) }).click();
  }
  /** The row of that name in the tables of the section. */
  row(name) {
    return this.page.getByRole("row").filter({ has: this.page.getByRole("button", { name, exact: true }) });
  }
  /** Opens a row in the side sheet. */
  async open(name) {
    await this.button(name).click();
    await this.sheet(name);
  }
  sheet(name) {
    return this.page.getByRole("dialog", { name, exact: true }).waitFor();
  }
  /** Leaves the side sheet by the keyboard. */
  async leave() {
    await this.page.keyboard.press("Escape");
    await this.page.getByRole("dialog").waitFor({ state: "detached" });
  }
  async save() {
    await this.button("Save").click();
  }
  async restore() {
    await this.view("File and restore");
    await this.button("Restore all from file…").click();
    await this.button("Restore from file", this.page.getByRole("dialog")).click();
    await this.told("Restored from file.");
  }
  told(text) {
    return this.page.getByRole("status").filter({ hasText: text }).waitFor();
  }
  failed(text) {
    return this.page.getByRole("alert").filter({ hasText: text }).waitFor();
  }
  focused() {
    return this.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent);
  }
  async accessible(what) {
    await accessible(this.page, what);
    await picture(this.page, `admin-${what.replaceAll(" ", "-")}`);
  }
  async close(...expected) {
    assert.deepEqual(this.complaints.filter((c) => !expected.some((e) => e.test(c))), []);
    await this.context.close();
  }
}

/** What extends beyond the window without scrolling by itself. */
export function sideways() {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  const out = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth);
  return out.map((e) => `${e.tagName} ${e.className} ${e.id}`).concat("the page scrolls sideways");
}
