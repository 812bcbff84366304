// Webhooks in the administration, in a real browser with the real service and a receiver
// that fails and comes back.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { Admin, sideways } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";
import { until } from "./wait.mjs";

/** A receiver that answers as it is told, and notes what it was sent. */
class Receiver {
  status = 200;
  got = [];
  static async open(t) {
    const r = new Receiver();
    const server = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        r.got.push({ id: request.headers["squelch-id"], event: request.headers["squelch-event"], status: r.status });
        response.writeHead(r.status);
        response.end(r.status === 200 ? "" : "not today");
      });
    });
    await new Promise((give) => server.listen(0, "127.0.0.1", give));
    t.after(() => server.closeAllConnections() ?? server.close());
    r.url = `http://127.0.0.1:${server.address().port}`;
    return r;
  }
  /** The ids of the events of a kind that it has taken. */
  taken(event) {
    return this.got.filter((g) => g.status === 200 && g.event === event).map((g) => g.id);
  }
}

test("a receiver that fails is shown with its error, and what it refused is sent again or discarded", async (t) => {
  const receiver = await Receiver.open(t);
  const folder = mkdtempSync(join(tmpdir(), "squelch-hooks-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "config.lua");
  const hook = `{ name = "cad", url = "${receiver.url}/secret-path", secret = "0123456789abcdef0123456789abcdef", events = { "panic" }, private = { "127.0.0.1" } }`;
  writeFileSync(config, `${readFileSync(new URL("config.lua", import.meta.url), "utf8")}\nConfig.webhooks = { ${hook} }\n`);
  const service = await Service.start({ config });
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const units = [];
  t.after(() => units.forEach((r) => r.close()));
  /** Another unit raises an emergency. */
  const panic = async () => {
    const r = await Radio.connect(service, 20 + units.length, `Unit ${units.length}`, { nacId: "LSPD" });
    units.push(r);
    await r.join("MAIN");
    await r.panic(true);
  };

  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("Webhooks");
  const row = a.row("cad");
  await row.getByText("Up to date").waitFor();
  assert.equal((await row.textContent()).includes("secret-path"), false);
  await a.page.getByText("No undelivered events").waitFor();
  await a.accessible("webhooks");
  const refreshed = (what, there) =>
    until(what, async () => {
      await a.button("Refresh").click();
      return there();
    });

  // It fails, and comes back by itself.
  receiver.status = 500;
  await panic();
  await refreshed("it is shown as failing", () => row.getByText(/^Failing – next attempt /).isVisible());
  await row.getByText("500").waitFor();
  await a.accessible("webhooks failing");
  await a.field("Look").selectOption("Day");
  await a.accessible("webhooks failing day");
  receiver.status = 200;
  await refreshed("it is up to date again", () => row.getByText("Up to date").isVisible());
  assert.equal(new Set(receiver.taken("panic")).size, 1);

  // What it refuses is kept.
  receiver.status = 400;
  await panic();
  const letters = a.page.getByRole("table", { name: "Undelivered events" });
  await refreshed("there is a dead letter", () => letters.getByRole("button", { name: "panic" }).isVisible());
  await letters.getByRole("button", { name: "panic" }).click();
  const sheet = a.page.getByRole("dialog");
  await sheet.getByText("400").first().waitFor();
  await sheet.locator("pre", { hasText: "Unit 1" }).waitFor();
  await a.accessible("webhooks dead letter");
  await sheet.getByRole("button", { name: /^Resend panic/ }).click();
  await sheet.getByRole("alert").filter({ hasText: /^cad did not accept it: .*400/ }).waitFor();
  receiver.status = 200;
  await sheet.getByRole("button", { name: /^Resend panic/ }).click();
  await a.told("cad accepted it.");
  await sheet.waitFor({ state: "detached" });
  await a.page.getByText("No undelivered events").waitFor();
  assert.equal(new Set(receiver.taken("panic")).size, 2);

  // All at once.
  receiver.status = 400;
  await panic();
  await panic();
  await refreshed("there are two", async () => (await letters.getByRole("button", { name: "panic" }).count()) === 2);
  receiver.status = 200;
  await a.open("cad");
  await a.accessible("webhook");
  await a.button("Resend all for cad").click();
  await a.page.getByRole("dialog").getByText("2 events were resent.").waitFor();
  await a.button("Send test to cad").click();
  await a.page.getByRole("dialog").getByText(/^cad accepted the test: 200, \d+ ms\.$/).waitFor();
  assert.equal(receiver.taken("test").length, 1);
  await a.leave();

  receiver.status = 400;
  await panic();
  await refreshed("there is one", () => letters.getByRole("button", { name: "panic" }).isVisible());
  await a.open("cad");
  await a.button("Discard all… cad").click();
  await a.button("Discard", a.page.getByRole("dialog").filter({ hasText: "Discard the undelivered event of cad?" })).click();
  await a.page.getByRole("dialog").getByText("1 event has been discarded.").waitFor();
  await a.leave();
  await a.page.getByText("No undelivered events").waitFor();

  await a.view("Audit log");
  for (const sentence of ["The administrator resent an event to the webhook cad", "The administrator resent an event to the webhook cad, which did not accept it", "The administrator sent the webhook cad a test", "The administrator discarded undelivered events of the webhook cad: 1"])
    await a.button(sentence).first().waitFor();
  await a.close();

  const phone = await Admin.open(browser, service, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await phone.login();
  await phone.page.getByLabel("Language").selectOption("de");
  await phone.page.getByRole("button", { name: /^Bereich:/ }).click();
  await phone.page.getByRole("listitem").getByRole("button", { name: "Webhooks" }).click();
  await phone.page.getByText("Alles ist zugestellt").waitFor();
  assert.deepEqual(await phone.page.evaluate(sideways), []);
  const heads = phone.page.getByRole("table", { name: "Webhooks" }).locator("thead th:visible");
  assert.deepEqual(await heads.allTextContents(), ["Name", "Zustand", "Wartend", "Aufgegeben"]);
  const broken = await heads.evaluateAll((all) =>
    all.filter((th) => {
      const words = document.createRange();
      words.selectNodeContents(th);
      return words.getClientRects().length > 1;
    }).map((th) => th.textContent));
  assert.deepEqual(broken, [], "a column's name is broken");
  await phone.accessible("webhooks phone");
  await phone.close();
});

test("without webhooks the page says how to have some", async (t) => {
  const service = await Service.start();
  t.after(() => service.end());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("Webhooks");
  await a.page.getByRole("heading", { name: "No webhooks" }).waitFor();
  await a.accessible("webhooks none");
  await a.close();
});
