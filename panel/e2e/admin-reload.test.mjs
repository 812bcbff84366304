// The configuration file is reloaded, and permissions are explained, at the administration.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { Admin } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { Service } from "./service.mjs";

const folder = mkdtempSync(join(tmpdir(), "squelch-reload-"));
let browser, service;

before(async () => {
  const config = join(folder, "config.lua");
  await writeFile(config, await readFile(new Service().config, "utf8"));
  service = await Service.start({ config });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
  rmSync(folder, { recursive: true });
});

test("a changed file is in force at once; one with a mistake is refused, and its mistakes are listed", async () => {
  const text = await readFile(service.config, "utf8");
  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("File and restore");
  await writeFile(service.config, `${text}\nConfig.panicTimeout = 45000\nConfig.limits = Config.limits or {} Config.limits.sockets = 300\n`);
  await a.button("Reload the file").click();
  await a.page.getByText("Now in force: panicTimeout").waitFor();
  await a.page.getByText("In force after a restart of the service: limits").waitFor();
  await a.accessible("reload");

  await writeFile(service.config, `${text}\nConfig.panicTimeout = "soon"\nConfig.volumeStep = 200\n`);
  await a.button("Reload the file").click();
  const mistakes = a.page.getByRole("table", { name: "Mistakes in the file" });
  await mistakes.waitFor();
  assert.equal(await mistakes.getByRole("row").count(), 3, "the head and two mistakes");
  await mistakes.getByText("panicTimeout").waitFor();
  await a.page.getByText("The configuration has 2 mistakes; nothing has changed").waitFor();
  await a.accessible("mistakes");

  await writeFile(service.config, text);
  await a.button("Reload the file").click();
  await a.page.getByText("Now in force: panicTimeout").waitFor();
  assert.equal(await mistakes.count(), 0);
  await a.view("Audit log");
  await a.page.getByText("The administrator read the configuration file again").first().waitFor();
  await a.close(/status of 409/);
});

test("why a unit may talk on a channel, and not on another", async () => {
  await service.post("/api/player/connect", { serverId: 7, name: "Ann", nacId: "LSPD" });
  const a = await Admin.open(browser, service);
  await a.login();
  await a.view("Units on the radio");
  await a.button("Ann").click();
  const sheet = a.page.getByRole("dialog");
  await sheet.getByLabel("May this unit …").selectOption("dispatch");
  await a.button("Explain", sheet).click();
  await sheet.getByText("Not allowed").waitFor();
  await sheet.getByText("Any of these would allow it").waitFor();
  await sheet.getByLabel("May this unit …").selectOption("connect");
  await sheet.getByRole("combobox", { name: "Channel" }).selectOption({ index: 0 });
  await a.button("Explain", sheet).click();
  await sheet.getByRole("list").first().waitFor();
  await a.accessible("explain");
  await a.close();
});
